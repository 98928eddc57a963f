import { and, asc, eq } from "drizzle-orm";
import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { webhooks } from "../../platform/db/schema/main/index.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/** Returns one webhook. Throws 404 for an id that is malformed, unknown or of another workspace, and 403. */
export async function getWebhook(ctx: CallerCtx, id: string): Promise<WebhookRow> {
  requireAllDomains(ctx);
  const uuid = requireFound(parseUuid(id), "Webhook");
  const [row] = await orm(ctx)
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, uuid), eq(webhooks.workspace, ctx.workspace.number)));
  return requireFound(row, "Webhook");
}

/** Returns the webhooks of the workspace, at most 50, oldest first: the active ones, or all. Throws 403. */
export function listWebhooks(ctx: CallerCtx, { includePaused }: { includePaused: boolean }): Promise<WebhookRow[]> {
  requireAllDomains(ctx);
  const isShown = includePaused ? undefined : eq(webhooks.isActive, true);
  return orm(ctx)
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspace, ctx.workspace.number), isShown))
    .orderBy(asc(webhooks.id));
}

/** Returns the URL of a webhook, or null when it was deleted. */
export async function findUrl(ctx: CallerCtx, webhookId: string | null): Promise<string | null> {
  if (webhookId === null) return null;
  const [row] = await orm(ctx)
    .select({ url: webhooks.url })
    .from(webhooks)
    .where(and(eq(webhooks.id, webhookId), eq(webhooks.workspace, ctx.workspace.number)));
  return row?.url ?? null;
}
