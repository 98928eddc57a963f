import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { serialize } from "../../lib/serialize.ts";
import type { MailCtx } from "../../platform/context.ts";
import { withinBytes } from "../../platform/db/byte-pages.ts";
import type { broadcasts } from "../../platform/db/schema/mail/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import type { AutoPromote } from "./choose-winner.ts";
import { type Counts, countNames } from "./counts.ts";
import { type FanOut, parseFanOut, recipientsOf, skippedOf } from "./fan-out.ts";
import { type BroadcastStatus, PAGE_BYTES } from "./rules.ts";
import { BroadcastOut } from "./schema.ts";
import type { SkipCounts } from "./skip-reasons.ts";

/** A row of `broadcasts`. Times in milliseconds since 1970. */
export type BroadcastRow = Omit<StoredRow<typeof broadcasts>, "automation_id" | "automation_step">;

/** A broadcast with the sums of its counts. */
export interface Broadcast {
  row: BroadcastRow;
  fanOut: FanOut | null;
  counts: Counts;
}

const COUNTS = `(
  SELECT json_object(${countNames.map((name) => `'${name}', coalesce(sum(${name}), 0)`).join(", ")})
    FROM broadcast_counts c WHERE c.broadcast = b.n)`;

type StoredBroadcast = BroadcastRow & { counts: string };

function toBroadcast({ counts, ...row }: StoredBroadcast): Broadcast {
  return {
    row,
    fanOut: row.fan_out === null ? null : parseFanOut(row.fan_out),
    counts: JSON.parse(counts) as Counts,
  };
}

// The domains of a restricted key are names, since a draft may name any sender. A bulk send is shown by no endpoint of broadcasts.
export const VISIBLE =
  "b.workspace = ?1 AND b.bulk_tags IS NULL AND (?2 IS NULL OR b.from_domain IN (SELECT value FROM json_each(?2)))";

/** SQL expression of the number of a broadcast of a workspace by its id; null when it does not exist. */
export const BROADCAST_NUMBER = "(SELECT n FROM broadcasts WHERE workspace = ?1 AND id = ?2)";

const FIND = `SELECT b.*, ${COUNTS} AS counts FROM broadcasts b WHERE ${VISIBLE} AND b.id = ?3`;

/**
 * Returns one broadcast of the caller's workspace. Throws 404 for an id that is malformed, unknown, of another workspace,
 * or with a sender outside the domains that the API key is restricted to.
 */
export async function getBroadcast(ctx: CallerCtx, id: string): Promise<Broadcast> {
  const uuid = requireFound(parseUuid(id), "Broadcast");
  const domains = await permittedDomains(ctx);
  const row = await ctx.mail.findRow<StoredBroadcast>(FIND, ctx.workspace.number, domains, uuid);
  return toBroadcast(requireFound(row, "Broadcast"));
}

/** Returns a broadcast by its number, or null when it was deleted. For background work. */
export async function findBroadcast(ctx: MailCtx, n: number): Promise<Broadcast | null> {
  const sql = `SELECT b.*, ${COUNTS} AS counts FROM broadcasts b WHERE b.n = ?1`;
  const row = await ctx.mail.findRow<StoredBroadcast>(sql, n);
  return row && toBroadcast(row);
}

const LIST = `
  SELECT b.*, ${COUNTS} AS counts, p.found
    FROM (${withinBytes(
      `SELECT n, size AS bytes FROM broadcasts b WHERE ${VISIBLE} AND (?3 IS NULL OR b.status = ?3) AND b.id < ?4
        ORDER BY b.id DESC LIMIT ?5`,
      PAGE_BYTES,
    )}) p CROSS JOIN broadcasts b ON b.n = p.n ORDER BY b.id DESC`;

/** Greater than every UUID. */
const LAST_ID = "g";

