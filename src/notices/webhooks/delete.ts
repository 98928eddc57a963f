import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { getWebhook } from "./queries.ts";
import { copySubscription } from "./subscriptions.ts";

/** Deletes a webhook. Its deliveries that are not sent yet fail; the others stay in the log for 30 days. Throws 404. */
export async function deleteWebhook(ctx: CallerCtx, id: string): Promise<void> {
  const row = await getWebhook(ctx, id);
  const { workspace, url } = row;
  // Greater than the version of a change that is made at the same moment.
  const copy = copySubscription(ctx, { id: row.id, workspace, version: Number.MAX_SAFE_INTEGER, events: [] });
  await guardedBatch(ctx.db, [
    ctx.db.prepare("DELETE FROM webhooks WHERE id = ?1").bind(row.id),
    expectChanges(ctx.db, 1),
    copy.statement,
    auditStatement(ctx, { action: "webhook.deleted", target: row.id, detail: { url } }),
  ]).catch(onConcurrency(() => notFound("Webhook")));
  await copy.run();
}
