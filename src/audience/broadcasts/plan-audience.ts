import { parseAddress } from "../../lib/addresses.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import type { FanOut } from "./fan-out.ts";
import { findSuppressed, type SkipReason } from "./find-suppressed.ts";
import type { BroadcastRow } from "./queries.ts";
import { RankList, rankOf, splitAudience } from "./split.ts";
import type { VariantRow } from "./variants/queries.ts";

/** Contacts of one read: their addresses fit into one parameter. */
const CONTACTS_PER_PAGE = 5_000;

// CROSS JOIN: of a list that was deleted, no contact is read.
const FIND_CONTACTS = `
  SELECT c.n, c.id, c.email_key AS key, s.reason AS skipped
    FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n
    LEFT JOIN broadcast_skipped s ON s.broadcast = ?3 AND s.contact = c.n
   WHERE l.n = ?1 AND c.id > ?4 AND c.n <= ?2 ORDER BY c.id LIMIT ?5`;

interface ContactRow {
  n: number;
  id: string;
  key: string;
  skipped: SkipReason | null;
}

/**
 * Counts and splits the audience of a first send: the contacts that the suppression list of the main database allows at
 * this moment. The others are recorded as skipped and stay out of the audience. Repeating it after a crash skips those
 * that it has recorded. Holds 24 bytes for each contact at most (limits.audience) and one page of contacts. Gives way to requests
 * before each page.
 */
export async function planAudience(
  ctx: MailCtx,
  row: BroadcastRow,
  fanOut: FanOut,
  variants: readonly VariantRow[],
): Promise<FanOut> {
  const ranks = new RankList();
  const counts: Record<SkipReason, number> = { suppressed: 0, unsubscribed: 0, invalid: 0 };
  let cursor: string | null = "";
  while (cursor !== null) {
    await nextTurn();
    const { results }: D1Result<ContactRow> = await mailDb(ctx)
      .prepare(FIND_CONTACTS)
      .bind(fanOut.list, fanOut.lastContact, row.n, cursor, CONTACTS_PER_PAGE)
      .all<ContactRow>();
    const contacts = results.filter(({ skipped }) => skipped === null);
    const suppressed = await findSuppressed(
      ctx,
      row.workspace,
      contacts.map(({ key }) => key),
    );
    for (const { skipped } of results) if (skipped !== null) counts[skipped] += 1;
    const skipped: { contact: number; reason: SkipReason }[] = [];
    for (const { n, id, key } of contacts) {
      const reason = suppressed.get(key) ?? (parseAddress(key) === null ? "invalid" : undefined);
      if (reason) {
        skipped.push({ contact: n, reason });
        counts[reason] += 1;
      } else ranks.add(rankOf(row.id, id));
    }
    if (skipped.length > 0) await skipStatement(ctx, row, skipped).run();
    cursor = results.length < CONTACTS_PER_PAGE ? null : (results.at(-1)?.id ?? null);
  }
  const split = splitAudience(ranks.sort(), row.ab_test_pct, variants);
  return { ...fanOut, split: { ...split, eligible: ranks.size, skipped: counts } };
}

const SKIP = `
  INSERT OR IGNORE INTO broadcast_skipped (broadcast, contact, workspace, reason)
  SELECT ?1, value->>'contact', ?2, value->>'reason' FROM json_each(?3)`;

/** Returns the statement that records why contacts get no email of a broadcast. Safe to run twice. */
export function skipStatement(
  ctx: MailCtx,
  { n, workspace }: Pick<BroadcastRow, "n" | "workspace">,
  skipped: readonly { contact: number; reason: SkipReason }[],
) {
  return mailDb(ctx).prepare(SKIP).bind(n, workspace, JSON.stringify(skipped));
}
