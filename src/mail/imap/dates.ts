import { DAY_MS } from "../../lib/time.ts";
import { type Cursor, ImapSyntaxError } from "./cursor.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Reads a date-time of APPEND, such as `"17-Jul-1996 02:44:25 -0700"`. Returns ms since 1970. */
export function readDateTime(cursor: Cursor): number {
  const match = /^([ \d]\d-[A-Za-z]{3}-\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/.exec(cursor.string());
  if (!match) throw new ImapSyntaxError("The date is malformed");
  const [, day = "", hours, minutes, seconds, sign, zoneHours, zoneMinutes] = match;
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  if (hour > 23 || minute > 59 || second > 60) throw new ImapSyntaxError("The date is malformed");
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  return toDay(day.trimStart()) + ((hour * 60 + minute - offset) * 60 + second) * 1000;
}

/** Reads a date of SEARCH, such as `1-Feb-1994`, quoted or not. Returns the beginning of the day in ms since 1970, UTC. */
export const readDate = (cursor: Cursor): number => toDay(cursor.astring());

function toDay(text: string): number {
  const [, day = "", monthName = "", year = ""] = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(text) ?? [];
  const month = MONTHS.findIndex((name) => name.toLowerCase() === monthName.toLowerCase());
  const time = Date.UTC(Number(year), month, Number(day));
  if (month < 0 || new Date(time).getUTCDate() !== Number(day)) throw new ImapSyntaxError("The date is malformed");
  return time;
}

/** Returns a time as IMAP writes it, quoted and in UTC. `time` in ms since 1970. */
export function formatDateTime(time: number): string {
  const date = new Date(Math.floor(time / 1000) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = String(date.getUTCDate()).padStart(2, " ");
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `"${day}-${MONTHS[date.getUTCMonth()]}-${String(date.getUTCFullYear()).padStart(4, "0")} ${clock} +0000"`;
}

/** The day of a time in UTC, for comparison with dates of SEARCH. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;
