import type * as mail from "../db/schema/mail/index.ts";
import { bothBudgets } from "./both-tables.ts";
import { type Budget, ofService } from "./budget.ts";
import type { TableOf } from "./main-tables.ts";

const ofShare = "a database that is nearly full refuses the workspaces above their equal share (`requireMailSpace`)";
const ofEmails = "an email that is kept has some, deleted with it";
const ofBroadcast = "a broadcast has one for each contact, link or page, deleted with it or after it";
const byDay =
  "the service writes one for each hour or day and domain, whatever is sent, and deletes it with the emails";

/** The budgets of the tables of a mail database. A table without one does not compile. */
export const mailBudgets = {
  ...bothBudgets,
  automations: {
    rows: 500,
    of: "automations, also archived ones",
    remedy: "ask the operator for more",
  },
  automation_versions: {
    rows: 1_000,
    of: "versions that people have entered",
    remedy: "create another automation, and archive this one",
    owner: { column: "automation", kind: "automation" },
  },
  automation_counts: { bound: "a version has one for each step" },
  automation_runs: { bound: "an event begins one of each automation, and ended ones are deleted with the events" },
  automation_daily_emails: { bound: "a person has one a day, deleted after it" },
  automation_engine: { bound: ofService },
  broadcasts: {
    rows: 500,
    of: "drafts of broadcasts",
    remedy: "send or delete one first",
    where: "status = 'draft'",
  },
  broadcast_variants: {
    rows: 10,
    of: "variants",
    remedy: "delete one first",
    owner: { column: "broadcast", kind: "broadcast" },
  },
  idempotency_keys: {
    bound: "they are deleted after two days, and a database that is nearly full refuses those who fill it",
  },
  broadcast_parts: { bound: "a content has as many as its bytes need" },
  broadcast_counts: { bound: ofBroadcast },
  broadcast_clicks: { bound: ofBroadcast },
  broadcast_skipped: { bound: ofBroadcast },
  broadcast_members: { bound: ofBroadcast },
  broadcast_repeated: { bound: ofBroadcast },
  broadcast_pending: { bound: ofBroadcast },
  broadcast_pages: { bound: ofBroadcast },
  contact_lists: { rows: 10_000, of: "contact lists", remedy: "delete one first" },
  contacts: { rows: 2_000_000, isMeasured: true, of: "contacts", remedy: "delete some first" },
  confirmations: { bound: "a pending contact has one, deleted with its request" },
  consents: {
    rows: 1_000,
    of: "records of consent",
    remedy: "erase the person first",
    owner: { column: "email_key", kind: "person" },
  },
  consent_words: { bound: "one for each wording of a list or form, which a consent names" },
  contact_forms: { rows: 20, of: "forms", remedy: "delete one first", owner: { column: "list", kind: "list" } },
  segments: { rows: 200, of: "segments", remedy: "delete one first" },
  person_activity: { bound: "a person who was mailed has one" },
  events: {
    rows: 10_000_000,
    isMeasured: true,
    of: "events",
    remedy: "wait until the first are 90 days old",
  },
  unread_events: { bound: "events are refused while the first of a workspace has waited for ten minutes" },
  emails: { bound: ofShare },
  changes: { bound: ofEmails },
  content_progress: { bound: ofService },
  retried_addresses: { bound: ofEmails },
  search_progress: { bound: ofService },
  inbound_emails: { bound: ofShare },
  domain_reports: { bound: "a domain takes some reports a day, deleted with the emails" },
  dmarc_sources: { bound: "a domain takes some reports a day, deleted with the emails" },
  tls_sessions: { bound: "a domain takes some reports a day, deleted with the emails" },
  outage_workspaces: { bound: "a workspace has one" },
  shard_workspaces: { bound: "a workspace has one" },
  rollups_hourly: { bound: byDay },
  rollups_daily: { bound: byDay },
  rollups_progress: { bound: ofService },
  rollups_totals: { bound: byDay },
  rollups_closed: { bound: ofService },
  rate_snapshots: { bound: ofService },
  webhook_endpoints: { bound: "a webhook has one" },
  webhook_deliveries: { bound: ofShare },
} as const satisfies Record<TableOf<typeof mail>, Budget>;
