import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { finishStatement, type Lease, leaveStatements, nextRowsStatement } from "../../../platform/outbox/lease.ts";
import type { EmailState, EmailUpdate } from "../../emails/index.ts";
import { movesOf } from "./next-rows.ts";
import type { PendingUpdate } from "./pending-updates.ts";
import { retryAfterOutageStatement } from "./retry-after-outage.ts";

interface Flush {
  updates: readonly PendingUpdate[];
  /** The same, as they are written. */
  written: readonly (EmailUpdate & Pick<PendingUpdate, "isAccepted" | "isUnreachable">)[];
  /** Rows all of whose emails have an outcome. */
  done: readonly string[];
  lease: Lease;
}

/**
 * Returns the statements that change the outbox in the transaction of a flush, for the new states of its emails: rows of later
 * attempts are set, rows shrink, and finished rows are deleted, `finished` by the first of `after`. When an email was accepted, the second
 * schedules a retry step.
 */
export function outboxStatements(
  ctx: MailCtx,
  { updates, written, done, lease }: Flush,
  states: readonly EmailState[],
): { before: MailStatement[]; after: MailStatement[]; finished: number } {
  const updateOf = new Map(updates.map((update) => [update.mail.state.n, update]));
  const moves = states.map((state) => movesOf(state, updateOf.get(state.n), lease, ctx.now()));
  const next = moves.flatMap((move) => move.next);
  const kept = new Set(next.map(({ id }) => id));
  const finished = done.filter((id) => !kept.has(id));
  const left = moves.flatMap(({ leaving }) => leaving).filter(({ row }) => !done.includes(row));
  return {
    finished: finished.length,
    before: next.length > 0 ? [nextRowsStatement(ctx, next)] : [],
    after: [finishStatement(ctx, lease, finished), ...outageStatements(ctx, written), ...leaveStatements(ctx, left)],
  };
}

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
function outageStatements(ctx: MailCtx, updates: readonly Update[]): MailStatement[] {
  const retry = updates.some(({ isAccepted }) => isAccepted) ? [retryAfterOutageStatement(ctx)] : [];
  const waiting = new Set(updates.flatMap(({ isUnreachable, state }) => (isUnreachable ? [state.workspace] : [])));
  if (waiting.size === 0) return retry;
  return [...retry, ctx.mail.prepare(SAVE_WAITING).bind(JSON.stringify([...waiting]), ctx.now(), SAVE_AFTER_MS)];
}
