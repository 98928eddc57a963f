import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { checkPublicUrl } from "../../platform/public-urls/check.ts";
import { RECEIVED } from "../../platform/webhook-events/rules.ts";
import { requireEveryMailbox } from "./delivery-queries.ts";
import type { WebhookRow } from "./queries.ts";
import { NOT_LIVE, toWebhook, type WebhookIn, type WebhookOut } from "./schema.ts";
import { newWebhookSecret, sealSecret } from "./secrets.ts";
import { copySubscription } from "./subscriptions.ts";

const INSERT = `
  INSERT INTO webhooks (id, workspace, url, events, secret, secret_end, version, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, 1, ?7
   WHERE ${hasRoom("webhooks", "?2")} AND EXISTS (SELECT 1 FROM workspaces WHERE number = ?2 AND deleted_at IS NULL)`;

/**
 * Creates a webhook. Its secret is in this response only, and a warning while events are not delivered. Throws 422 when its
 * URL is refused, 409 when the workspace has 50, 403 for a key that is restricted to domains, or without the right to see received mail.
 */
export async function createWebhook(ctx: CallerCtx, input: WebhookIn): Promise<WebhookOut> {
  requireAllDomains(ctx);
  if (input.events.includes(RECEIVED)) requireEveryMailbox(ctx);
  await requirePublicUrl(ctx, input.url);
  const secret = newWebhookSecret();
  const id = ctx.newId();
  const row: WebhookRow = {
    id,
    workspace: ctx.workspace.number,
    url: input.url,
    events: [...new Set(input.events)],
    secret: await sealSecret(ctx, id, secret),
    secretEnd: secret.slice(-4),
    previousSecret: null,
    previousUntil: null,
    isActive: true,
    version: 1,
    createdAt: ctx.now(),
  };
  const { workspace, url, events } = row;
  const response = { ...toWebhook(row, secret), ...(ctx.settings.liveWebhooks ? {} : { warning: NOT_LIVE }) };
  const values = [id, workspace, url, JSON.stringify(events), row.secret, row.secretEnd, row.createdAt];
  const copy = copySubscription(ctx, row);
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT).bind(...values),
    expectChanges(ctx.db, 1),
    copy.statement,
    auditStatement(ctx, { action: "webhook.created", target: id, detail: { url, events } }),
    ...(await storeSecretResponse(ctx, response)),
  ]);
  await copy.run();
  return response;
}

/** Throws 422 when the service may not send requests to a URL (docs/contract/webhooks.md#webhook-urls). Makes two DNS queries. */
export async function requirePublicUrl(ctx: CallerCtx, url: string): Promise<void> {
  const checked = await checkPublicUrl(ctx, url);
  if ("problem" in checked) throw invalidField("url", `url is refused: ${checked.problem}`);
}
