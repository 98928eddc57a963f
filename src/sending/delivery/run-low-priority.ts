import type { MailCtx, WakeUp } from "../../platform/context.ts";
import { countStatements } from "../../platform/db/count-statements.ts";
import { dueRows, outboxTurns, WAITING_BROADCASTS } from "../../platform/outbox/turns.ts";
import type { DeliveryRun } from "./hand-over/index.ts";
import { LOW_PRIORITY_RUN_ROWS, mayClaim, RECENT_MS, RUN_MS } from "./rules.ts";
import { deliverRows } from "./run.ts";

// Rows that became due a moment ago: their own wake-ups may wait behind this run. Older ones are found by the sweep.
const FIND_TRANSACTIONAL = `
  WITH RECURSIVE ${outboxTurns("?3", "100")}, ${dueRows("due_at BETWEEN ?1 AND ?2", "kind = 'deliver' AND leased_until <= ?2", "100")}
  SELECT o.due_at AS dueAt, o.id, o.kind FROM due d CROSS JOIN outbox o ON o.id = d.id ORDER BY d.turn LIMIT 100`;

// The emails of a cancelled or deleted broadcast do not leave, so its rate does not apply to them, and none waits for a time.
const FIND_LOW_PRIORITY = `
  WITH RECURSIVE ${WAITING_BROADCASTS}
  SELECT w.broadcast, b.workspace, iif(b.status = 'cancelled', NULL, b.max_per_hour) AS max_per_hour,
         iif(b.status = 'cancelled', NULL, b.next_claim_at) AS next_claim_at, (
      SELECT json_group_array(json_object('dueAt', due_at, 'id', id, 'emails', json_array_length(ref))) FROM (
        SELECT due_at, id, ref FROM outbox
         WHERE broadcast = w.broadcast AND due_at <= iif(b.status IS NULL OR b.status = 'cancelled', 9e15, ?1) AND leased_until <= ?1
         ORDER BY due_at, id LIMIT 4)) AS rows
    FROM waiting w LEFT JOIN broadcasts b ON b.n = w.broadcast LEFT JOIN shard_workspaces s ON s.number = b.workspace
   WHERE w.broadcast IS NOT NULL
     AND (b.status IS NULL OR b.status = 'cancelled' OR (b.paused_at IS NULL AND coalesce(s.bulk_pause, 0) = 0))`;

const TAKE_TURN = `
  UPDATE broadcasts SET next_claim_at = ?2 + ?3 WHERE n = ?1 AND coalesce(next_claim_at, 0) <= ?2`;

interface WaitingBroadcast {
  broadcast: number;
  /** Null when the broadcast was deleted. */
  workspace: number | null;
  max_per_hour: number | null;
  next_claim_at: number | null;
  rows: string;
}

/**
 * Delivers emails of broadcasts row by row, each time behind the transactional mail that is due by then. Takes the broadcasts in turn, skips
 * paused ones and those of stopped workspaces, and keeps their `max_per_hour`. Ends when nothing is due or its limits are reached; then a
 * queue message continues. Any number of runs may work side by side.
 */
export async function runLowPriority(ctx: MailCtx, run: DeliveryRun): Promise<void> {
  const { limits } = run;
  const started = ctx.now();
  for (let rows = 0; rows < LOW_PRIORITY_RUN_ROWS && ctx.now() - started < RUN_MS && mayClaim(limits); rows++) {
    const now = ctx.now();
    const db = countStatements(ctx.mail, limits);
    const [urgent, waiting] = await db.listEach<[WakeUp, WaitingBroadcast]>([
      db.prepare(FIND_TRANSACTIONAL).bind(now - RECENT_MS, now, Math.random()),
      db.prepare(FIND_LOW_PRIORITY).bind(now),
    ]);
    if (urgent.length > 0) await deliverRows(ctx, urgent, run);
    const next = await takeNext(ctx, waiting);
    if (next === null) return;
    await deliverRows(ctx, [next], run);
  }
  await ctx.wake([{ dueAt: started, id: ctx.newId(), kind: "bulk" }]);
}

/** Returns one due row of a broadcast that may send now, or null. Schedules the next run for a broadcast that may not yet. */
async function takeNext(ctx: MailCtx, waiting: readonly WaitingBroadcast[]): Promise<WakeUp | null> {
  const now = ctx.now();
  const due = waiting.flatMap((broadcast) => {
    const rows = JSON.parse(broadcast.rows) as { dueAt: number; id: string; emails: number }[];
    return rows.length > 0 ? [{ ...broadcast, rows }] : [];
  });
  const ready = inTurns(due.filter(({ next_claim_at }) => (next_claim_at ?? 0) <= now));
  for (const { broadcast, max_per_hour, rows } of ready) {
    // Runs that work side by side take different rows.
    const [row] = shuffle(rows);
    if (!row) continue;
    if (max_per_hour !== null && !(await takeTurn(ctx, broadcast, (row.emails * 3_600_000) / max_per_hour))) continue;
    return { dueAt: row.dueAt, id: row.id, kind: "bulk" };
  }
  const soonest = Math.min(...due.map(({ next_claim_at }) => next_claim_at ?? now));
  const seconds = Math.ceil((soonest - now) / 1000);
  // The sweep starts a run each minute.
  if (due.length > 0 && seconds > 0 && seconds < 60)
    await ctx.wake([{ dueAt: now, id: ctx.newId(), kind: "bulk" }], seconds);
  return null;
}

/** Returns true for the one run that may claim now; the next claim of the broadcast is `waitMs` later. */
async function takeTurn(ctx: MailCtx, broadcast: number, waitMs: number): Promise<boolean> {
  const { meta } = await ctx.mail.execute(TAKE_TURN, broadcast, ctx.now(), Math.ceil(waitMs));
  return meta.changes === 1;
}

/** Returns broadcasts by chance: each workspace is as likely the first, however many it has. */
const inTurns = <Item extends Pick<WaitingBroadcast, "workspace">>(broadcasts: readonly Item[]): Item[] =>
  shuffle([...Map.groupBy(broadcasts, ({ workspace }) => workspace).values()]).flatMap(shuffle);

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
