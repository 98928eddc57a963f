/**
 * The tables that have rows about a person. To add one, add a line. `kind` is the name in the receipt; rows of one kind are summed. Tables of
 * hosted mailboxes, accounts and settings are not about persons to whom the workspace sends.
 */

/** A table whose rows about a person are deleted, by a column with the canonical address. */
interface PersonRows {
  kind: string;
  table: string;
  /** Columns of the primary key. */
  key: string;
  email: string;
}

export const MAIL_ROWS: readonly PersonRows[] = [
  { kind: "contacts", table: "contacts", key: "n", email: "email_key" },
  { kind: "confirmations", table: "confirmations", key: "workspace, email_key, list", email: "email_key" },
  { kind: "consents", table: "consents", key: "workspace, email_key, id", email: "email_key" },
  { kind: "automation_runs", table: "automation_runs", key: "n", email: "email_key" },
  {
    kind: "automation_runs",
    table: "automation_daily_emails",
    key: "workspace, email_key",
    email: "email_key",
  },
  { kind: "events", table: "events", key: "n", email: "email_key" },
  { kind: "activity", table: "person_activity", key: "workspace, email_key", email: "email_key" },
  { kind: "retries", table: "retried_addresses", key: "workspace, email", email: "email" },
];

export const EVENT_ROWS = MAIL_ROWS.filter(({ kind }) => kind === "events");

export const MAIN_ROWS: readonly PersonRows[] = [
  { kind: "suppressions", table: "suppressions", key: "workspace, email", email: "email" },
  { kind: "soft_bounces", table: "soft_bounces", key: "workspace, email", email: "email" },
  { kind: "topic_choices", table: "topic_choices", key: "workspace, email, topic", email: "email" },
  { kind: "domain_failures", table: "domain_failures", key: "workspace, email", email: "email" },
];

/** A table with texts that may name a person: the address in them is replaced. Its rows are read in the order of `key`. */
export interface PersonTexts {
  kind: string;
  table: string;
  /** Columns that identify a row within its workspace, by an index that begins with the workspace. */
  key: readonly string[];
  columns: readonly string[];
  /** SQL expression of the number of the workspace. Without it, the column `workspace`. */
  workspace?: string;
}

export const MAIL_TEXTS: readonly PersonTexts[] = [
  {
    kind: "webhook_deliveries",
    table: "webhook_deliveries",
    key: ["id"],
    columns: ["payload", "url", "response_body", "error"],
  },
];

export const MAIN_TEXTS: readonly PersonTexts[] = [
  { kind: "audit_entries", table: "audit_log", key: ["id"], columns: ["target_id", "detail"] },
  { kind: "notifications", table: "notifications", key: ["user_id", "id"], columns: ["title", "body", "href"] },
  // A message that no consumer could process: a click has its URL.
  {
    kind: "dead_letters",
    table: "dead_letters",
    key: ["id"],
    columns: ["body"],
    workspace: "CASE WHEN json_valid(body) THEN body->>'workspace' END",
  },
  { kind: "saved_searches", table: "saved_searches", key: ["user_id"], columns: ["searches"] },
];
