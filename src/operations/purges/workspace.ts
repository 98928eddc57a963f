import type { Ctx, Database, DatabaseKind, MailCtx, Statement } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { closeStatement } from "../../platform/db/shard-workspaces.ts";
import { responsePrefixes } from "../../platform/idempotency/large-responses.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { rewindContentProgressStatement } from "../../sending/emails/content/index.ts";
import { deleteObjects } from "./objects.ts";

/** Rows that one statement deletes: few enough for a transaction of milliseconds. */
const ROWS_PER_STATEMENT = 1_000;

/** Returns the deletion of rows whose workspace is found by their broadcast: their keys begin with it. */
const deleteOfBroadcasts = (table: string, key: string) => `
  DELETE FROM ${table} WHERE (broadcast, ${key}) IN (
    SELECT t.broadcast, t.${key} FROM broadcasts b CROSS JOIN ${table} t ON t.broadcast = b.n WHERE b.workspace = ?1 LIMIT ?2)`;

const deleteByKey = (table: string, key: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE workspace = ?1 LIMIT ?2)`;

// The two days whose responses may be stored still, and one on each side for clocks that differ.
const DELETE_RESPONSES = `
  DELETE FROM idempotency_keys WHERE (day, workspace, key) IN (
    SELECT day, workspace, key FROM idempotency_keys
     WHERE day IN (SELECT unixepoch() / 86400 + value FROM json_each('[-2,-1,0,1]')) AND workspace = ?1 LIMIT ?2)`;

// Outbox rows first, so that the broadcasts of some still exist when they are selected.
const OUTBOX_STEPS = [
  "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE workspace = ?1 AND broadcast IS NULL LIMIT ?2)",
  deleteByKey("quarantine", "id"),
  deleteByKey("held_outbox", "id"),
];

const MAIL_STEPS = [
  ...OUTBOX_STEPS,
  "DELETE FROM outbox WHERE id IN (SELECT o.id FROM broadcasts b CROSS JOIN outbox o ON o.broadcast = b.n WHERE b.workspace = ?1 LIMIT ?2)",
  "DELETE FROM email_search WHERE rowid IN (SELECT n FROM emails WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM emails WHERE n IN (SELECT n FROM emails WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM changes WHERE (workspace, at_us) IN (SELECT workspace, at_us FROM changes WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM inbound_emails WHERE n IN (SELECT n FROM inbound_emails WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM webhook_deliveries WHERE n IN (SELECT n FROM webhook_deliveries WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM webhook_endpoints WHERE id IN (SELECT id FROM webhook_endpoints WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM contacts WHERE n IN (SELECT n FROM contacts WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM contact_lists WHERE n IN (SELECT n FROM contact_lists WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM broadcast_pages WHERE (workspace, broadcast, last_n) IN (SELECT workspace, broadcast, last_n FROM broadcast_pages WHERE workspace = ?1 LIMIT ?2)",
  deleteOfBroadcasts("broadcast_variants", "id"),
  "DELETE FROM broadcast_parts WHERE broadcast IN (SELECT p.broadcast FROM broadcasts b CROSS JOIN broadcast_parts p ON p.broadcast = b.n WHERE b.workspace = ?1 LIMIT ?2)",
  deleteOfBroadcasts("broadcast_counts", "variant"),
  deleteOfBroadcasts("broadcast_clicks", "url"),
  deleteOfBroadcasts("broadcast_members", "contact"),
  deleteOfBroadcasts("broadcast_repeated", "contact"),
  deleteOfBroadcasts("broadcast_pending", "contact"),
  deleteOfBroadcasts("broadcast_skipped", "contact"),
  // The last of the tables above whose rows may need several steps.
  "DELETE FROM broadcasts WHERE n IN (SELECT n FROM broadcasts b WHERE workspace = ?1 AND NOT EXISTS (SELECT 1 FROM broadcast_skipped s WHERE s.broadcast = b.n) AND NOT EXISTS (SELECT 1 FROM broadcast_members m WHERE m.broadcast = b.n) AND NOT EXISTS (SELECT 1 FROM broadcast_repeated r WHERE r.broadcast = b.n) AND NOT EXISTS (SELECT 1 FROM broadcast_pending p WHERE p.broadcast = b.n) LIMIT ?2)",
  "DELETE FROM outage_workspaces WHERE workspace IN (SELECT workspace FROM outage_workspaces WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM retried_addresses WHERE (workspace, email) IN (SELECT workspace, email FROM retried_addresses WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM rollups_hourly WHERE (workspace, hour, domain) IN (SELECT workspace, hour, domain FROM rollups_hourly WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM rollups_daily WHERE (workspace, day, domain) IN (SELECT workspace, day, domain FROM rollups_daily WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM rollups_totals WHERE (workspace, hour) IN (SELECT workspace, hour FROM rollups_totals WHERE workspace = ?1 LIMIT ?2)",
  deleteByKey("confirmations", "workspace, email_key, list"),
  deleteByKey("consents", "workspace, email_key, id"),
  deleteByKey("events", "n"),
  deleteByKey("automation_runs", "n"),
  deleteByKey("automation_daily_emails", "workspace, email_key"),
  deleteByKey("automation_counts", "version, step"),
  deleteByKey("automation_versions", "n"),
  deleteByKey("automations", "n"),
  deleteByKey("consent_words", "n"),
  deleteByKey("contact_forms", "n"),
  deleteByKey("segments", "n"),
  deleteByKey("person_activity", "workspace, email_key"),
  deleteByKey("domain_reports", "workspace, day, domain_id, kind, organization, report_id"),
  deleteByKey("dmarc_sources", "workspace, day, domain_id, source, aligned, disposition"),
  deleteByKey("tls_sessions", "workspace, day, domain_id, failure, server"),
  DELETE_RESPONSES,
];

const MAIN_STEPS = [
  ...OUTBOX_STEPS,
  "DELETE FROM suppressions WHERE (workspace, email) IN (SELECT workspace, email FROM suppressions WHERE workspace = ?1 LIMIT ?2)",
  deleteByKey("topic_choices", "workspace, email, topic"),
  "DELETE FROM topics WHERE n IN (SELECT n FROM topics WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM domain_failures WHERE (workspace, email) IN (SELECT workspace, email FROM domain_failures WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM soft_bounces WHERE (workspace, email) IN (SELECT workspace, email FROM soft_bounces WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM forwarding_rules WHERE id IN (SELECT id FROM forwarding_rules WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM forward_targets WHERE (workspace, address) IN (SELECT workspace, address FROM forward_targets WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM saved_searches WHERE (workspace, user_id) IN (SELECT workspace, user_id FROM saved_searches WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM templates WHERE id IN (SELECT id FROM templates WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE workspace = ?1 LIMIT ?2)",
  "DELETE FROM notified_events WHERE (workspace, key) IN (SELECT workspace, key FROM notified_events WHERE workspace = ?1 LIMIT ?2)",
  deleteByKey("erasures", "workspace, id"),
  DELETE_RESPONSES,
];

/**
 * Deletes up to 1,000 rows of each table of a deleted workspace, first in its mail database, then in the main one. Safe to
 * repeat. Returns true when everything, its own row included, is deleted.
 */
export async function purgeWorkspace(ctx: Ctx, { workspace, id }: { workspace: number; id: string }): Promise<boolean> {
  const mailCtx = await onShardOf(ctx, workspace);
  if (mailCtx && !(await purgeMail(mailCtx, { number: workspace, id }))) return false;
  if (!(await isLastStep(ctx.db, deletions(ctx.db, MAIN_STEPS, workspace)))) return false;
  if (!(await deleteObjects(ctx, [r2Keys.workspace(id), ...responsePrefixes(workspace, ctx.now())]))) return false;
  await ctx.db.prepare("DELETE FROM workspaces WHERE number = ?1 AND deleted_at IS NOT NULL").bind(workspace).run();
  return true;
}

function purgeMail(ctx: MailCtx, workspace: { number: number; id: string }): Promise<boolean> {
  const db = ctx.mail;
  // Closed before its emails are deleted, so that no send can add one afterwards. The closed row stays.
  const close = closeStatement(ctx, workspace);
  return isLastStep(db, [close, ...deletions(db, MAIL_STEPS, workspace.number), rewindContentProgressStatement(ctx)]);
}

function deletions<Kind extends DatabaseKind>(db: Database<Kind>, steps: readonly string[], workspace: number) {
  return steps.map((sql) => db.prepare(sql).bind(workspace, ROWS_PER_STATEMENT));
}

/** Runs one step. Returns true when no statement deleted as many rows as it may. */
async function isLastStep<Kind extends DatabaseKind>(
  db: Database<Kind>,
  statements: readonly Statement<NoInfer<Kind>>[],
): Promise<boolean> {
  const results = await db.batch(statements);
  return results.every(({ meta }) => meta.changes < ROWS_PER_STATEMENT);
}
