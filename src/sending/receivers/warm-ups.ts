import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";

/** An egress and its warm-up, as it tells. */
export interface ToldWarmUp {
  /** Its source address. */
  address: string;
  /** Its EGRESS_NAME. */
  name: string;
  /** Null: it has none. `since`: the first day of all receivers, in ms since 1970; null: of each receiver its first day with mail. */
  warmUp: { since: number | null } | null;
}

/** Days after which an egress that tells nothing is forgotten. It tells its warm-up each six hours. */
export const WARM_UP_KEPT_DAYS = 3;

// One that was heard of within the hour is not written again.
const SAVE = `
  INSERT INTO egress_warm_ups (address, name, is_warming, since, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT DO UPDATE SET name = excluded.name, is_warming = excluded.is_warming, since = excluded.since, seen_at = excluded.seen_at
   WHERE name <> excluded.name OR is_warming <> excluded.is_warming OR since IS NOT excluded.since
      OR seen_at < excluded.seen_at - 3600000`;

/** Keeps the warm-up of an egress. */
export async function saveWarmUp(ctx: Pick<Ctx, "db" | "now">, { address, name, warmUp }: ToldWarmUp): Promise<void> {
  const values = [address, hostName(name), Number(warmUp !== null), warmUp?.since ?? null, ctx.now()];
  await ctx.db.execute(SAVE, ...values);
}

/** Contacts of one domain. Domains whose receiver does not matter are one, with an empty name. */
export interface DomainCount {
  domain: string;
  contacts: number;
}

/** Contacts at one receiver, and what a source address that warms up has sent it. */
export interface WarmUpPart {
  address: string;
  /** First day of all receivers, in ms since 1970; null: of each receiver its first day with mail. */
  since: number | null;
  /** Null: all domains whose receiver is not known. */
  receiver: string | null;
  contacts: number;
  /** First day with mail, in days since 1970, and the emails of today (UTC). Null: none. */
  first: number | null;
  today: number | null;
}

/** Of so many egresses and receivers the warm-up counts, those with most contacts first. */
const MAX_ADDRESSES = 8;
const MAX_RECEIVERS = 20;

// No warm-up, no row. The egress of a host is not known when none of this name has told one: then all that warm up count.
const FIND = `
  WITH host AS MATERIALIZED (
    SELECT coalesce((
      SELECT h.value FROM workspaces w LEFT JOIN domains d ON d.workspace = w.number AND d.name = ?7
        JOIN json_each(?5) h ON h.key = coalesce(d.egress, w.egress) WHERE w.number = ?6), ?3) AS name),
  told AS MATERIALIZED (
    SELECT w.address, w.name = h.name AS is_named, w.is_warming, w.since FROM egress_warm_ups w CROSS JOIN host h WHERE w.seen_at > ?4),
  chosen AS MATERIALIZED (
    SELECT address, since FROM told
     WHERE is_warming AND (is_named OR NOT EXISTS (SELECT 1 FROM told WHERE is_named)) ORDER BY since DESC LIMIT ${MAX_ADDRESSES}),
  parts AS MATERIALIZED (
    SELECT r.receiver, sum(j.value->>'contacts') AS contacts
      FROM json_each(iif(EXISTS (SELECT 1 FROM chosen), ?1, '[]')) j LEFT JOIN receiver_domains r ON r.domain = j.value->>'domain'
     GROUP BY r.receiver ORDER BY contacts DESC LIMIT ${MAX_RECEIVERS})
  SELECT c.address, c.since, p.receiver, p.contacts,
         (SELECT v.day FROM egress_volume v WHERE v.address = c.address AND v.receiver = p.receiver ORDER BY v.day LIMIT 1) AS first,
         (SELECT v.emails FROM egress_volume v WHERE v.address = c.address AND v.receiver = p.receiver AND v.day = ?2) AS today
    FROM chosen c CROSS JOIN parts p`;

/** How mail of a domain leaves. */
export interface Leaving {
  workspace: number;
  /** Name of the domain of the sender. */
  domain: string;
  /** Host of the egress of mail that no other is assigned to, and of those that may be, by name. */
  host: string;
  namedHosts: Readonly<Record<string, string>>;
}

/**
 * Returns the contacts of domains by receiver, for each source address that warms up at the egress by which mail leaves, or at any when
 * no egress with its host name is known. Empty without a warm-up. One D1 call; a row is read for each domain and two for each result.
 */
export async function findWarmUpParts(
  ctx: Pick<Ctx, "db" | "now">,
  { workspace, domain, host, namedHosts }: Leaving,
  domains: readonly DomainCount[],
): Promise<WarmUpPart[]> {
  const now = ctx.now();
  const named = Object.fromEntries(Object.entries(namedHosts).map(([name, of]) => [name, hostName(of)]));
  const seenAfter = now - WARM_UP_KEPT_DAYS * DAY_MS;
  const values = [JSON.stringify(domains), dayOf(now), hostName(host), seenAfter, JSON.stringify(named)];
  return ctx.db.listRows<WarmUpPart>(FIND, ...values, workspace, domain);
}

const hostName = (name: string) => name.toLowerCase().replace(/\.$/, "");
