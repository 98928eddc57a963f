import type { Ctx, Database, DatabaseKind, MailCtx } from "../../platform/context.ts";
import { deletedKeys, deletePage } from "../../platform/db/byte-pages.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { closeStatement } from "../../platform/db/shard-workspaces.ts";
import { responsePrefixes } from "../../platform/idempotency/large-responses.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { rewindContentProgressStatement } from "../../sending/emails/content/index.ts";
import { deleteObjects } from "./objects.ts";

/** Rows that one statement deletes: few enough for a transaction of milliseconds. */
const ROWS_PER_STATEMENT = 1_000;

const deleteByKey = (table: string, key: string, condition = "workspace = ?1") =>
  deletePage(table, key, `WHERE ${condition} LIMIT ?2`);

const OF_BROADCASTS: Readonly<Record<string, string>> = {
  broadcast_variants: "broadcast, id",
  broadcast_parts: "broadcast",
  broadcast_counts: "broadcast, variant",
  broadcast_clicks: "broadcast, url",
  broadcast_members: "broadcast, contact",
  broadcast_repeated: "broadcast, contact",
  broadcast_pending: "broadcast, contact",
  broadcast_skipped: "broadcast, contact",
};

// A broadcast is deleted last, since these rows are found by it.
const HAS_NO_ROWS = [...Object.keys(OF_BROADCASTS), "outbox"]
  .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.broadcast = broadcasts.n)`)
  .join(" AND ");

// The two days whose responses may be stored still, and one on each side for clocks that differ.
const DELETE_RESPONSES = deleteByKey(
  "idempotency_keys",
  "day, workspace, key",
  "day IN (SELECT unixepoch() / 86400 + value FROM json_each('[-2,-1,0,1]')) AND workspace = ?1",
);

// Outbox rows first, so that the broadcasts of some still exist when they are selected.
const OUTBOX_STEPS = [
  deleteByKey("outbox", "id", "workspace = ?1 AND broadcast IS NULL"),
  deleteByKey("quarantine", "id"),
  deleteByKey("held_outbox", "id"),
];

const MAIL_STEPS = [
  ...OUTBOX_STEPS,
  "DELETE FROM outbox WHERE id IN (SELECT o.id FROM broadcasts b CROSS JOIN outbox o ON o.broadcast = b.n WHERE b.workspace = ?1 LIMIT ?2)",
  `DELETE FROM email_search WHERE rowid IN (${deletedKeys("emails", "n", "WHERE workspace = ?1 LIMIT ?2")})`,
  deleteByKey("emails", "n"),
  deleteByKey("changes", "workspace, at_us"),
  deleteByKey("inbound_emails", "n"),
  deleteByKey("webhook_deliveries", "n"),
  deleteByKey("webhook_endpoints", "id"),
  deleteByKey("contacts", "n"),
  deleteByKey("contact_lists", "n"),
  deleteByKey("broadcast_pages", "workspace, broadcast, last_n"),
  ...Object.entries(OF_BROADCASTS).map(([table, key]) =>
    deleteByKey(table, key, "broadcast IN (SELECT n FROM broadcasts WHERE workspace = ?1)"),
  ),
  deleteByKey("broadcasts", "n", `workspace = ?1 AND ${HAS_NO_ROWS}`),
  deleteByKey("outage_workspaces", "workspace"),
  deleteByKey("retried_addresses", "workspace, email"),
  deleteByKey("rollups_hourly", "workspace, hour, domain"),
  deleteByKey("rollups_daily", "workspace, day, domain"),
  deleteByKey("rollups_totals", "workspace, hour"),
  deleteByKey("confirmations", "workspace, email_key, list"),
  deleteByKey("consents", "workspace, email_key, id"),
  deleteByKey("unread_events", "workspace, n"),
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
  deleteByKey("suppressions", "workspace, email"),
  deleteByKey("topic_choices", "workspace, email, topic"),
  deleteByKey("topics", "n"),
  deleteByKey("domain_failures", "workspace, email"),
  deleteByKey("soft_bounces", "workspace, email"),
  deleteByKey("forwarding_rules", "id"),
  deleteByKey("forward_targets", "workspace, address"),
  deleteByKey("saved_searches", "workspace, user_id"),
  deleteByKey("templates", "id"),
  deleteByKey("notifications", "id"),
  deleteByKey("notified_events", "workspace, key"),
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
  if (!isDone(await ctx.db.batch(deletions(ctx.db, MAIN_STEPS, workspace)))) return false;
  if (!(await deleteObjects(ctx, [r2Keys.workspace(id), ...responsePrefixes(workspace, ctx.now())]))) return false;
  await ctx.db.execute("DELETE FROM workspaces WHERE number = ?1 AND deleted_at IS NOT NULL", workspace);
  return true;
}

async function purgeMail(ctx: MailCtx, workspace: { number: number; id: string }): Promise<boolean> {
  const db = ctx.mail;
  // Closed before its emails are deleted, so that no send can add one afterwards. The closed row stays.
  const close = closeStatement(ctx, workspace);
  const steps = deletions(db, MAIL_STEPS, workspace.number);
  return isDone((await db.batch([close, ...steps, rewindContentProgressStatement(ctx)])).slice(1, -1));
}

function deletions<Kind extends DatabaseKind>(db: Database<Kind>, steps: readonly string[], workspace: number) {
  return steps.map((sql) => db.prepare(sql).bind(workspace, ROWS_PER_STATEMENT));
}

const isDone = (deletions: readonly D1Result[]) => deletions.every(({ meta }) => meta.changes === 0);
