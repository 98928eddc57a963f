import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { retryAfterOutageStatement } from "./retry-after-outage.ts";

/** A workspace is written once in this time, however many of its emails begin to wait. In milliseconds. */
const SAVE_AFTER_MS = 60_000;

const SAVE_WAITING = `
  INSERT INTO outage_workspaces (workspace, waiting_at) SELECT value, ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET waiting_at = excluded.waiting_at WHERE waiting_at <= excluded.waiting_at - ?3`;

/** The outcome of an email, as far as it concerns outages of the egress. */
interface Update {
  isAccepted?: boolean;
  isUnreachable?: boolean;
  state: { workspace: number };
}

/**
 * Returns the statements that follow from the outcomes of a flush, in its transaction. First, after a success, the one that
 * schedules a retry step. Then the one that records the workspaces whose emails begin to wait for the egress, so that their
 * owners can be notified without a read of the outbox.
 */
export function outageStatements(ctx: MailCtx, updates: readonly Update[]): MailStatement[] {
  const retry = updates.some(({ isAccepted }) => isAccepted) ? [retryAfterOutageStatement(ctx)] : [];
  const waiting = new Set(updates.flatMap(({ isUnreachable, state }) => (isUnreachable ? [state.workspace] : [])));
  if (waiting.size === 0) return retry;
  const values = [JSON.stringify([...waiting]), ctx.now(), SAVE_AFTER_MS];
  const save = ctx.mail.prepare(SAVE_WAITING).bind(...values);
  return [...retry, save];
}
