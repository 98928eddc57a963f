import { MAIL_WINDOW_MS as CONFIRMATION_MAIL_WINDOW_MS } from "../../audience/consent/index.ts";
import { EXPIRED_KEPT_MS } from "../../identity/invitations/index.ts";
import { UNUSED_CLIENT_TTL_MS } from "../../identity/oauth/index.ts";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { NOTIFICATION_DAYS } from "../../notices/notifications/index.ts";
import { DELIVERY_DAYS } from "../../notices/webhooks/index.ts";
import { AUDIT_RETENTION_DAYS, firstIdAt } from "../../platform/audit/rules.ts";
import type { Ctx, Database, DatabaseKind, MailCtx } from "../../platform/context.ts";
import { deletedKeys, deletePage } from "../../platform/db/byte-pages.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { eventLimits } from "../../platform/person-events/rules.ts";
import { VOLUME_DAYS, WARM_UP_KEPT_DAYS } from "../../sending/receivers/index.ts";
import { DOMAIN_FAILURE_DAYS, SOFT_BOUNCE_DAYS } from "../../sending/suppressions/index.ts";
import { boundsOf, type OwnDays } from "./own-days.ts";
import { emailCutoff, ROWS_PER_STEP, rollupCutoff } from "./rules.ts";

/** The rows of a table that a condition finds. */
const expired = (table: string, key: string, condition: string) =>
  deletePage(table, key, `WHERE ${condition} LIMIT ?2`);

// Each statement takes the workspaces in another order, so that one with many rows keeps none of another. CROSS JOIN makes SQLite seek by
// workspace, so a statement reads no more rows of the table than it deletes.
const deleteByKey = (table: string, key: string, from: string, condition: string) => `
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key.replace(/\w+/g, "t.$&")} FROM ${shuffled(from)} w CROSS JOIN ${table} t ON ${condition} LIMIT ?2)`;
const shuffled = (from: string) => `(SELECT * FROM ${from} ORDER BY random() LIMIT -1)`;
const deleteOld = (table: string, time: string, key: string, workspaces = "shard_workspaces") =>
  deleteByKey(table, key, workspaces, `t.workspace = w.number AND t.${time} < ?1`);
/** The same for workspaces with bounds of their own, by number in the JSON of ?1 (`boundsOf`). */
const deleteOwn = (table: string, time: string, key: string) =>
  deleteByKey(table, key, "json_each(?1)", `t.workspace = w.key AND t.${time} < w.value`);

/** The rows with the least `n` that have expired. A workspace that only receives has no row in shard_workspaces. */
const deleteOldest = (table: string, time: string) =>
  `DELETE FROM ${table} WHERE n IN (${deletedKeys(table, "n", "ORDER BY n LIMIT ?2")}) AND ${time} < ?1`;
const OWN_INBOUND = `
  SELECT i.n FROM ${shuffled("json_each(?1)")} j CROSS JOIN inbound_emails i
      ON i.workspace = j.key AND i.n <= (SELECT max(n) FROM (SELECT n FROM inbound_emails WHERE workspace = j.key ORDER BY n LIMIT ?2))
   WHERE i.received_at < j.value LIMIT ?2`;
const endedRuns = (condition: string) =>
  `INDEXED BY automation_runs_by_end WHERE ended_at < ?1 AND ${condition} LIMIT ?2`;
// A person who may enter once is known by the run; it keeps no more than that.
const CLEAR_RUNS = `
  UPDATE automation_runs SET data = '{}', history = '', ended_at = NULL WHERE n IN (
    ${deletedKeys("automation_runs", "n", endedRuns("entry_key = ''"))})`;
