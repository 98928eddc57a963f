import type { CallerCtx } from "../../access/caller.ts";
import { serialize } from "../../lib/serialize.ts";
import { getBroadcast } from "./queries.ts";
import { type RecipientActivity, RecipientOut, type RecipientStatus } from "./report-schema.ts";

interface RecipientRow {
  n: number;
  id: string;
  status: RecipientStatus;
  recipients: string;
  variant_id: string | null;
  opened_count: number;
  clicked_count: number;
  left_by: RecipientOut["left_by"];
  created_at: number;
  sent_at: number | null;
  delivered_at: number | null;
}

interface Page {
  status?: RecipientStatus | undefined;
  activity?: RecipientActivity | undefined;
  after?: number | undefined;
  limit: number;
}

/** Rows that one call reads to find those that a filter keeps. */
const MAX_SCANNED = 10_000;

const EMAILS = `
  broadcast_pages p CROSS JOIN emails e ON e.n BETWEEN max(p.first_n, ?3 + 1) AND p.last_n AND e.broadcast = p.broadcast
   WHERE p.workspace = ?1 AND p.broadcast = ?2 AND p.last_n > ?3`;

// A complaint is the stronger of the two, and comes first in the alphabet.
const LEFT_BY = `(
  SELECT min(j.value->>'type') FROM json_each(e.events) j WHERE j.value->>'type' IN ('complained', 'unsubscribed'))`;

// `scanned` bounds what a filter that keeps few emails reads.
const FIND = `
  WITH scanned AS MATERIALIZED (
    SELECT e.n, (?5 IS NULL OR e.status = ?5) AND CASE ?7 WHEN 'opened' THEN e.opened_count > 0 WHEN 'clicked' THEN e.clicked_count > 0
             WHEN 'left' THEN ${LEFT_BY} IS NOT NULL ELSE 1 END AS is_kept FROM ${EMAILS} ORDER BY p.last_n, e.n LIMIT ?4)
  SELECT e.n, e.id, e.status, e.recipients, v.id AS variant_id, e.opened_count, e.clicked_count, ${LEFT_BY} AS left_by, e.created_at,
         e.sent_at, e.delivered_at
    FROM scanned s CROSS JOIN emails e ON e.n = s.n LEFT JOIN broadcast_variants v ON v.n = e.variant
   WHERE s.is_kept ORDER BY e.n LIMIT ?6`;

const END_OF_SCAN = `SELECT e.n FROM ${EMAILS} ORDER BY p.last_n, e.n LIMIT 1 OFFSET ?4`;

/**
 * Returns the recipients of a broadcast in the order in which their emails were made, after a cursor, optionally of one
 * status, and those who did something. `next` is the cursor of the next page, or null on the last one. Throws 404.
 */
export async function listRecipients(
  ctx: CallerCtx,
  id: string,
  { status, activity, after = 0, limit }: Page,
): Promise<{ recipients: RecipientOut[]; next: number | null }> {
  const { row } = await getBroadcast(ctx, id);
  const db = ctx.mail;
  const values = [row.workspace, row.n, after, MAX_SCANNED, status ?? null, limit + 1, activity ?? null];
  const results = await db.listRows<RecipientRow>(FIND, ...values);
  const recipients = results.slice(0, limit).map(toRecipient);
  if (results.length > limit) return { recipients, next: results[limit - 1]?.n ?? null };
  const end = await db.findValue<number>(END_OF_SCAN, row.workspace, row.n, after, MAX_SCANNED - 1);
  return { recipients, next: end };
}

function toRecipient(row: RecipientRow): RecipientOut {
  const [recipient] = JSON.parse(row.recipients) as { email: string; name?: string }[];
  const { email = "", name = null } = recipient ?? {};
  return serialize(RecipientOut, { ...row, email_id: row.id, email, name });
}
