import type { CallerCtx } from "../../access/caller.ts";
import { onError } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { RECEIVED } from "../../platform/webhook-events/rules.ts";
import { requirePublicUrl } from "./create.ts";
import { requireEveryMailbox } from "./delivery-queries.ts";
import { getWebhook, type WebhookRow } from "./queries.ts";
import { ROTATION_MS } from "./rules.ts";
import { toWebhook, type WebhookOut, type WebhookPatch } from "./schema.ts";
import { newWebhookSecret, sealSecret } from "./secrets.ts";
import { copySubscription, type Subscription } from "./subscriptions.ts";

const MAX_ATTEMPTS = 5;

const UPDATE = `
  UPDATE webhooks SET url = ?3, events = ?4, is_active = ?5, version = ?6, secret = ?7, secret_end = ?8, previous_secret = ?9,
    previous_until = ?10 WHERE id = ?1 AND version = ?2`;

/**
 * Changes the given fields of a webhook. Pausing holds its deliveries back, and events of that time are not delivered;
 * resuming makes them due. A rotated secret is in this response only. Throws 404, 403 without the right to see received mail that it gets, 422 when the URL is refused, and
 * ConcurrencyError when other calls keep changing the webhook meanwhile.
 */
export async function updateWebhook(ctx: CallerCtx, id: string, patch: WebhookPatch): Promise<WebhookOut> {
  const { id: known } = await getWebhook(ctx, id);
  if (patch.url !== undefined) await requirePublicUrl(ctx, patch.url);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await getWebhook(ctx, known);
    const { rotate_secret: isRotated, ...changes } = patch;
    if (!isRotated && Object.values(changes).every((value) => value === undefined)) return toWebhook(before);
    const secret = isRotated ? newWebhookSecret() : undefined;
    const after = await applyPatch(ctx, before, patch, secret);
    const isOnlyPaused = patch.is_active === false && !patch.url && !patch.events && !isRotated;
    if (after.events.includes(RECEIVED) && !isOnlyPaused) requireEveryMailbox(ctx);
    if (await write(ctx, before, after, { ...changes, ...(isRotated ? { rotate_secret: true } : {}) }))
      return toWebhook(after, secret);
  }
  throw new ConcurrencyError();
}

/** Returns the changed row. */
async function applyPatch(ctx: CallerCtx, before: WebhookRow, patch: WebhookPatch, secret: string | undefined) {
  return {
    ...before,
    url: patch.url ?? before.url,
    events: patch.events ? [...new Set(patch.events)] : before.events,
    isActive: patch.is_active ?? before.isActive,
    version: before.version + 1,
    ...(secret === undefined
      ? {}
      : {
          secret: await sealSecret(ctx, before.id, secret),
          secretEnd: secret.slice(-4),
          previousSecret: before.secret,
          previousUntil: ctx.now() + ROTATION_MS,
        }),
  };
}

/** Writes a row unless another call has changed it. Returns whether it was written. */
async function write(ctx: CallerCtx, before: WebhookRow, after: WebhookRow, detail: Record<string, unknown>) {
  const copy = copySubscription(ctx, toSubscription(after));
  const { id, url, version, isActive } = after;
  const place = [id, before.version, url, JSON.stringify(after.events), Number(isActive), version];
  const secrets = [after.secret, after.secretEnd, after.previousSecret, after.previousUntil];
  const results = await guardedBatch(ctx.db, [
    ctx.db.prepare(UPDATE).bind(...place, ...secrets),
    expectChanges(ctx.db, 1),
    copy.statement,
    auditStatement(ctx, { action: "webhook.updated", target: id, detail }),
  ]).catch(onError(ConcurrencyError, () => null));
  if (results) await copy.run();
  return results !== null;
}

/** Returns what a webhook subscribes to: nothing while it is paused. */
function toSubscription({ id, workspace, version, events, isActive }: WebhookRow): Subscription {
  return { id, workspace, version, events: isActive ? events : [] };
}