/** Tables by day, with their keys. */
const DAILY: Readonly<Record<string, string>> = {
  rollups_daily: "workspace, day, domain",
  domain_reports: "workspace, day, domain_id, kind, organization, report_id",
  dmarc_sources: "workspace, day, domain_id, source, aligned, disposition",
  tls_sessions: "workspace, day, domain_id, failure, server",
};
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
    [deleteOld("domain_failures", "first_at", "workspace, email", "workspaces"), now - DOMAIN_FAILURE_DAYS * DAY_MS],
    [
      expired("soft_bounces", "workspace, email", "last_at < ?1 AND listed_at IS NULL"),
      now - SOFT_BOUNCE_DAYS * DAY_MS,
    ],
    [expired("receiver_domains", "domain", "seen_at < ?1"), now - VOLUME_DAYS * DAY_MS],
    [expired("egress_waits", "receiver, egress", "until < ?1"), now - DAY_MS],
    // An earlier version may still write these.
    [expired("receiver_waits", "receiver, is_bulk", "until < ?1"), now - DAY_MS],
    [expired("egress_volume", "address, receiver, day", "day < ?1"), dayOf(now) - VOLUME_DAYS],
    [expired("egress_warm_ups", "address", "seen_at < ?1"), now - WARM_UP_KEPT_DAYS * DAY_MS],
    [expired("dead_letters", "id", "recorded_at < ?1"), emailCutoff(now, ctx.settings.retentionDays)],
    [expired("invitations", "id", "expires_at < ?1"), now - EXPIRED_KEPT_MS],
    [expired("audit_log", "id", "id < ?1"), audited],
    // As long as the audit entries about them. Their tokens are deleted with them.
    [expired("domain_transfers", "id", "id < ?1 AND status NOT IN ('pending', 'accepted')"), audited],
    [expired("notifications", "id", "id < ?1"), notified],
    [expired("notified_events", "workspace, key", "id < ?1"), notified],
    ...Object.entries(EXPIRING).map(([table, key]): [string, number] => [expired(table, key, "expires_at <= ?1"), now]),
    [expired("oauth_clients", "id", "used_at IS NULL AND created_at < ?1"), now - UNUSED_CLIENT_TTL_MS],
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
    [expired("retried_addresses", "workspace, email", "newest < ?1"), firstIdAt(cutoff)],
    [
      expired("confirmations", "workspace, email_key, list", "requested_at IS NULL AND last_at < ?1"),
      now - CONFIRMATION_MAIL_WINDOW_MS,
    ],
    [deleteOld("changes", "at_us", "workspace, at_us"), cutoff * 1000],
    [deleteOldest("inbound_emails", "received_at"), cutoff],
    [deleteOldest("webhook_deliveries", "created_at"), emailCutoff(now, DELIVERY_DAYS)],
    [deleteOldest("events", "created_at"), now - eventLimits.keptMs],
    [deletePage("automation_runs", "n", endedRuns("entry_key <> ''")), now - eventLimits.keptMs],
    [CLEAR_RUNS, now - eventLimits.keptMs],
    [deleteOld("rollups_hourly", "hour", "workspace, hour, domain"), hour],
    [deleteOld("rollups_totals", "hour", "workspace, hour"), hour],
    ...Object.entries(DAILY).map(([table, key]): [string, number] => [deleteOld(table, "day", key), day]),
  ];
  const dayOf = (days: number) => rollupCutoff(now, days).day;
  const ofSome: [string, string][] = [
    [
      deleteOwn("retried_addresses", "newest", "workspace, email"),
      boundsOf(ownDays, (days) => firstIdAt(emailCutoff(now, days))),
    ],
    [deleteOwn("changes", "at_us", "workspace, at_us"), boundsOf(ownDays, (days) => emailCutoff(now, days) * 1000)],
    [
      deletePage("inbound_emails", "n", `WHERE n IN (${OWN_INBOUND})`),
      boundsOf(ownDays, (days) => emailCutoff(now, days)),
    ],
    ...Object.entries(DAILY).map(([table, key]): [string, string] => [
      deleteOwn(table, "day", key),
      boundsOf(ownDays, dayOf),
    ]),
  ];
  return [...ofAll, ...(ownDays.size > 0 ? ofSome : [])].map(([sql, before]) => deleteBefore(ctx.mail, sql, before));
}

/** Deletes page after page until none is left. */
async function* deleteBefore<Kind extends DatabaseKind>(db: Database<Kind>, sql: string, before: number | string) {
  for (;;) {
    const { meta } = await db.execute(sql, before, ROWS_PER_STEP);
    if (meta.changes === 0) return;
    yield;
  }
}
