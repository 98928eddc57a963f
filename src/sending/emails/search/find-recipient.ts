import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { containsAll, scopeOf } from "./fts-query.ts";
import { INDEX_AGAIN, indexEmails } from "./index-emails.ts";

/** Steps of indexing before a search, of 1,000 emails each. */
const INDEX_STEPS = 10;

const FIND = `
  SELECT e.n FROM email_search s CROSS JOIN emails e ON e.n = s.rowid
   WHERE s.email_search MATCH ?1 AND +e.workspace = ?2 AND (?3 IS NULL OR s.rowid < ?3) ORDER BY s.rowid DESC LIMIT ?4`;

/**
 * Returns the numbers of emails of a workspace, newest first, whose recipients may contain a canonical address: the caller compares
 * them. Indexes new emails first. Returns null when more of them are left than one call indexes: call it again.
 */
export async function findRecipientNumbers(
  ctx: MailCtx,
  workspace: number,
  key: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<number[] | null> {
  if ((await indexEmails(ctx, INDEX_STEPS)) === INDEX_STEPS) return null;
  const match = `${containsAll(["recipients"], key)} AND ${containsAll(["scope"], scopeOf(workspace))}`;
  const results = await ctx.mail.listRows<{ n: number }>(FIND, match, workspace, before, limit);
  return results.map(({ n }) => n);
}

/** Returns the statements that replace the index entries of some emails, by a JSON list of emails.n, after their rows have changed. */
export const indexAgainStatements = ({ mail }: MailCtx, numbers: string): MailStatement[] => [
  mail.prepare("DELETE FROM email_search WHERE rowid IN (SELECT value FROM json_each(?1))").bind(numbers),
  mail.prepare(INDEX_AGAIN).bind(numbers, "[]"),
];
