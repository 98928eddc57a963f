import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { finishStatement, type Lease, rescheduleStatement, shrinkStatement } from "../../platform/outbox/lease.ts";
import type { EmailState, EmailUpdate } from "../emails/index.ts";
import { insertNextStatement, type Leaving, leaveStatements } from "./leave-row.ts";
import { pacedRows, rescheduledRows } from "./next-rows.ts";
import type { PendingUpdate } from "./pending-updates.ts";
import { retryAfterOutageStatement } from "./retry-after-outage.ts";
import { isSettled } from "./settled.ts";

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
 * attempts are inserted, rows shrink, and finished rows are deleted. The result of the deletion is the first of `after`.
 */
export function outboxStatements(
  ctx: MailCtx,
  { updates, written, done, lease }: Flush,
  states: readonly EmailState[],
): { before: MailStatement[]; after: MailStatement[] } {
  const updateOf = new Map(updates.map((update) => [update.mail.state.n, update]));
  const paced = pacedRows(updates, states, { done, lease });
  const deferred = states.flatMap((state) => {
    const update = updateOf.get(state.n);
    if (!update || update.isPart || paced.numbers.has(state.n)) return [];
    return rescheduledRows(state, update.mail, update.isUnreachable === true);
  });
  const leaving = states.flatMap((state) => leavingOf(state, updateOf.get(state.n), lease));
  const next = leaving.filter(({ state }) => state.status === "queued");
  const rescheduled = [...deferred, ...paced.rows];
  return {
    before: [
      ...(rescheduled.length > 0 ? [rescheduleStatement(ctx, lease, rescheduled)] : []),
      ...(next.length > 0 ? [insertNextStatement(ctx, next)] : []),
      ...paced.shared.map(([id, numbers]) => shrinkStatement(ctx, lease, id, numbers)),
    ],
    after: [
      finishStatement(ctx, lease, done),
      ...outageStatements(ctx, written),
      ...(leaving.length > 0 ? leaveStatements(ctx, leaving) : []),
    ],
  };
}

/** Returns an email whose egress reported all results before the run wrote its own: no later report removes it from its row. Or none. */
function leavingOf(state: EmailState, update: PendingUpdate | undefined, lease: Lease): Leaving[] {
  if (!update?.isHeld || !isSettled(state, update, new Set())) return [];
  const { outboxId: row, claims } = update.mail;
  return [{ ticket: { ...lease, row, email: state.id, isRepeated: claims > 1 }, state }];
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
  const values = [JSON.stringify([...waiting]), ctx.now(), SAVE_AFTER_MS];
  const save = ctx.mail.prepare(SAVE_WAITING).bind(...values);
  return [...retry, save];
}
