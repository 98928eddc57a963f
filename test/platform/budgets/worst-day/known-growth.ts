/**
 * MEASURED BY CRON: places whose budget the service measures from time to time instead of at each INSERT. An attack on them may go on
 * until the next measurement, so it may not be refused yet. Remove an entry when its INSERT counts.
 */
export const measuredByCron: readonly string[] = [
  "main audit_log",
  "main idempotency_keys",
  "main notifications",
  "main notified_events",
  "main suppressions",
  "main topic_choices",
  "mail broadcasts",
  "mail contacts",
  "mail emails",
  "mail events",
  "mail inbound_emails",
  "mail webhook_deliveries",
  "R2 emails",
  "R2 batches",
  "R2 packs",
  "R2 broadcasts",
  "R2 templates",
  // A mailbox has at most 500 uploads, which each call counts, and the rest within its quota.
  "R2 mailboxes",
  // Each writes an audit entry.
  "main api_keys",
  "main erasures",
  "main smtp_credentials",
  // Each has a row in the main database, of which cron counts those of a workspace.
  "R2 responses",
];

/**
 * FINDINGS: places that neither a budget nor a reason bounds, with the attacks that grow them. One that a budget ends fails the test
 * until it leaves the list.
 */
export const findings: Readonly<Record<string, readonly string[]>> = {};
