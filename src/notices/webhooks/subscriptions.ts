/** Copies what webhooks subscribe to from the main database to the mail database, where events are written. */
import type { Ctx, MailCtx, MainStatement, OutboxCtx, WakeUp } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { addDeliveriesStatements, type OtherDelivery } from "./add-delivery.ts";

/** The state of a webhook after a change. */
export interface Subscription {
  id: string;
  workspace: number;
  /** Greater than that of any earlier state. */
  version: number;
  /** Empty while it is paused, and once it is deleted. */
  events: readonly string[];
}

/** Cron copies a change this long after it was written, unless the request has done so. In milliseconds. */
const COPY_AFTER_MS = 15_000;

/** An outbox row of the main database that copies a change. */
export interface Copy {
  statement: MainStatement;
  /** Copies the change now. Never throws: cron does it again. */
  run(): Promise<void>;
}

/** Returns the outbox row of a change, for the batch that writes it, and the function that copies the change afterwards. */
export function copySubscription(ctx: Ctx, subscription: Subscription): Copy {
  const row = { dueAt: ctx.now() + COPY_AFTER_MS, id: ctx.newId() };
  const statement = ctx.db
    .prepare("INSERT OR IGNORE INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'webhook', ?3)")
    .bind(row.dueAt, row.id, JSON.stringify(subscription));
  const run = async () => {
    try {
      await copyToShard(ctx, subscription);
      await ctx.db.execute("DELETE FROM outbox WHERE id = ?1", row.id);
    } catch (error) {
      ctx.log("webhooks.copy.failed", { webhook: subscription.id, error: String(error) });
    }
  };
  return { statement, run };
}

/** Copies the changes and the events that these outbox rows name, except those that another run has claimed. */
export async function copySubscriptions(ctx: OutboxCtx<"main">, rows: readonly WakeUp[]): Promise<void> {
  await consumeRows(ctx, rows, async ({ id, ref }) => {
    const stored = JSON.parse(ref) as Subscription | Omit<OtherDelivery, "id">;
    if ("payload" in stored) await addToShard(ctx, { ...stored, id });
    else await copyToShard(ctx, stored);
    return "done";
  });
}

async function addToShard(ctx: Ctx, delivery: OtherDelivery): Promise<void> {
  const mailCtx = await onShardOf(ctx, delivery.workspace);
  if (!mailCtx) return;
  await mailCtx.mail.batch(addDeliveriesStatements(mailCtx, [delivery]));
  await wakeWebhooks(mailCtx);
}

async function copyToShard(ctx: Ctx, subscription: Subscription): Promise<void> {
  const mailCtx = await onShardOf(ctx, subscription.workspace);
  if (mailCtx) await write(mailCtx, subscription);
}

// A webhook that is resumed starts anew with the time for which it may fail.
const UPSERT = `
  INSERT INTO webhook_endpoints (id, workspace, version, events) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, events = excluded.events,
    failing_since = CASE WHEN events = '[]' THEN NULL ELSE failing_since END WHERE excluded.version > version`;

const IS_CURRENT = "EXISTS (SELECT 1 FROM webhook_endpoints WHERE id = ?1 AND version = ?3 AND events <> '[]')";

// Deliveries that were held while the webhook was paused are due at once.
const RELEASE_HELD = `
  UPDATE webhook_deliveries SET due_at = ?2
   WHERE endpoint = ?1 AND status IN ('pending', 'retrying') AND due_at IS NULL AND ${IS_CURRENT}`;

const RELEASE_ENDPOINT = `
  UPDATE webhook_endpoints SET due_at = ?2
   WHERE id = ?1 AND version = ?3 AND token IS NULL AND (due_at IS NULL OR due_at > ?2)
     AND EXISTS (SELECT 1 FROM webhook_deliveries WHERE endpoint = ?1 AND due_at <= ?2)`;

async function write(ctx: MailCtx, { id, workspace, version, events }: Subscription): Promise<void> {
  const db = ctx.mail;
  const results = await db.batch([
    db.prepare(UPSERT).bind(id, workspace, version, JSON.stringify(events)),
    db.prepare(RELEASE_HELD).bind(id, ctx.now(), version),
    db.prepare(RELEASE_ENDPOINT).bind(id, ctx.now(), version),
  ]);
  if ((results[2]?.meta.changes ?? 0) > 0) await wakeWebhooks(ctx);
}
