import type { AppContext } from "../../http/env.ts";
import { openMailbox } from "./open.ts";

/** The common part of all routes of an inbox: each acts on the mailbox of its path, which the caller may open. */
export const inboxRoute = {
  given: async (c: AppContext) => ({ mailbox: await openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "") }),
  errors: [502],
};
