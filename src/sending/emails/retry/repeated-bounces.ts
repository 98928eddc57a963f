import type { CallerCtx } from "../../../access/caller.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { RECIPIENT_KEY_SQL } from "../timeline/index.ts";

// Each address reads at most three emails, by their unique index.
const FIND_REPEATED = `
  SELECT r.email FROM retried_addresses r
    CROSS JOIN emails e ON e.workspace = r.workspace AND e.id IN (r.newest, r.second, r.third)
    CROSS JOIN json_each(e.recipients) p
   WHERE r.workspace = ?1 AND r.email IN (SELECT value FROM json_each(?2))
     AND p.value->>'state' = 'bounced' AND ${RECIPIENT_KEY_SQL} = r.email
   GROUP BY r.email HAVING count(*) = 3`;

const RECORD_RETRY = `
  INSERT INTO retried_addresses (workspace, email, newest) SELECT ?1, value, ?3 FROM json_each(?2) WHERE true
  ON CONFLICT DO UPDATE SET newest = excluded.newest, second = newest, third = second`;

/** Returns those of some canonical addresses whose last three retries bounced (docs/contract/emails.md#retry). */
export async function findRepeatedBounces(ctx: CallerCtx, keys: readonly string[]): Promise<string[]> {
  const { results } = await ctx.mail
    .prepare(FIND_REPEATED)
    .bind(ctx.workspace.number, JSON.stringify(keys))
    .all<{ email: string }>();
  return results.map(({ email }) => email);
}

/** Returns the statement that records a retry to some canonical addresses, for the batch that inserts the email. */
export function recordRetryStatement(ctx: CallerCtx, id: string, keys: readonly string[]): MailStatement {
  return ctx.mail.prepare(RECORD_RETRY).bind(ctx.workspace.number, JSON.stringify(keys), id);
}
