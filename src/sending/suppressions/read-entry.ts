import { type LeftOutRow, quoted, readAddress } from "../../lib/csv/rows.ts";
import type { SuppressionEntry } from "./suppress.ts";

/** Reads the rows of files with suppressions, also of those that other services export. Pure. */

/** Positions of the columns of a file. */
export interface EntryColumns {
  email: number;
  reason: number | null;
  createdAt: number | null;
}

type EntryRow = { entry: Pick<SuppressionEntry, "email" | "reason" | "at"> } | LeftOutRow;

/** Words of reasons, also those of other services, in the order in which they are looked for. */
const WORDS: readonly (readonly [SuppressionEntry["reason"], RegExp])[] = [
  ["complaint", /spam|complain|abuse/i],
  ["unsubscribe", /unsub|opt.?out|bl(?:o|a)c?klist|disabled|inactive|archived|non-?subscribed/i],
  ["bounce", /bounce|invalid|block|cleaned/i],
  ["manual", /manual|by hand/i],
];

/** Reads the cells of a row, whose header has `width` cells. `reason`: of a row that names none. `now` in milliseconds since 1970. */
export function readEntry(
  cells: readonly string[],
  width: number,
  columns: EntryColumns,
  { reason: otherwise, now }: { reason: SuppressionEntry["reason"]; now: number },
): EntryRow {
  const row = readAddress(cells, width, columns.email);
  if (!("address" in row)) return row;
  const [word, time] = [row.cell(columns.reason), row.cell(columns.createdAt)];
  const reason = word === "" ? otherwise : WORDS.find(([, pattern]) => pattern.test(word))?.[0];
  if (reason === undefined) return { issue: `${quoted(word)} is no reason: bounce, complaint, unsubscribe or manual` };
  const at = time === "" ? undefined : readTime(time);
  if (at === null || (at !== undefined && at > now)) return { issue: `${quoted(time)} is no time that has passed` };
  return { entry: { email: row.address.key, reason, at } };
}

/** Words for people who get mail, and for those who left. */
const STAYS = /^(?:subscribed|active|enabled|confirmed|false|no|0)?$/i;
const LEFT = /^(?:true|yes|1|x)$/i;

/**
 * Reads a cell that says whether a person left: a word, yes or no, or the time of it. Null: the person gets mail. Undefined: it says neither.
 * `now` in milliseconds since 1970.
 */
export function readLeft(cell: string, now: number): Pick<SuppressionEntry, "reason" | "at"> | null | undefined {
  const text = cell.trim();
  if (STAYS.test(text)) return null;
  if (LEFT.test(text)) return { reason: "unsubscribe" };
  const at = readTime(text);
  if (at !== null) return at <= now ? { reason: "unsubscribe", at } : undefined;
  const reason = WORDS.find(([, pattern]) => pattern.test(text))?.[0];
  return reason && { reason };
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Returns a time in milliseconds since 1970: ISO 8601, in UTC when it names no zone, or seconds since 1970. Null when it is none. */
function readTime(text: string): number | null {
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000;
  const [, day, clock = "00:00", zone = "Z"] = TIME.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${zone}`);
  return at >= 0 ? at : null;
}
