import { type Cursor, ImapSyntaxError } from "./cursor.ts";

const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59);
const DATE_TIME = /^ ?(\d{1,2}-[a-z]{3}-\d{4}) ((?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60) ([+-]\d{4})$/i;

/**
 * Reads a date-time of APPEND (RFC 3501 9), such as `"17-Jul-1996 02:44:25 -0700"`; phones omit the space before a day of one digit.
 * Returns ms since 1970, within 1970 to 9999.
 */
export function readDateTime(cursor: Cursor): number {
  const [, day = "", minutes, seconds, zone] = DATE_TIME.exec(cursor.string()) ?? [];
  const time = toDay(day) + Date.parse(`1 Jan 1970 ${minutes}${seconds === "60" ? "59" : seconds} ${zone}`);
  return Math.min(Math.max(0, time), LAST_TIME);
}

/** Reads a date of SEARCH, such as `1-Feb-1994`, quoted or not. Returns the beginning of the day in ms since 1970, UTC. */
export const readDate = (cursor: Cursor): number => toDay(cursor.astring());

function toDay(text: string): number {
  const [, day] = /^(\d{1,2})-[a-z]{3}-\d{4}$/i.exec(text) ?? [];
  const time = Date.parse(`${text} 00:00 +0000`);
  if (new Date(time).getUTCDate() !== Number(day)) throw new ImapSyntaxError("The date is malformed");
  return time;
}

/** Returns a time as IMAP writes it, quoted and in UTC. `time` in ms since 1970. */
export function formatDateTime(time: number): string {
  const [, day = "", month, year, clock] = new Date(time).toUTCString().split(" ");
  return `"${day.replace(/^0/, " ")}-${month}-${year} ${clock} +0000"`;
}
