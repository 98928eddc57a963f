import type { CallerCtx } from "../../access/caller.ts";
import { lowerCaseAscii, parseAddress } from "../../lib/addresses.ts";
import type { Broadcast } from "./queries.ts";
import type { SkippedOut } from "./report-schema.ts";
import type { SkipReason } from "./skip-reasons.ts";

/** Rows that one call reads to find those of a reason or a text. */
const MAX_SCANNED = 10_000;

// A contact of a deleted list must not be read. The last row of a scan that is not at its end tells where to continue.
const findSkipped = (person: string, isFound: string) => `
  WITH page AS MATERIALIZED (
    SELECT contact, reason, cause FROM broadcast_skipped WHERE broadcast = ?1 AND contact > ?2 ${person}
    UNION ALL
    SELECT contact, 'pending', NULL FROM broadcast_pending WHERE broadcast = ?1 AND contact > ?2 ${person}
    UNION ALL
    SELECT contact, 'repeated', NULL FROM broadcast_repeated WHERE broadcast = ?1 AND contact > ?2 ${person}
     ORDER BY contact LIMIT ${MAX_SCANNED})
  SELECT p.contact AS n, p.reason, p.cause, c.id AS contact_id, (SELECT id FROM contact_lists WHERE n = c.list) AS list_id, c.email, c.name,
         (?3 IS NULL OR p.reason = ?3) AND (${isFound}) AS isFound,
         p.contact = (SELECT contact FROM page LIMIT 1 OFFSET ${MAX_SCANNED - 1}) AS isEnd
    FROM page p LEFT JOIN contacts c ON c.n = p.contact AND c.workspace = ?5 AND EXISTS (SELECT 1 FROM contact_lists WHERE n = c.list)
   WHERE isFound OR isEnd ORDER BY p.contact LIMIT ?4`;

const PERSON = "AND contact IN (SELECT n FROM contacts WHERE workspace = ?5 AND email_key = ?6)";
const FIND_PERSON = findSkipped(PERSON, "true");
const FIND = findSkipped("", "?6 = '' OR instr(lower(c.email), ?6) OR instr(c.email_key, ?6)");

/**
 * Returns the contacts that a broadcast skipped, after a cursor, optionally for one reason, and those whose address contains a text; a
 * whole address is found at once. One whose contact was deleted has no address any more. `next` is null on the last page.
 */
export async function listSkipped(
  ctx: CallerCtx,
  { row }: Pick<Broadcast, "row">,
  { q = "", reason, after = 0, limit }: { q?: string; reason?: SkipReason | undefined; after?: number; limit: number },
): Promise<{ skipped: SkippedOut[]; next: number | null }> {
  const key = parseAddress(q)?.key;
  const { results } = await ctx.mail
    .prepare(key === undefined ? FIND : FIND_PERSON)
    .bind(row.n, after, reason ?? null, limit + 1, row.workspace, key ?? lowerCaseAscii(q))
    .all<SkippedOut & { n: number; isFound: 0 | 1 | null; isEnd: 0 | 1 | null }>();
  const found = results.filter(({ isFound }) => isFound === 1).slice(0, limit);
  const last = results.length > limit ? found.at(-1) : results.find(({ isEnd }) => isEnd === 1);
  return {
    skipped: found.map(({ n: _n, isFound: _found, isEnd: _end, ...skipped }) => skipped),
    next: last?.n ?? null,
  };
}
