import type { AppContext } from "../../http/env.ts";
import { type OpenMailbox, openMailbox } from "./open.ts";

/** Statuses of errors of each call on an inbox, and of those with a body. */
export const errors = [403, 404, 502];
export const bodyErrors = [...errors, 413, 415];

/** Opens the mailbox of the path. Throws as `openMailboxWith` does. */
export const open = (c: AppContext): Promise<OpenMailbox> =>
  openMailbox(c.get("caller"), c.req.param("mailbox_id") ?? "");

/** Returns the UID of the path, or 0, which no message has. */
export const uidOf = (c: AppContext): number =>
  /^[1-9]\d{0,9}$/.test(c.req.param("uid") ?? "") ? Number(c.req.param("uid")) : 0;
