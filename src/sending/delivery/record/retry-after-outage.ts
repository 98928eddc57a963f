import type { MailCtx, MailStatement, WakeUp } from "../../../platform/context.ts";
import { consumeRows } from "../../../platform/outbox/consume-rows.ts";
import { BULK_WAITS_AFTER_MS, MAX_RETRIED_ROWS, RETRY_STEP_DELAY_MS, RETRY_STEP_ROWS } from "../rules.ts";

// The EXISTS reads one entry of the partial index outbox_by_outage, and none while no email waits. A second row of this
// kind violates a unique index and is ignored.
const SCHEDULE_RETRY = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT ?1, ?2, 'release', '[]' WHERE EXISTS (SELECT 1 FROM outbox WHERE outage = 'waiting')
  RETURNING due_at AS dueAt, id, kind`;

/**
 * Returns the statement that schedules a retry step if emails wait after an outage of the egress. It belongs in the
 * transaction that records a successful delivery, so that no success goes without its step. Returns the row, as WakeUp.
 */
export function retryAfterOutageStatement(ctx: MailCtx): MailStatement {
  return ctx.mail.prepare(SCHEDULE_RETRY).bind(ctx.now() + RETRY_STEP_DELAY_MS, ctx.newId());
}

// Ids of deferred emails' rows are the emails' UUIDv7, so the lowest id is the oldest email. Reads and writes at most
// ?2 rows by the partial index, whatever the size of the outbox.
const RETRY_STEP = `
  UPDATE outbox SET due_at = ?1, outage = 'released' WHERE id IN (
    SELECT id FROM outbox WHERE outage = 'waiting' AND token IS NULL AND due_at > ?1 ORDER BY id LIMIT ?2)
  RETURNING due_at AS dueAt, id, kind`;

/**
 * Schedules a retry step in the one mail database of `ctx`, if emails wait there: an outage has ended. Safe to run at any
 * time. A run at the time of a step that is scheduled already changes nothing.
 */
export async function scheduleRetryAfterOutage(ctx: MailCtx): Promise<void> {
  const { results } = await retryAfterOutageStatement(ctx).all<WakeUp>();
  if (results.length > 0) await ctx.wake(results, RETRY_STEP_DELAY_MS / 1000);
}

/**
 * Makes the 500 oldest emails that wait after an outage of the egress due now (docs/contract/delivery.md#outages). A success of
 * any of them schedules the next step. They are due after every email accepted so far, which the sweep therefore takes first.
 * Acts on the one mail database of `ctx`. Safe to run at any time. Returns the number of retried emails.
 */
export async function flushOutbox(ctx: MailCtx): Promise<number> {
  const results = await ctx.mail.listRows<WakeUp>(RETRY_STEP, ctx.now(), RETRY_STEP_ROWS);
  // RETURNING has no defined order.
  const rows = results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (rows.length > 0) {
    ctx.log("outbox.released", { emails: rows.length });
    await ctx.wake(rows);
  }
  return rows.length;
}

// A pause, or the rate of a broadcast, keeps its emails for hours. Counted as unfinished, they would keep all others waiting. Reads
// the retried rows only, which the steps keep few.
const CLEAR_WAITING = `
  UPDATE outbox SET outage = NULL WHERE id IN (
    SELECT id FROM outbox
     WHERE outage = 'released' AND token IS NULL AND kind = 'bulk' AND due_at NOT BETWEEN ?1 AND ?2)`;

const COUNT_RELEASED = "SELECT count(*) AS rows FROM (SELECT 1 FROM outbox WHERE outage = 'released' LIMIT ?1)";

/**
 * Processes outbox rows of kind `release`: runs one retry step, or tries again in 2 s while more than 250 released
 * emails are unfinished, so that new email is never behind more than 750 old ones. Emails of broadcasts that may not leave yet
 * are no longer released ones: they leave when they may, without a step. A crash repeats the step.
 */
export async function runRetriesAfterOutage(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  await consumeRows(ctx, wakeUps, async () => {
    const now = ctx.now();
    const [, released] = await ctx.mail.batch<{ rows: number }>([
      ctx.mail.prepare(CLEAR_WAITING).bind(now - BULK_WAITS_AFTER_MS, now),
      ctx.mail.prepare(COUNT_RELEASED).bind(MAX_RETRIED_ROWS + 1),
    ]);
    if ((released?.results[0]?.rows ?? 0) > MAX_RETRIED_ROWS) return { dueAt: now + RETRY_STEP_DELAY_MS, wakes: true };
    await flushOutbox(ctx);
    return "done";
  });
}
