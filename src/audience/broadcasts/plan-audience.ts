import { parseAddress } from "../../lib/addresses.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { FanOut } from "./fan-out.ts";
import { findSuppressed } from "./find-suppressed.ts";
import type { BroadcastRow } from "./queries.ts";
import { addSkips, type Skip, type SkipCounts, type SkipReason, toSkip } from "./skip-reasons.ts";
import { RankList, rankOf, splitAudience } from "./split.ts";
import type { VariantRow } from "./variants/queries.ts";

/** Contacts of one read: their addresses fit into one parameter. */
const CONTACTS_PER_PAGE = 5_000;

// CROSS JOIN: of a list that was deleted, no contact is read.
const FIND_CONTACTS = `
  SELECT c.n, c.id, c.email_key AS key, c.pending_since,
         coalesce(s.reason, iif(p.contact IS NULL, NULL, 'pending')) AS skipped,
         CASE WHEN json_array_length(?6) > 0 THEN EXISTS (
           SELECT 1 FROM contacts d WHERE d.workspace = l.workspace AND d.email_key = c.email_key AND d.n <= ?2
              AND d.list IN (SELECT value FROM json_each(?6))) ELSE 0 END AS is_repeated
    FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n
    LEFT JOIN broadcast_skipped s ON s.broadcast = ?3 AND s.contact = c.n
    LEFT JOIN broadcast_pending p ON p.broadcast = ?3 AND p.contact = c.n
   WHERE l.n = ?1 AND c.id > ?4 AND c.n <= ?2 ORDER BY c.id LIMIT ?5`;

// A contact that was deleted since is passed over.
const FIND_MEMBERS = `
  SELECT c.n, c.id, c.email_key AS key, c.pending_since, coalesce(s.reason, iif(p.contact IS NULL, NULL, 'pending')) AS skipped, 0 AS is_repeated
    FROM broadcast_members m CROSS JOIN contacts c ON c.n = m.contact CROSS JOIN contact_lists l ON l.n = c.list
    LEFT JOIN broadcast_skipped s ON s.broadcast = m.broadcast AND s.contact = c.n
    LEFT JOIN broadcast_pending p ON p.broadcast = m.broadcast AND p.contact = c.n
   WHERE m.broadcast = ?1 AND m.contact > ?2 ORDER BY m.contact LIMIT ?3`;

interface ContactRow {
  n: number;
  id: string;
  key: string;
  pending_since: number | null;
  skipped: SkipReason | null;
  is_repeated: 0 | 1;
}

/**
 * Counts and splits the audience of a first send: the contacts that the suppression list of the main database allows at this moment, each
 * person once. The others are recorded as skipped or repeated and stay out of the audience. Repeating it after a crash skips those that it
 * has recorded. Holds 24 bytes for each contact at most (limits.audience) and one page of contacts. Gives way to requests before each page.
 */
export async function planAudience(
  ctx: MailCtx,
  row: BroadcastRow,
  fanOut: FanOut,
  variants: readonly VariantRow[],
): Promise<FanOut> {
  const ranks = new RankList();
  let counts: SkipCounts = { suppressed: 0, unsubscribed: 0, invalid: 0, pending: 0, repeated: 0 };
  // Of a run that was killed: a contact of a list before may have been deleted since.
  if (fanOut.lists.length > 1) await ctx.mail.execute(FORGET_REPEATED, row.n);
  for await (const page of fanOut.segment ? memberPages(ctx, row) : pagesOf(ctx, row, fanOut)) {
    const persons = page.filter(({ is_repeated: isRepeated }) => isRepeated === 0);
    const contacts = persons.filter(({ skipped }) => skipped === null);
    const keys = contacts.map(({ key }) => key);
    const suppressed = await findSuppressed(ctx, { workspace: row.workspace, topic: fanOut.topic ?? null }, keys);
    const skipped: Skip[] = [];
    for (const { n, id, key, pending_since: pending } of contacts) {
      const why =
        suppressed.get(key) ?? (pending !== null ? "pending" : parseAddress(key) === null ? "invalid" : undefined);
      if (why) skipped.push(toSkip(n, why));
      else ranks.add(rankOf(row.id, id));
    }
    const repeated = page.flatMap(({ n, is_repeated: isRepeated }) => (isRepeated ? [n] : []));
    const before = persons.flatMap(({ skipped: reason }) => (reason === null ? [] : [{ reason }]));
    counts = addSkips(counts, [...before, ...skipped, ...repeated.map(() => ({ reason: "repeated" as const }))]);
    const statements = [
      ...skipStatements(ctx, row, skipped),
      ...(repeated.length > 0 ? [repeatStatement(ctx, row, repeated)] : []),
    ];
    if (statements.length > 0) await ctx.mail.batch(statements);
  }
  const split = splitAudience(ranks.sort(), row.ab_test_pct, variants);
  return { ...fanOut, split: { ...split, eligible: ranks.size, skipped: counts }, skipped: counts };
}

