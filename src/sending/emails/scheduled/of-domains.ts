import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../../platform/db/random-id.ts";
import { appendEventSql, changeStatement } from "../timeline/index.ts";

/** Emails that one transaction cancels. */
const EMAILS_PER_STEP = 500;

// `+workspace` keeps SQLite from the index by workspace and time, which has all scheduled emails of the workspace.
const OF_DOMAINS = "domain_id IN (SELECT value FROM json_each(?2)) AND status = 'scheduled' AND +workspace = ?1";

/** Returns scheduled emails of a workspace whose senders are on these domains. */
export async function findScheduledEmails(
  ctx: MailCtx,
  workspace: number,
  domainIds: readonly string[],
  limit: number,
): Promise<{ id: string; subject: string }[]> {
  const sql = `SELECT id, subject FROM emails WHERE ${OF_DOMAINS} LIMIT ?3`;
  return ctx.mail.listRows<{ id: string; subject: string }>(sql, workspace, JSON.stringify(domainIds), limit);
}

const FIND_STEP = `SELECT n, id FROM emails WHERE ${OF_DOMAINS} AND created_at <= ?3 LIMIT ?4`;

// The workspace too, because its numbers may belong to others once it is purged. A scheduled email has an outbox row of its own. One that became due was claimed with it, and is no longer scheduled.
const DELETE_TASKS = `
  DELETE FROM outbox WHERE id IN (
    SELECT id FROM emails WHERE n IN (SELECT value FROM json_each(?1)) AND workspace = ?2 AND status = 'scheduled')`;

const CANCEL = `
  UPDATE emails SET status = 'cancelled', content = CASE WHEN content_key IS NULL THEN content END,
    version = version + 1, events = ${appendEventSql(`json_object('id', ?2 || ${ID_SUFFIX_SQL},
      'type', 'cancelled', 'at', ?3, 'metadata', json_object('reason', ?5))`)}
   WHERE n IN (SELECT value FROM json_each(?1)) AND workspace = ?4 AND status = 'scheduled'`;

/**
 * Cancels scheduled emails of a workspace whose senders are on these domains, if they were created until `createdUntil`, in
 * milliseconds since 1970: 500 in one call. Returns whether none is left. Safe to repeat.
 */
export async function cancelScheduledOfDomains(
  ctx: MailCtx,
  workspace: number,
  domainIds: readonly string[],
  createdUntil: number,
): Promise<boolean> {
  const db = ctx.mail;
  const values = [workspace, JSON.stringify(domainIds), createdUntil, EMAILS_PER_STEP];
  const results = await db.listRows<{ n: number; id: string }>(FIND_STEP, ...values);
  if (results.length === 0) return true;
  await db.batch(cancelStatements(ctx, workspace, results, "domain_transferred"));
  return results.length < EMAILS_PER_STEP;
}

/** Returns the statements that cancel those of these emails that are still scheduled. `reason` is in their events. */
export function cancelStatements(
  ctx: MailCtx,
  workspace: number,
  emails: readonly { n: number; id: string }[],
  reason: "domain_transferred" | "draft_opened",
): MailStatement[] {
  const db = ctx.mail;
  const numbers = JSON.stringify(emails.map(({ n }) => n));
  return [
    db.prepare(DELETE_TASKS).bind(numbers, workspace),
    db.prepare(CANCEL).bind(numbers, idPrefix(ctx), ctx.now(), workspace, reason),
    changeStatement(
      ctx,
      emails.map(({ id }) => ({ workspace, id })),
    ),
  ];
}
