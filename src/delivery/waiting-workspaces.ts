import type { MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { MailStatement } from "../db/database.ts";

/** A workspace is written once in this time, however many of its emails begin to wait. In milliseconds. */
const SAVE_AFTER_MS = 60_000;

const SAVE = `
  INSERT INTO outage_workspaces (workspace, waiting_at) SELECT value, ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET waiting_at = excluded.waiting_at WHERE waiting_at <= excluded.waiting_at - ?3`;

/**
 * Returns the statement that records that emails of these workspaces wait for the egress, so that their owners can be notified
 * without a read of the outbox. It belongs in the transaction that makes them wait.
 */
export function saveWaitingStatement(ctx: MailCtx, workspaces: Iterable<number>): MailStatement {
  return mailDb(ctx)
    .prepare(SAVE)
    .bind(JSON.stringify([...new Set(workspaces)]), ctx.now(), SAVE_AFTER_MS);
}