/** Returns the contacts of the lists of a broadcast, list after list, in pages. */
async function* pagesOf(ctx: MailCtx, row: BroadcastRow, { lists, lastContact }: FanOut): AsyncGenerator<ContactRow[]> {
  for (const [index, list] of lists.entries()) {
    const before = JSON.stringify(lists.slice(0, index));
    for (let cursor: string | null = ""; cursor !== null; ) {
      await nextTurn();
      const values: unknown[] = [list, lastContact, row.n, cursor, CONTACTS_PER_PAGE, before];
      const results: ContactRow[] = await ctx.mail.listRows(FIND_CONTACTS, ...values);
      yield results;
      cursor = results.length < CONTACTS_PER_PAGE ? null : (results.at(-1)?.id ?? null);
    }
  }
}

/** Returns the members of a broadcast to a segment, in pages. */
async function* memberPages(ctx: MailCtx, { n }: BroadcastRow): AsyncGenerator<ContactRow[]> {
  for (let after: number | null = 0; after !== null; ) {
    await nextTurn();
    const results: ContactRow[] = await ctx.mail.listRows(FIND_MEMBERS, n, after, CONTACTS_PER_PAGE);
    yield results;
    after = results.length < CONTACTS_PER_PAGE ? null : (results.at(-1)?.n ?? null);
  }
}

const FORGET_REPEATED = "DELETE FROM broadcast_repeated WHERE broadcast = ?1";

const REPEAT = `
  INSERT OR IGNORE INTO broadcast_repeated (broadcast, contact, workspace)
  SELECT ?1, value, ?2 FROM json_each(?3)`;

/** Returns the statement that records contacts whose person is in a list before. They get no email. */
const repeatStatement = (ctx: MailCtx, { n, workspace }: BroadcastRow, contacts: readonly number[]) =>
  ctx.mail.prepare(REPEAT).bind(n, workspace, JSON.stringify(contacts));

const SKIP = `
  INSERT OR IGNORE INTO broadcast_skipped (broadcast, contact, workspace, reason, cause)
  SELECT ?1, value->>'contact', ?2, value->>'reason', value->>'cause' FROM json_each(?3)`;

const PENDING = `
  INSERT OR IGNORE INTO broadcast_pending (broadcast, contact, workspace)
  SELECT ?1, value->>'contact', ?2 FROM json_each(?3)`;

/** Returns the statements that record why contacts get no email of a broadcast. Safe to run twice. */
export function skipStatements(
  ctx: MailCtx,
  { n, workspace }: Pick<BroadcastRow, "n" | "workspace">,
  skipped: readonly Skip[],
) {
  const pending = skipped.filter(({ reason }) => reason === "pending");
  const others = skipped.filter(({ reason }) => reason !== "pending");
  return [
    ...(others.length > 0 ? [ctx.mail.prepare(SKIP).bind(n, workspace, JSON.stringify(others))] : []),
    ...(pending.length > 0 ? [ctx.mail.prepare(PENDING).bind(n, workspace, JSON.stringify(pending))] : []),
  ];
}
