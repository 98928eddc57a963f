import type { CallerCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { getBroadcast } from "./queries.ts";
import type { RecipientOut, RecipientStatus } from "./report-schema.ts";

interface RecipientRow {
  contact: number;
  id: string;
  status: RecipientStatus;
  recipients: string;
  variant_id: string | null;
  opened_count: number;
  clicked_count: number;
  created_at: number;
  sent_at: number | null;
  delivered_at: number | null;
}

/** Rows that one call reads to find those of a status. */
const MAX_SCANNED = 10_000;

// `scanned` bounds what a filter on a rare status reads; the last of them is where the next call continues.
const FIND = `
  WITH scanned AS MATERIALIZED (
    SELECT n, contact, status FROM emails WHERE broadcast = ?1 AND contact > ?2 ORDER BY contact LIMIT ?3)
  SELECT e.contact, e.id, e.status, e.recipients, v.id AS variant_id, e.opened_count, e.clicked_count, e.created_at, e.sent_at,
         e.delivered_at, (SELECT count(*) FROM scanned) AS scanned, (SELECT max(contact) FROM scanned) AS last
    FROM scanned s CROSS JOIN emails e ON e.n = s.n LEFT JOIN broadcast_variants v ON v.n = e.variant
   WHERE ?4 IS NULL OR s.status = ?4 ORDER BY e.contact LIMIT ?5`;

const END_OF_SCAN = `
  SELECT contact FROM emails WHERE broadcast = ?1 AND contact > ?2 ORDER BY contact LIMIT 1 OFFSET ?3`;

/**
 * Returns the recipients of a broadcast in the order in which their contacts were added, after a cursor, optionally of one
 * status. `next` is the cursor of the next page, or null on the last one. Throws 404.
 */
export async function listRecipients(
  ctx: CallerCtx,
  id: string,
  { status, after = 0, limit }: { status?: RecipientStatus | undefined; after?: number | undefined; limit: number },
): Promise<{ recipients: RecipientOut[]; next: number | null }> {
  const { row } = await getBroadcast(ctx, id);
  const db = mailDb(ctx);
  const { results } = await db
    .prepare(FIND)
    .bind(row.n, after, MAX_SCANNED, status ?? null, limit + 1)
    .all<RecipientRow>();
  const recipients = results.slice(0, limit).map(toRecipient);
  if (results.length > limit) return { recipients, next: results[limit - 1]?.contact ?? null };
  const end = await db
    .prepare(END_OF_SCAN)
    .bind(row.n, after, MAX_SCANNED - 1)
    .first<number>("contact");
  return { recipients, next: end };
}

function toRecipient(row: RecipientRow): RecipientOut {
  const [recipient] = JSON.parse(row.recipients) as { email: string; name?: string }[];
  return {
    email_id: row.id,
    email: recipient?.email ?? "",
    name: recipient?.name ?? null,
    status: row.status,
    variant_id: row.variant_id,
    opened_count: row.opened_count,
    clicked_count: row.clicked_count,
    created_at: iso(row.created_at),
    sent_at: isoOrNull(row.sent_at),
    delivered_at: isoOrNull(row.delivered_at),
  };
}
