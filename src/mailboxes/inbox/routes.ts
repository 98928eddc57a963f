import type { AppContext } from "../../http/env.ts";
import { openMailbox, type ReadableMailbox } from "./open.ts";

const open = async (c: AppContext) => ({
  mailbox: await openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? ""),
});

/**
 * The common part of all routes of an inbox: each acts on the mailbox of its path, which the caller may open. A route that needs
 * the right to read only has no operation that changes the mailbox.
 */
export const inboxRoute = {
  given: open,
  givenToRead: (c: AppContext): Promise<{ mailbox: ReadableMailbox }> => open(c),
  errors: [502],
};