/** Returns broadcasts that the caller may see, newest first: at most `limit` and about PAGE_BYTES. `next`: the id to continue below. */
export async function listBroadcasts(
  ctx: CallerCtx,
  { status, before, limit }: { status?: BroadcastStatus | undefined; before?: string | undefined; limit: number },
): Promise<{ broadcasts: Broadcast[]; next: string | null }> {
  const values = [ctx.workspace.number, await permittedDomains(ctx), status ?? null, before ?? LAST_ID, limit + 1];
  const results = await ctx.mail.listRows<StoredBroadcast & { found: number }>(LIST, ...values);
  const broadcasts = results.slice(0, limit).map(({ found: _, ...row }) => toBroadcast(row));
  const hasMore = broadcasts.length < (results[0]?.found ?? 0);
  return { broadcasts, next: hasMore ? (broadcasts.at(-1)?.row.id ?? null) : null };
}

/** Returns the names of the domains that the API key is restricted to as JSON, or null when it is not restricted. */
export async function permittedDomains(ctx: CallerCtx): Promise<string | null> {
  const { domainIds } = ctx.actor;
  if (domainIds === null) return null;
  const sql = "SELECT name FROM domains WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))";
  const rows = await ctx.db.listRows<{ name: string }>(sql, ctx.workspace.number, JSON.stringify([...domainIds]));
  return JSON.stringify(rows.map(({ name }) => name));
}

const FIND_LISTS = `
  SELECT l.n, l.id, l.contact_count AS contacts, (SELECT coalesce(max(n), 0) FROM contacts) AS lastContact
    FROM json_each(?2) j JOIN contact_lists l ON l.workspace = ?1 AND l.id = j.value ORDER BY j.key`;

/** Returns the ids of the lists of a broadcast, each once. At most 10. */
export function listIdsOf({ contact_list_id: first, more_lists: more }: BroadcastRow): string[] {
  return [...new Set([...(first === null ? [] : [first]), ...(JSON.parse(more ?? "[]") as string[])])];
}

/** Returns the column `more_lists` of further lists. */
export const toMoreLists = (ids: readonly string[] | null | undefined) => (ids?.length ? JSON.stringify(ids) : null);

/** A contact list. `lastContact`: greatest contacts.n of the database. */
type FoundList = { n: number; id: string; contacts: number; lastContact: number };

/** Returns the greatest contacts.n of the database. */
export async function findLastContact(ctx: MailCtx): Promise<number> {
  return (await ctx.mail.findValue<number>("SELECT max(n) AS n FROM contacts")) ?? 0;
}

/** Returns those contact lists of a workspace with these ids that exist, in their order. */
export const findContactLists = (ctx: MailCtx, workspace: number, ids: readonly string[]): Promise<FoundList[]> =>
  ctx.mail.listRows(FIND_LISTS, workspace, JSON.stringify(ids));

/** Serializes a broadcast of the workspace with this id. */
export function toRecord(workspaceId: string, { row, fanOut, counts }: Broadcast): BroadcastOut {
  const columns = Object.entries(counts).map(([name, count]) => [`${name}_count`, count]);
  return serialize(BroadcastOut, {
    ...row,
    org_id: workspaceId,
    text_from_html: row.text_from_html === 1,
    more_contact_list_ids: JSON.parse(row.more_lists ?? "[]") as string[],
    blocks_json: row.blocks_json === null ? null : (JSON.parse(row.blocks_json) as Record<string, unknown>),
    ab_auto_promote: row.ab_auto_promote === null ? null : (JSON.parse(row.ab_auto_promote) as AutoPromote),
    recipient_count: recipientsOf(fanOut),
    skipped_count: skippedOf(fanOut, row.status, counts.queued),
    ...(Object.fromEntries(columns) as Record<`${keyof Counts}_count`, number>),
  });
}

const sum = (counts: SkipCounts) => Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * Returns how many contacts a broadcast has stored as skipped, by reason, and how many others get no email (`gone`): deleted since the
 * audience was fixed, or not reached before a cancellation. Null before the plan, and for broadcasts of earlier versions.
 */
export function skipCountsOf({ row, fanOut, counts }: Broadcast) {
  if (!fanOut?.skipped || !fanOut.split?.skipped) return null;
  const since = sum(fanOut.skipped) - sum(fanOut.split.skipped);
  const gone = Math.max(0, skippedOf(fanOut, row.status, counts.queued) - since);
  return { ...fanOut.skipped, gone, total: sum(fanOut.skipped) + gone };
}
