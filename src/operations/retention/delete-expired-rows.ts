import { MAIL_WINDOW_MS as CONFIRMATION_MAIL_WINDOW_MS } from "../../audience/consent/index.ts";
import { EXPIRED_KEPT_MS } from "../../identity/invitations/index.ts";
import { UNUSED_CLIENT_TTL_MS } from "../../identity/oauth/index.ts";
import { DAY_MS } from "../../lib/time.ts";
import { NOTIFICATION_DAYS } from "../../notices/notifications/index.ts";
import { DELIVERY_DAYS } from "../../notices/webhooks/index.ts";
import { AUDIT_RETENTION_DAYS, firstIdAt } from "../../platform/audit/rules.ts";
import type { Ctx, Database, DatabaseKind, MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { eventLimits } from "../../platform/person-events/rules.ts";
import { VOLUME_DAYS, WARM_UP_KEPT_DAYS } from "../../sending/receivers/index.ts";
import { DOMAIN_FAILURE_DAYS, SOFT_BOUNCE_DAYS } from "../../sending/suppressions/index.ts";
import { boundsOf, type OwnDays } from "./own-days.ts";
import { emailCutoff, ROWS_PER_STEP, rollupCutoff } from "./rules.ts";

// CROSS JOIN makes SQLite seek by workspace, so a statement reads no more rows than it deletes.
const deleteOld = (workspaces: "workspaces" | "shard_workspaces", table: string, time: string, key: string) =>
  deleteByKey(table, key, `${workspaces} w CROSS JOIN ${table} t ON t.workspace = w.number AND t.${time} < ?1`);
const deleteByKey = (table: string, key: string, from: string) => `
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key
      .split(", ")
      .map((column) => `t.${column}`)
      .join(", ")} FROM ${from} LIMIT ?2)`;
/** The same for workspaces with bounds of their own, by number in the JSON of ?1 (`boundsOf`). */
const deleteOwn = (table: string, time: string, key: string) =>
  deleteByKey(table, key, `json_each(?1) j CROSS JOIN ${table} t ON t.workspace = j.key AND t.${time} < j.value`);

const CHANGE_KEY = "workspace, at_us";
const DELETE_CHANGES = deleteOld("shard_workspaces", "changes", "at_us", CHANGE_KEY);
// A workspace that only receives has no row in shard_workspaces.
const DELETE_INBOUND =
  "DELETE FROM inbound_emails WHERE n IN (SELECT n FROM inbound_emails ORDER BY n LIMIT ?2) AND received_at < ?1";
const DELETE_OWN_INBOUND = `
  DELETE FROM inbound_emails WHERE n IN (
    SELECT i.n FROM json_each(?1) j CROSS JOIN inbound_emails i
        ON i.workspace = j.key AND i.n <= (SELECT max(n) FROM (SELECT n FROM inbound_emails WHERE workspace = j.key ORDER BY n LIMIT ?2))
     WHERE i.received_at < j.value LIMIT ?2)`;
const DELETE_WEBHOOK_DELIVERIES =
  "DELETE FROM webhook_deliveries WHERE n IN (SELECT n FROM webhook_deliveries ORDER BY n LIMIT ?2) AND created_at < ?1";
const DELETE_EVENTS = "DELETE FROM events WHERE n IN (SELECT n FROM events ORDER BY n LIMIT ?2) AND created_at < ?1";
// A person who may enter once is known by the run; it keeps no more than that.
const DELETE_RUNS = `
  DELETE FROM automation_runs WHERE n IN (
    SELECT n FROM automation_runs INDEXED BY automation_runs_by_end WHERE ended_at < ?1 AND entry_key <> '' LIMIT ?2)`;
const CLEAR_RUNS = `
  UPDATE automation_runs SET data = '{}', history = '', ended_at = NULL WHERE n IN (
    SELECT n FROM automation_runs INDEXED BY automation_runs_by_end WHERE ended_at < ?1 AND entry_key = '' LIMIT ?2)`;
const DELETE_HOURLY_ROLLUPS = deleteOld("shard_workspaces", "rollups_hourly", "hour", "workspace, hour, domain");
const DELETE_TOTALS = deleteOld("shard_workspaces", "rollups_totals", "hour", "workspace, hour");
/** Tables by day, with their keys. */
const DAILY: Readonly<Record<string, string>> = {
  rollups_daily: "workspace, day, domain",
  domain_reports: "workspace, day, domain_id, kind, organization, report_id",
  dmarc_sources: "workspace, day, domain_id, source, aligned, disposition",
  tls_sessions: "workspace, day, domain_id, failure, server",
};
const DELETE_RETRIED_ADDRESSES =
  "DELETE FROM retried_addresses WHERE (workspace, email) IN (SELECT workspace, email FROM retried_addresses WHERE newest < ?1 LIMIT ?2)";
const DELETE_CONFIRMATIONS =
  "DELETE FROM confirmations WHERE (workspace, email_key, list) IN (SELECT workspace, email_key, list FROM confirmations WHERE requested_at IS NULL AND last_at < ?1 LIMIT ?2)";
const DELETE_DOMAIN_FAILURES = deleteOld("workspaces", "domain_failures", "first_at", "workspace, email");
const DELETE_SOFT_BOUNCES =
  "DELETE FROM soft_bounces WHERE (workspace, email) IN (SELECT workspace, email FROM soft_bounces WHERE last_at < ?1 AND listed_at IS NULL LIMIT ?2)";
const DELETE_RECEIVER_DOMAINS =
  "DELETE FROM receiver_domains WHERE domain IN (SELECT domain FROM receiver_domains WHERE seen_at < ?1 LIMIT ?2)";
const DELETE_EGRESS_WAITS =
  "DELETE FROM egress_waits WHERE (receiver, egress) IN (SELECT receiver, egress FROM egress_waits WHERE until < ?1 LIMIT ?2)";
// An earlier version may still write these.
const DELETE_RECEIVER_WAITS =
  "DELETE FROM receiver_waits WHERE (receiver, is_bulk) IN (SELECT receiver, is_bulk FROM receiver_waits WHERE until < ?1 LIMIT ?2)";
const DELETE_VOLUME =
  "DELETE FROM egress_volume WHERE (address, receiver, day) IN (SELECT address, receiver, day FROM egress_volume WHERE day < ?1 LIMIT ?2)";
const DELETE_WARM_UPS =
  "DELETE FROM egress_warm_ups WHERE address IN (SELECT address FROM egress_warm_ups WHERE seen_at < ?1 LIMIT ?2)";
const DELETE_DEAD_LETTERS =
  "DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters WHERE recorded_at < ?1 LIMIT ?2)";

const DELETE_INVITATIONS =
  "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < ?1 LIMIT ?2)";
const DELETE_AUDIT = "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < ?1 LIMIT ?2)";
// As long as the audit entries about them. Their tokens are deleted with them.
const DELETE_TRANSFERS = `
  DELETE FROM domain_transfers WHERE id IN (
    SELECT id FROM domain_transfers WHERE id < ?1 AND status NOT IN ('pending', 'accepted') LIMIT ?2)`;
const DELETE_NOTIFICATIONS =
  "DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE id < ?1 LIMIT ?2)";
const DELETE_NOTIFIED_EVENTS =
  "DELETE FROM notified_events WHERE (workspace, key) IN (SELECT workspace, key FROM notified_events WHERE id < ?1 LIMIT ?2)";
const DELETE_UNUSED_CLIENTS =
  "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE used_at IS NULL AND created_at < ?1 LIMIT ?2)";

/** Tables of credentials that end at `expires_at`, by their keys. */
const EXPIRING: Readonly<Record<string, string>> = {
  sessions: "id",
  mailbox_sessions: "id",
  refresh_tokens: "hash",
  one_time_tokens: "hash",
  // Its codes and access tokens are deleted with it.
  oauth_grants: "id",
  oauth_access_tokens: "hash",
  mailbox_openings: "id",
};

/** The jobs that delete expired rows from the main database, one for each table. */
export function expiredMainRows(ctx: Ctx): Steps[] {
  const now = ctx.now();
  const audited = firstIdAt(emailCutoff(now, AUDIT_RETENTION_DAYS));
  const notified = firstIdAt(emailCutoff(now, NOTIFICATION_DAYS));
  const deletions: [string, number | string][] = [
    [DELETE_DOMAIN_FAILURES, now - DOMAIN_FAILURE_DAYS * DAY_MS],
    [DELETE_SOFT_BOUNCES, now - SOFT_BOUNCE_DAYS * DAY_MS],
    [DELETE_RECEIVER_DOMAINS, now - VOLUME_DAYS * DAY_MS],
    [DELETE_EGRESS_WAITS, now - DAY_MS],
    [DELETE_RECEIVER_WAITS, now - DAY_MS],
    [DELETE_VOLUME, Math.floor(now / DAY_MS) - VOLUME_DAYS],
    [DELETE_WARM_UPS, now - WARM_UP_KEPT_DAYS * DAY_MS],
    [DELETE_DEAD_LETTERS, emailCutoff(now, ctx.settings.retentionDays)],
    [DELETE_INVITATIONS, now - EXPIRED_KEPT_MS],
    [DELETE_AUDIT, audited],
    [DELETE_TRANSFERS, audited],
    [DELETE_NOTIFICATIONS, notified],
    [DELETE_NOTIFIED_EVENTS, notified],
    ...Object.entries(EXPIRING).map(([table, key]): [string, number] => [
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE expires_at <= ?1 LIMIT ?2)`,
      now,
    ]),
    [DELETE_UNUSED_CLIENTS, now - UNUSED_CLIENT_TTL_MS],
  ];
  return deletions.map(([sql, before]) => deleteBefore(ctx.db, sql, before));
}

/** The jobs that delete expired rows beside emails from a mail database, one for each table and bound. */
export function expiredMailRows(ctx: MailCtx, ownDays: OwnDays): Steps[] {
  const { retentionDays } = ctx.settings;
  const now = ctx.now();
  const cutoff = emailCutoff(now, retentionDays);
  const { hour, day } = rollupCutoff(now, retentionDays);
  const ofAll: [string, number | string][] = [
    // The ids of emails begin with their time. A retry that is deleted does not count (emails/retry).
    [DELETE_RETRIED_ADDRESSES, firstIdAt(cutoff)],
    [DELETE_CONFIRMATIONS, now - CONFIRMATION_MAIL_WINDOW_MS],
    [DELETE_CHANGES, cutoff * 1000],
    [DELETE_INBOUND, cutoff],
    [DELETE_WEBHOOK_DELIVERIES, emailCutoff(now, DELIVERY_DAYS)],
    [DELETE_EVENTS, now - eventLimits.keptMs],
    [DELETE_RUNS, now - eventLimits.keptMs],
    [CLEAR_RUNS, now - eventLimits.keptMs],
    [DELETE_HOURLY_ROLLUPS, hour],
    [DELETE_TOTALS, hour],
    ...Object.entries(DAILY).map(([table, key]): [string, number] => [
      deleteOld("shard_workspaces", table, "day", key),
      day,
    ]),
  ];
  const dayOf = (days: number) => rollupCutoff(now, days).day;
  const ofSome: [string, string][] = [
    [
      deleteOwn("retried_addresses", "newest", "workspace, email"),
      boundsOf(ownDays, (days) => firstIdAt(emailCutoff(now, days))),
    ],
    [deleteOwn("changes", "at_us", CHANGE_KEY), boundsOf(ownDays, (days) => emailCutoff(now, days) * 1000)],
    [DELETE_OWN_INBOUND, boundsOf(ownDays, (days) => emailCutoff(now, days))],
    ...Object.entries(DAILY).map(([table, key]): [string, string] => [
      deleteOwn(table, "day", key),
      boundsOf(ownDays, dayOf),
    ]),
  ];
  return [...ofAll, ...(ownDays.size > 0 ? ofSome : [])].map(([sql, before]) => deleteBefore(ctx.mail, sql, before));
}

/** Deletes page after page until none is left. */
async function* deleteBefore<Kind extends DatabaseKind>(
  db: Database<Kind>,
  sql: string,
  before: number | string,
): Steps {
  for (;;) {
    const { meta } = await db.prepare(sql).bind(before, ROWS_PER_STEP).run();
    if (meta.changes < ROWS_PER_STEP) return;
    yield;
  }
}
