import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AddressForms, FIRST_ADDRESS } from "../../platform/erased-addresses/forms.ts";
import type { SuppressionReason } from "./rules.ts";
import type { SuppressionEntry } from "./suppress.ts";

/** An entry of the suppression list of a workspace. */
export interface SuppressionRow {
  email: string;
  reason: SuppressionReason;
  createdAt: number;
  /** Of an unsubscribe from one topic; null: none. */
  topicId: string | null;
  topicName?: string | null;
}

// All are read in the order of their keys. An address with a stronger reason shows that one; its topics follow.
const LIST = `
  SELECT email, reason, created_at AS createdAt, NULL AS topicId, NULL AS topicName, 0 AS topic FROM suppressions
   WHERE workspace = ?1 AND email >= ?2 AND email <= ?3
  UNION ALL
  SELECT email, 'soft_bounces', listed_at, NULL, NULL, 0 FROM soft_bounces b
   WHERE workspace = ?1 AND email >= ?2 AND email <= ?3 AND listed_at IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.workspace = ?1 AND s.email = b.email)
  UNION ALL
  SELECT c.email, 'unsubscribe', c.chosen_at, t.id, t.name, c.topic FROM topic_choices c CROSS JOIN topics t ON t.n = c.topic
   WHERE c.workspace = ?1 AND c.choice = 'unsubscribed' AND c.email <= ?3
     AND (c.email, c.topic) > (?6, coalesce((SELECT n FROM topics WHERE workspace = ?1 AND id = ?7), 0))
   ORDER BY email, topic LIMIT ?4 OFFSET ?5`;

/** Greater than every address. */
const LAST = "\u{10ffff}";

/** A page of the suppression list. `after` and `afterTopic`: address and topic of the entry that it follows. */
export interface SuppressionPage {
  /** Only this address. Null: a text that is no address. */
  email?: string | null | undefined;
  after?: string | undefined;
  afterTopic?: string | undefined;
  page: number;
  limit: number;
}

/**
 * Returns one page of the suppressed addresses of the workspace in order of their keys, and one row more when another page
 * follows. `after` seeks in the index; `page` reads what it skips.
 */
export async function listSuppressions(
  ctx: CallerCtx,
  { email, after, afterTopic, page, limit }: SuppressionPage,
): Promise<SuppressionRow[]> {
  if (email === null || (email !== undefined && after !== undefined && email < after)) return [];
  // The least text after `after`.
  const from = after === undefined ? (email ?? FIRST_ADDRESS) : `${after}\u0001`;
  // The topics of an address follow the entry that is for all mail.
  const topicsAfter = [after ?? email ?? FIRST_ADDRESS, afterTopic ?? null];
  const values = [ctx.workspace.number, from, email ?? LAST, limit + 1, page * limit, ...topicsAfter];
  return ctx.db.listRows<SuppressionRow>(LIST, ...values);
}

/** An entry with a reason that suppresses an address at once. */
export interface StoredSuppression extends SuppressionRow {
  reason: SuppressionEntry["reason"];
  unsubscribedAt: number | null;
}

const FIND = `
  SELECT email, reason, created_at AS createdAt, unsubscribed_at AS unsubscribedAt, NULL AS topicId FROM suppressions
   WHERE workspace = ?1 AND email = ?2`;

/** Returns the entry of an address by its key, without that of soft bounces, or null. */
export function findSuppression(ctx: CallerCtx, email: string): Promise<StoredSuppression | null> {
  return ctx.db.findRow<StoredSuppression>(FIND, ctx.workspace.number, email);
}

const FIND_ALL = `
  SELECT email, reason, created_at AS createdAt, NULL AS topicId FROM suppressions
   WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))`;

/** Returns the entries of at most 50 addresses, in one D1 call, without those of soft bounces. */
export async function findSuppressions(ctx: CallerCtx, addresses: readonly string[]): Promise<SuppressionRow[]> {
  const keys = addresses.slice(0, 50).flatMap((address) => parseAddress(address)?.key ?? []);
  const forms = new AddressForms(keys);
  const results = await ctx.db.listRows<SuppressionRow>(FIND_ALL, ctx.workspace.number, JSON.stringify(forms.all));
  return forms.toRows(results);
}
