import type { CallerCtx } from "../../access/caller.ts";
import { forbidden } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { getMailbox, missingForPassword, toMailbox } from "../mailboxes/index.ts";

/**
 * Returns the mailbox whose app passwords the caller reads or changes: its own one for a session of a mailbox, otherwise one whose password
 * it may set; to read them it needs no `inbox:write`. Throws 404, and 403 for a caller that may not, and for any but its own mailbox in
 * a session of a mailbox (docs/contract/mailboxes.md#app-passwords).
 */
export async function openForPasswords(
  ctx: CallerCtx,
  mailboxId: string,
  use: "read" | "write",
): Promise<{ id: string; address: string }> {
  const { actor } = ctx;
  // For any other id, known or not, so that the session learns nothing about other mailboxes.
  if (actor.kind === "mailbox" && actor.mailboxId !== parseUuid(mailboxId))
    throw forbidden("A session of a mailbox acts on its own mailbox only");
  const row = await getMailbox(ctx, mailboxId);
  requireRight(ctx, toMailbox(row).assignee_ids, use);
  return row;
}

/** Throws 403 for a caller other than the mailbox itself that may not read or change its app passwords. */
export function requireRight({ actor }: CallerCtx, assigneeIds: readonly string[], use: "read" | "write"): void {
  if (actor.kind === "mailbox") return;
  const missing = missingForPassword(actor, assigneeIds);
  if (missing !== null && !(use === "read" && missing === "inbox:write")) throw forbidden(`Missing scope: ${missing}`);
}
