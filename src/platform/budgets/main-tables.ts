import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../../lib/time.ts";
import type * as main from "../db/schema/main/index.ts";
import { bothBudgets } from "./both-tables.ts";
import { type Budget, ofService } from "./budget.ts";

/** The names of the tables of a schema. */
export type TableOf<Schema> = {
  [Key in keyof Schema]: Schema[Key] extends SQLiteTable ? Schema[Key]["_"]["name"] : never;
}[keyof Schema];

const ofUsers = "a user has one for each of its own memberships, providers or devices";
const ofDomain = "a domain has some";
const expires = "each ends and is deleted at its time, and the calls that make them have rates";

/** The budgets of the tables of the main database. A table without one does not compile. */
export const mainBudgets = {
  ...bothBudgets,
  users: { bound: "one for each address that has signed in by a link; links have rates" },
  workspaces: {
    rows: 100,
    of: "workspaces",
    remedy: "delete one first",
    owner: { column: "user_id", kind: "user" },
    table: "memberships",
    where: "role = 'owner'",
  },
  idempotency_keys: {
    rows: 1_000_000,
    isMeasured: true,
    of: "responses under an Idempotency-Key",
    remedy: "wait until the first are two days old",
    where: `day IN (:now / ${DAY_MS}, :now / ${DAY_MS} - 1)`,
  },
  memberships: { rows: 1_000, of: "members", remedy: "remove one first" },
  api_keys: {
    rows: 100,
    of: "valid API keys",
    remedy: "revoke one first",
    where: "revoked_at IS NULL AND replaced_by_id IS NULL AND (expires_at IS NULL OR expires_at > :now)",
  },
  invitations: { rows: 50, of: "open invitations", remedy: "withdraw one first", where: "expires_at > :now" },
  domain_transfers: { bound: "a user initiates some in a minute, and ended ones are deleted with their audit entries" },
  domain_transfer_tokens: { bound: "a transfer has some, deleted with it" },
  domain_transfer_keys: { bound: "a transfer has some, deleted with it" },
  domains: { rows: 1_000, of: "domains", remedy: "delete one first" },
  dkim_keys: { bound: ofDomain },
  custom_hosts: { bound: ofDomain },
  zone_records: { bound: ofDomain },
  zones: { bound: ofService },
  receiver_domains: { bound: "the service writes them by the receivers' own answers, and deletes them after days" },
  receiver_waits: { bound: ofService },
  egress_waits: { bound: ofService },
  egress_volume: { bound: ofService },
  egress_outages: { bound: ofService },
  egress_probe: { bound: ofService },
  egress_warm_ups: { bound: ofService },
  blocked_hosts: { bound: "operators write it" },
  mailboxes: { rows: 1_000, of: "mailboxes", remedy: "delete one first" },
  mailbox_aliases: {
    rows: 100,
    of: "aliases",
    remedy: "delete one first",
    owner: { column: "mailbox_id", kind: "mailbox" },
  },
  mailbox_assignees: { bound: "a member is assigned to a mailbox once" },
  mailbox_openings: { bound: expires },
  forwarding_rules: { rows: 200, of: "forwarding rules", remedy: "delete one first" },
  forward_targets: {
    rows: 1_000,
    of: "outside addresses for forwards",
    remedy: "ask the operator for more",
  },
  auto_replies: { bound: "a mailbox has one" },
  notifications: {
    rows: 100_000,
    isMeasured: true,
    of: "notifications",
    remedy: "further ones are left out until the first are deleted",
  },
  notification_preferences: { bound: ofUsers },
  notified_events: { bound: "a cause has one, deleted with the notifications" },
  webhooks: { rows: 50, of: "webhooks", remedy: "delete one first" },
  oauth_clients: { bound: "an address registers some in an hour, and unused ones are deleted" },
  oauth_grants: { bound: expires },
  oauth_codes: { bound: expires },
  oauth_access_tokens: { bound: expires },
  audit_log: {
    rows: 1_000_000,
    isMeasured: true,
    of: "audit entries",
    remedy: "ask the operator for more, or wait until the first are a year old",
  },
  cron_runs: { bound: ofService },
  service_keys: { bound: ofService },
  daily_figures: { bound: ofService },
  dead_letters: { bound: "the service writes them when its own code fails, and deletes them after days" },
  mail_shards: { bound: ofService },
  object_sweep: { bound: ofService },
  restores: { bound: "operators write it" },
  restored_files: { bound: "operators write it" },
  erasures: { bound: "each writes an audit entry, and those have a budget" },
  templates: { rows: 1_000, bytes: 100_000_000, of: "templates", remedy: "delete one first" },
  topics: { rows: 100, of: "topics", remedy: "delete one first" },
  topic_choices: {
    rows: 5_000_000,
    isMeasured: true,
    of: "choices about topics",
    remedy: "delete a topic first",
  },
  saved_searches: { bound: "a user has one row in a workspace" },
  smtp_credentials: { bound: "each writes an audit entry, and those have a budget" },
  suppressions: { rows: 2_000_000, isMeasured: true, of: "suppressed addresses", remedy: "remove some first" },
  soft_bounces: { bound: "an address that was mailed has one, deleted after days" },
  domain_failures: { bound: "an address that was mailed has one, deleted after days" },
  one_time_tokens: { bound: expires },
  user_totp: { bound: ofUsers },
  recovery_codes: { bound: ofUsers },
  identities: { bound: ofUsers },
  mailbox_passwords: { bound: "a mailbox has one" },
  app_passwords: {
    rows: 20,
    of: "app passwords",
    remedy: "delete one first",
    owner: { column: "mailbox_id", kind: "mailbox" },
  },
  mailbox_sessions: { bound: expires },
  sessions: { bound: expires },
  refresh_tokens: { bound: expires },
} as const satisfies Record<TableOf<typeof main>, Budget>;
