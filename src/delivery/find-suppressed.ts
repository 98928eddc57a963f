import type { MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { MailStatement } from "../db/database.ts";
import { jsonChunks } from "../db/json-chunks.ts";
import { type EmailState, lacksKey, RECIPIENT_KEY_SQL, recipientKey } from "../emails/index.ts";
import type { Lease } from "../outbox/index.ts";

interface SuppressedRow {
  n: number;
  email: string;
}

// An unsubscribe applies to bulk and broadcast mail only, and a bounce does not stop a retry (decisions 4).
const APPLIES = `s.workspace = e.workspace AND (s.reason <> 'unsubscribe' OR e.source IN ('bulk', 'broadcast'))
  AND (s.reason <> 'bounce' OR e.retry_of_id IS NULL)`;

const FIND_SUPPRESSED = `
  SELECT e.n, s.email
    FROM outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value CROSS JOIN json_each(e.recipients) p
    CROSS JOIN suppressions s ON s.email = ${RECIPIENT_KEY_SQL} AND ${APPLIES}
   WHERE o.due_at = ?1 AND o.token = ?2`;

const FIND_SUPPRESSED_BY_KEY = `
  SELECT e.n, s.email FROM json_each(?1) k CROSS JOIN emails e ON e.n = k.value->>'n'
    CROSS JOIN suppressions s ON s.email = k.value->>'key' AND ${APPLIES}`;

/** Returns the statement that reads the suppressed recipients of the emails under a lease. */
export function findSuppressedStatement(ctx: MailCtx, lease: Lease): MailStatement {
  return mailDb(ctx).prepare(FIND_SUPPRESSED).bind(lease.until, lease.token);
}

/** Identifies a recipient of an email in the result of `suppressedRecipients`: a suppression may apply to one email only. */
export const suppressedName = (n: number, key: string) => `${n} ${key}`;

/**
 * Returns the names (`suppressedName`) of suppressed recipients: those that `findSuppressedStatement` found, and those of
 * emails that an older version stored without the key that SQL needs. Only the latter cost a query. Such emails end when
 * their scheduled time is over, at most 30 days after the upgrade.
 */
export async function suppressedRecipients(
  ctx: MailCtx,
  found: D1Result | undefined,
  emails: readonly Pick<EmailState, "n" | "recipients">[],
): Promise<ReadonlySet<string>> {
  const rows = [...((found?.results ?? []) as SuppressedRow[])];
  const withoutKey = emails.flatMap(({ n, recipients }) =>
    recipients.filter(lacksKey).map((recipient) => ({ n, key: recipientKey(recipient) })),
  );
  if (withoutKey.length > 0) {
    const statement = mailDb(ctx).prepare(FIND_SUPPRESSED_BY_KEY);
    const chunks = jsonChunks(withoutKey.map((recipient) => JSON.stringify(recipient)));
    const results = await mailDb(ctx).batch<SuppressedRow>(chunks.map((chunk) => statement.bind(chunk)));
    rows.push(...results.flatMap(({ results: found }) => found));
  }
  return new Set(rows.map(({ n, email }) => suppressedName(n, email)));
}
