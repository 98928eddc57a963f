import type { Ctx, DatabaseKind, MailCtx, OutboxCtx, WakeUp } from "../../platform/context.ts";
import { onMain, onShard, shardNumbers } from "../../platform/jobs/shards.ts";
import { wakeAutomations } from "../../platform/person-events/wake.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { RESTORED_REASON } from "./write-rows.ts";

/** Rows that one call resumes in each database, and deliveries of webhooks. */
const ROWS_PER_CALL = 500;

const PAGE = "SELECT id FROM held_outbox ORDER BY id LIMIT ?1";
const RESUME = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, claims, outage, broadcast, workspace)
  SELECT due_at, id, kind, ref, claims, outage, broadcast, workspace FROM held_outbox ORDER BY id LIMIT ?1`;
const REMOVE = `DELETE FROM held_outbox WHERE id IN (${PAGE})`;
const FIND_DUE = `SELECT due_at AS dueAt, id, kind FROM held_outbox WHERE id IN (${PAGE}) AND due_at <= ?2`;

// Deliveries of a paused webhook stay held until it is resumed.
const FIND_DELIVERIES = `
  SELECT d.n FROM webhook_endpoints e CROSS JOIN webhook_deliveries d
      ON d.endpoint = e.id AND d.status IN ('pending', 'retrying') AND d.due_at IS NULL
   WHERE e.events <> '[]' OR d.webhook_id IS NULL LIMIT ?1`;
const RESUME_DELIVERIES = `UPDATE webhook_deliveries SET due_at = ?2 WHERE n IN (${FIND_DELIVERIES})`;
const RESUME_ENDPOINTS = `
  UPDATE webhook_endpoints SET due_at = ?1 WHERE token IS NULL AND due_at IS NULL
     AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint = webhook_endpoints.id AND d.due_at <= ?1)`;

// Their engine lets the runs go on page by page.
const RESUME_AUTOMATIONS = `
  UPDATE automations SET status = 'active', pause_reason = NULL, sweep = 'resume', sweep_after = 0, edit = edit + 1
   WHERE n IN (SELECT n FROM automations WHERE status = 'paused' AND pause_reason = ?1 LIMIT ?2)`;

/**
 * Resumes up to 500 held rows of each outbox and as many deliveries of webhooks of a restored backup. Due ones are sent at once,
 * others at their time. Returns how many, 0 when none is left. Safe to repeat.
 */
export async function resumeHeld(ctx: Ctx): Promise<number> {
  let resumed = await resumeRows(onMain(ctx));
  for (const shard of shardNumbers(ctx)) {
    const mailCtx = onShard(ctx, shard);
    resumed += await resumeRows(mailCtx);
    resumed += await resumeDeliveries(mailCtx);
    resumed += await resumeAutomations(mailCtx);
  }
  return resumed;
}

async function resumeRows<Kind extends DatabaseKind>(ctx: OutboxCtx<Kind>): Promise<number> {
  const { outbox } = ctx;
  const [due, , removed] = await outbox.batch<WakeUp>([
    outbox.prepare(FIND_DUE).bind(ROWS_PER_CALL, ctx.now()),
    outbox.prepare(RESUME).bind(ROWS_PER_CALL),
    outbox.prepare(REMOVE).bind(ROWS_PER_CALL),
  ]);
  const rows = due?.results ?? [];
  if (rows.length > 0) await ctx.wake(rows);
  return removed?.meta.changes ?? 0;
}

async function resumeDeliveries(ctx: MailCtx): Promise<number> {
  const db = ctx.mail;
  const [resumed] = await db.batch([
    db.prepare(RESUME_DELIVERIES).bind(ROWS_PER_CALL, ctx.now()),
    db.prepare(RESUME_ENDPOINTS).bind(ctx.now()),
  ]);
  const deliveries = resumed?.meta.changes ?? 0;
  if (deliveries > 0) await wakeWebhooks(ctx);
  return deliveries;
}

async function resumeAutomations(ctx: MailCtx): Promise<number> {
  const { meta } = await ctx.mail.execute(RESUME_AUTOMATIONS, RESTORED_REASON, ROWS_PER_CALL);
  if (meta.changes > 0) await wakeAutomations(ctx);
  return meta.changes;
}

const COUNT = "SELECT kind, count(*) AS held FROM held_outbox GROUP BY kind ORDER BY kind";

/** Returns how many outbox rows of a restored backup are held, by kind, in all databases. */
export async function countHeld(ctx: Ctx): Promise<Record<string, number>> {
  const outboxes = [onMain(ctx), ...shardNumbers(ctx).map((shard) => onShard(ctx, shard))];
  const counts: Record<string, number> = {};
  for (const { outbox } of outboxes) {
    const results = await outbox.listRows<{ kind: string; held: number }>(COUNT);
    for (const { kind, held } of results) counts[kind] = (counts[kind] ?? 0) + held;
  }
  return counts;
}
