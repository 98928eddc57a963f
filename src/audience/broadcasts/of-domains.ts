import type { MailCtx } from "../../platform/context.ts";

const IN_FLIGHT = `
  workspace = ?1 AND from_domain IN (SELECT value FROM json_each(?2)) AND status IN ('scheduled', 'sending')`;

/** Returns the scheduled and sending broadcasts and bulk sends of a workspace whose senders are on these domains. */
export async function findBroadcastsInFlight(
  ctx: MailCtx,
  workspace: number,
  domainNames: readonly string[],
  limit: number,
): Promise<{ id: string; name: string; isBulkSend: boolean }[]> {
  const results = await ctx.mail.listRows<{ id: string; name: string; is_bulk: number }>(
    `SELECT id, name, bulk_tags IS NOT NULL AS is_bulk FROM broadcasts WHERE ${IN_FLIGHT} AND automation IS NULL LIMIT ?3`,
    workspace,
    JSON.stringify(domainNames),
    limit,
  );
  return results.map(({ id, name, is_bulk }) => ({ id, name, isBulkSend: is_bulk === 1 }));
}

const DELETE_TASKS = `
  DELETE FROM outbox WHERE id IN (
    SELECT id FROM broadcasts WHERE ${IN_FLIGHT} AND status = 'scheduled' AND created_at <= ?3)`;

const CANCEL = `
  UPDATE broadcasts SET status = 'cancelled', version = version + 1, paused_at = NULL, updated_at = ?4
   WHERE ${IN_FLIGHT} AND created_at <= ?3`;

/**
 * Cancels the scheduled and sending broadcasts of a workspace whose senders are on these domains, if they were created until
 * `createdUntil`, in milliseconds since 1970. Their waiting emails are cancelled at dispatch. Safe to repeat.
 */
export async function cancelBroadcastsOfDomains(
  ctx: MailCtx,
  workspace: number,
  domainNames: readonly string[],
  createdUntil: number,
): Promise<void> {
  const db = ctx.mail;
  const names = JSON.stringify(domainNames);
  await db.batch([
    db.prepare(DELETE_TASKS).bind(workspace, names, createdUntil),
    db.prepare(CANCEL).bind(workspace, names, createdUntil, ctx.now()),
  ]);
  // Also after a repeated call, whose earlier one may have ended before this. A run that finds the waiting emails cancels them.
  await ctx.wake([{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
}
