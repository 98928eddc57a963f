import type { CallerCtx } from "../../access/caller.ts";
import { forbidden } from "../../lib/errors.ts";
import { RECIPIENT_COLUMNS, TOTAL_SUMS_SQL } from "../emails/index.ts";
import { findReceiversOf } from "../receivers/index.ts";
import type { Hours } from "./rules.ts";

/** Counts of recipients; opens and clicks are emails (docs/contract/analytics.md#counts). */
export interface Counts {
  /** Taken or refused by the egress. The other four of these are the last known states of those recipients. */
  sent: number;
  delivered: number;
  /** Hard bounces. */
  bounced: number;
  soft_bounced: number;
  failed: number;
  /** Failed without being handed to the egress. */
  unsent: number;
  opens: number;
  clicks: number;
  complained: number;
  deferred: number;
  unsubscribed: number;
  /** Of `sent`: refused at once. */
  refused: number;
}

// Every statement groups rows in the order of the primary key. Any other order needs a sort, which reads each row once more.
// Hours after the last one that is summed are read by recipient domain: one, or two until the job has run.
const CLOSED = "coalesce((SELECT hour FROM rollups_closed), -1)";
const TOTALS = `
  SELECT hour, ${RECIPIENT_COLUMNS.join(", ")} FROM rollups_totals
   WHERE workspace = ?1 AND hour BETWEEN ?2 AND min(?3, ${CLOSED})
  UNION ALL
  SELECT r.hour, ${TOTAL_SUMS_SQL} FROM rollups_hourly r
   WHERE r.workspace = ?1 AND r.hour BETWEEN max(?2, ${CLOSED} + 1) AND ?3 GROUP BY r.hour`;

// Whole days are read from the daily sums, the hours before and after them singly. `?4` and `?5`: the first and the last
// whole day. The rows of a day or hour come as one text of lines, which the caller sums by domain.
const LINES = (day: string) =>
  `${day} AS day, group_concat(domain || ' ' || ${RECIPIENT_COLUMNS.join(" || ' ' || ")}, char(10)) AS lines`;
/** SQL: the last whole day that is summed. */
export const LAST_DAY = "min(coalesce((SELECT day FROM rollups_progress), -1), ?5)";
const DOMAINS = `
  SELECT ${LINES("day")} FROM rollups_daily WHERE workspace = ?1 AND day BETWEEN ?4 AND ${LAST_DAY} AND domain <> '' GROUP BY day
  UNION ALL
  SELECT ${LINES("hour / 24")} FROM rollups_hourly
   WHERE workspace = ?1 AND hour BETWEEN ?2 AND min(?3, ?4 * 24 - 1) AND domain <> '' GROUP BY hour
  UNION ALL
  SELECT ${LINES("hour / 24")} FROM rollups_hourly
   WHERE workspace = ?1 AND hour BETWEEN max(?2, ?4 * 24, (${LAST_DAY} + 1) * 24) AND ?3 AND domain <> '' GROUP BY hour`;

/**
 * Returns the counts of the caller's workspace by bucket of `size` hours, those with counts only. Throws 403 for
 * an API key that is restricted to domains, since roll-ups cover the whole workspace.
 */
export async function findTotals(ctx: CallerCtx, { first, last }: Hours, size: number): Promise<Map<number, Counts>> {
  const rows = await readRollups<Counts & { hour: number }>(ctx, TOTALS, first, last);
  return sumBy(rows.map(withRefused), ({ hour }) => Math.floor(hour / size));
}

/** Returns the sums of rows of counts by a key. */
export function sumBy<Key, Row extends Counts>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Counts> {
  const sums = new Map<Key, Counts>();
  for (const row of rows) sums.set(keyOf(row), addCounts(sums.get(keyOf(row)) ?? NO_COUNTS, row));
  return sums;
}

/** Domains of a period whose receivers are looked up, those with the most mail. */
const MAX_DOMAINS = 2_000;

/** Returns the counts by recipient domain: those with the most mail, or the most bounces, most first. Throws as `findTotals` does. */
export async function findDomains(
  ctx: CallerCtx,
  hours: Hours,
  limit: number,
  most?: Most,
): Promise<[string, Counts][]> {
  return (await rankDomains(ctx, hours, most)).slice(0, limit);
}

