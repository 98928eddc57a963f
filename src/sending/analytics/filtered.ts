import type { CallerCtx } from "../../access/caller.ts";
import { lowerCase } from "../../lib/addresses.ts";
import { idOfTime, timeOfId } from "../../lib/ids.ts";
import { HOUR_MS } from "../../lib/time.ts";
import { bytesSql, withinBytes } from "../../platform/db/byte-pages.ts";
import { RECIPIENT_COLUMNS } from "../emails/index.ts";
import { type Counts, LAST_DAY, NO_COUNTS, readRollups, wholeDays, withRefused } from "./queries.ts";
import type { Hours } from "./rules.ts";

/** Newest emails of a time that are counted, and the bytes of what is read of them: there is no roll-up. */
const MAX_EMAILS = 20_000;
const MAX_BYTES = 20_000_000;

/** The mail that is counted: its sender domain, tag and recipient domain. Empty fields do not filter. */
export interface Filter {
  domain: string;
  tag: string;
  receiver: string;
}

type Row = Counts & { hour: number; domain: string };

interface FilteredCounts {
  /** By hour and recipient domain. */
  rows: Row[];
  /** Time of the oldest email that was counted, in ms since 1970, when there may be older ones. */
  countedFrom: number | null;
}

// One seek for each day, and for each hour outside of whole days (`?4` and `?5`) that are summed.
const RECEIVER = `
  WITH RECURSIVE h (hour) AS (SELECT ?2 UNION ALL SELECT hour + 1 FROM h WHERE hour < ?3)
  SELECT h.hour, r.domain, ${RECIPIENT_COLUMNS.join(", ")} FROM h CROSS JOIN rollups_daily r
      ON r.workspace = ?1 AND r.day = h.hour / 24 AND r.domain = ?6
   WHERE h.hour % 24 = 0 AND h.hour / 24 BETWEEN ?4 AND ${LAST_DAY}
  UNION ALL
  SELECT h.hour, r.domain, ${RECIPIENT_COLUMNS.join(", ")} FROM h CROSS JOIN rollups_hourly r
      ON r.workspace = ?1 AND r.hour = h.hour AND r.domain = ?6
   WHERE h.hour < ?4 * 24 OR h.hour >= max(?4, ${LAST_DAY} + 1) * 24`;

/** SQL: the email has an event about the recipient `r`. An email without such events is not parsed. */
const hasEvent = (type: string, condition = "true") => `(instr(e.events, '"${type}"') > 0 AND EXISTS (
  SELECT 1 FROM json_each(e.events) v WHERE v.value->>'type' = '${type}'
     AND v.value->'metadata'->>'recipient' = r.value->>'email' AND ${condition}))`;
const IS_SOFT = hasEvent("bounced", "v.value->'metadata'->>'bounce_type' = 'soft'");
const WAS_TRIED = hasEvent("failed", "v.value->'metadata'->>'relay' IS NOT NULL");

/** The conditions by which a recipient is in a count (docs/contract/analytics.md#counts). Its email counts with its first recipient. */
const CONDITIONS: Readonly<Record<Exclude<keyof Counts, "refused">, string>> = {
  sent: `state IN ('held', 'sent', 'delivered', 'complained', 'bounced', 'rejected') OR (state = 'failed' AND ${WAS_TRIED})`,
  delivered: "state IN ('delivered', 'complained')",
  bounced: `state = 'bounced' AND NOT ${IS_SOFT}`,
  soft_bounced: `state = 'bounced' AND ${IS_SOFT}`,
  failed: `state = 'rejected' OR (state = 'failed' AND ${WAS_TRIED})`,
  unsent: `state = 'failed' AND NOT ${WAS_TRIED}`,
  opens: "r.key = 0 AND e.opened_count > 0",
  clicks: "r.key = 0 AND e.clicked_count > 0",
  complained: "state = 'complained'",
  deferred: hasEvent("deferred"),
  unsubscribed: hasEvent("unsubscribed"),
};
const COUNTED = withinBytes(
  `SELECT n, id, ${bytesSql("recipients", "events")} AS bytes FROM emails
    WHERE workspace = ?1 AND id >= ?2 AND id < ?3 ORDER BY id DESC LIMIT ${MAX_EMAILS}`,
  MAX_BYTES,
);
const domainOf = (address: string) => `substr(${address}, instr(${address}, '@') + 1)`;
const EMAILS = `
  SELECT e.created_at / ${HOUR_MS} AS hour, ${domainOf("coalesce(r.value->>'key', lower(r.value->>'email'))")} AS domain,
    ${Object.entries(CONDITIONS)
      .map(([column, condition]) => `sum(${condition.replace(/\bstate\b/g, "r.value->>'state'")}) AS ${column}`)
      .join(", ")}
    FROM (${COUNTED}) t CROSS JOIN emails e ON e.n = t.n CROSS JOIN json_each(e.recipients) r
   WHERE (?4 = '' OR ${domainOf("lower(e.from_email)")} = ?4)
     AND (?5 = '' OR EXISTS (SELECT 1 FROM json_each(e.tags) WHERE value = ?5)) GROUP BY 1, 2 HAVING ?6 IN ('', domain)`;
// There may be older ones when the page is full, or was cut.
const OLDEST = `SELECT min(id) AS id FROM (${COUNTED}) HAVING max(found) = ${MAX_EMAILS} OR count(*) < max(found)`;

/**
 * Counts the recipients of some mail, for buckets of `size` hours. A filter by receiver alone reads roll-ups. Any other one reads the
 * newest emails, at most 20,000 and 20 MB, counts them at the hour of their creation, and `refused` as zero. Throws as `findTotals` does.
 */
export async function countFiltered(
  ctx: CallerCtx,
  hours: Hours,
  { domain, tag, receiver }: Filter,
  size: number,
): Promise<FilteredCounts> {
  const key = lowerCase(receiver);
  if (domain === "" && tag === "") {
    const days = size === 1 ? [1, 0] : wholeDays(hours);
    const rows = await readRollups<Row>(ctx, RECEIVER, hours.first, hours.last, ...days, key);
    return { rows: rows.map(withRefused), countedFrom: null };
  }
  // Ids of one isolate may be ahead of its clock (lib/ids.ts): a time that goes on has no end.
  const isOpen = (hours.last + 1) * HOUR_MS > ctx.now();
  const time = [idOfTime(hours.first * HOUR_MS, ""), isOpen ? "~" : idOfTime((hours.last + 1) * HOUR_MS, "")];
  const [rows, [oldest]] = await Promise.all([
    readRollups<Row>(ctx, EMAILS, ...time, lowerCase(domain), tag, key),
    readRollups<{ id: string }>(ctx, OLDEST, ...time),
  ]);
  return { rows: rows.map((row) => ({ ...NO_COUNTS, ...row })), countedFrom: oldest ? timeOfId(oldest.id) : null };
}