/** Returns the same by receiver, as far as an egress of our own has told it; other domains stay by themselves. */
export async function findReceivers(ctx: CallerCtx, hours: Hours, limit: number): Promise<[string, Counts][]> {
  const domains = (await rankDomains(ctx, hours)).slice(0, MAX_DOMAINS);
  const names = domains.map(([domain]) => domain);
  const receiverOf = await findReceiversOf(ctx, names);
  const rows = domains.map(([domain, counts]) => ({ ...counts, receiver: receiverOf.get(domain) ?? domain }));
  return rank(sumBy(rows, ({ receiver }) => receiver)).slice(0, limit);
}

/** Counts of a day, in days since 1970, UTC, at a group of receivers. */
export interface GroupDay<Group> {
  day: number;
  group: Group;
  counts: Counts;
}

/**
 * Returns the counts by day and group of receivers. `groupOf` names the group of a recipient domain, with its receiver as far as an egress
 * of our own has told it. Throws as `findTotals` does.
 */
export async function findGroups<Group>(
  ctx: CallerCtx,
  hours: Hours,
  groupOf: (domain: string, receiver: string | undefined) => Group,
): Promise<GroupDay<Group>[]> {
  const rows = await readDomains(ctx, hours);
  const names = rank(sumLines(rows, asItself)).map(([domain]) => domain);
  const receiverOf = await findReceiversOf(ctx, names.slice(0, MAX_DOMAINS));
  const groups = new Map(names.map((domain) => [domain, groupOf(domain, receiverOf.get(domain))]));
  const group = (domain: string) => groups.get(domain) ?? groupOf(domain, undefined);
  return [...Map.groupBy(rows, ({ day }) => day)].flatMap(([day, ofDay]) =>
    [...sumLines(ofDay, group)].map(([name, counts]) => ({ day, group: name, counts })),
  );
}

/** Returns the first and the last whole day of some hours. */
export const wholeDays = ({ first, last }: Hours) => [Math.ceil(first / 24), Math.floor((last + 1) / 24) - 1];

async function rankDomains(ctx: CallerCtx, hours: Hours, most?: Most): Promise<[string, Counts][]> {
  return rank(sumLines(await readDomains(ctx, hours), asItself), most);
}

type Lines = { day: number; lines: string };

const readDomains = (ctx: CallerCtx, hours: Hours) =>
  readRollups<Lines>(ctx, DOMAINS, hours.first, hours.last, ...wholeDays(hours));

const asItself = (domain: string) => domain;

/** Returns the sums of rows of DOMAINS by a key of their domains. */
function sumLines<Key>(rows: readonly Lines[], keyOf: (domain: string) => Key): Map<Key, Counts> {
  const sums = new Map<Key, Counts>();
  for (const { lines } of rows) for (const line of lines.split("\n")) addLine(sums, line, keyOf);
  return new Map([...sums].map(([key, counts]) => [key, withRefused(counts)]));
}

/** The count of which the first domains have most. */
export type Most = "sent" | "bounced";

/** Returns sums by domain, those with the most first. */
export const rank = (sums: ReadonlyMap<string, Counts>, most: Most = "sent"): [string, Counts][] =>
  [...sums].toSorted(([a, of], [b, than]) => than[most] - of[most] || than.sent - of.sent || (a < b ? -1 : 1));

/** Returns the counts of a row, whose `sent` is what the egress took, with what it refused. */
export const withRefused = <Row extends Counts>(row: Row): Row => ({ ...row, sent: row.sent + row.refused });

/** Adds a line of DOMAINS to the sums. A period has up to 200,000 lines, so none makes a new object for its domain. */
function addLine<Key>(sums: Map<Key, Counts>, line: string, keyOf: (domain: string) => Key): void {
  const [domain = "", ...counts] = line.split(" ");
  const key = keyOf(domain);
  const sum = sums.get(key) ?? { ...NO_COUNTS };
  sums.set(key, sum);
  for (const [index, column] of RECIPIENT_COLUMNS.entries()) sum[column] += Number(counts[index]);
}

/** Runs SQL about the whole workspace, whose number is its first value. Throws 403 for an API key that is restricted to domains. */
export async function readRollups<Row>(ctx: CallerCtx, sql: string, ...values: unknown[]): Promise<Row[]> {
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  return ctx.mail.listRows<Row>(sql, ctx.workspace.number, ...values);
}

export const NO_COUNTS = Object.fromEntries(RECIPIENT_COLUMNS.map((column) => [column, 0])) as Readonly<Counts>;

/** Returns the sum of counts. */
export const sumCounts = (all: readonly Counts[]): Counts => all.reduce(addCounts, NO_COUNTS);

function addCounts(a: Counts, b: Counts): Counts {
  const sum = { ...a };
  for (const column of RECIPIENT_COLUMNS) sum[column] += b[column];
  return sum;
}
