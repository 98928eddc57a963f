/** Times as pages show them, in the zone of the viewer. Used by the server and by the script of the pages. Pure. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "./time.ts";

const UNITS = [
  [DAY_MS, "day"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
] as const;

/** Greatest length of an IANA name. The longest have 32 characters. */
const MAX_LENGTH = 64;
/** Formatters are kept, since making one takes 50 µs and more. There are about 600 names. */
const MAX_ZONES = 1_000;
const formatters = new Map<string, Formatters | null>();

/** How pages show a time: "2 min ago"; of today without the date; to the minute; to the second. */
export type TimeForm = "relative" | "short" | "whole" | "seconds";

interface Formatters {
  full: Intl.DateTimeFormat;
  seconds: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  clock: Intl.DateTimeFormat;
  minute: Intl.DateTimeFormat;
}

/** Returns whether a text is the IANA name of a time zone that this runtime knows. */
export const isTimeZone = (zone: string): boolean => formattersOf(zone) !== null;

/** Returns the first of some values that is the name of a zone, without space around it, or UTC. */
export const firstZone = (...values: readonly unknown[]): string =>
  values.map((value) => (typeof value === "string" ? value.trim() : "")).find(isTimeZone) ?? "UTC";

/** Returns the names of all zones, in alphabetical order. */
export const timeZones = (): string[] => [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();

/** Returns a time to the minute, such as "21 Nov 2026, 14:05". In UTC it says so. An unknown zone counts as UTC. */
export function formatTime(at: Date, zone: string): string {
  const known = formattersOf(zone);
  if (known === null || zone === "UTC") return `${formattersOf("UTC")?.full.format(at)} UTC`;
  return known.full.format(at);
}

/** Returns a time as lists show it: of today without the date, of this year without the year. */
export function formatShortTime(at: Date, zone: string, now: Date): string {
  const known = formattersOf(zone) ?? formattersOf("UTC");
  if (known === null) return "";
  const [date, today] = [known.day.format(at), known.day.format(now)];
  if (date === today) return known.clock.format(at);
  return date.slice(-4) === today.slice(-4) ? date.slice(0, -5) : date;
}

/** Returns how long ago a time was, or how far ahead it is, such as "2 min ago"; null for a week and more. */
export function formatAgo(at: Date, now: Date): string | null {
  const ms = at.getTime() - now.getTime();
  const [size, unit] = UNITS.find(([each]) => Math.abs(ms) >= each) ?? [0, ""];
  if (Math.abs(ms) >= 7 * DAY_MS) return null;
  if (size === 0) return ms > 0 ? "in a moment" : "just now";
  const count = Math.floor(Math.abs(ms) / size);
  const amount = `${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`;
  return ms > 0 ? `in ${amount}` : `${amount} ago`;
}

/** Returns a time in one of the forms of pages. */
export function textOfTime(form: TimeForm, at: Date, zone: string, now: Date): string {
  if (form === "whole") return formatTime(at, zone);
  if (form === "seconds") return (formattersOf(zone) ?? formattersOf("UTC"))?.seconds.format(at) ?? "";
  return (form === "relative" ? formatAgo(at, now) : null) ?? formatShortTime(at, zone, now);
}

/** Returns a time in the zone of the viewer and in UTC, for the title of a time. */
export function formatWhole(at: Date, zone: string): string {
  const utc = formatTime(at, "UTC");
  const local = formatTime(at, zone);
  return local === utc ? utc : `${local} · ${utc}`;
}

/** Returns a time as a field for date and time has it, such as "2026-11-21T14:05". An unknown zone counts as UTC. */
export function toLocalMinute(at: Date, zone: string): string {
  const parts = (formattersOf(zone) ?? formattersOf("UTC"))?.minute.formatToParts(at) ?? [];
  const { year = "", month, day, hour, minute } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}`;
}

/**
 * Returns the time that a field for date and time means in a zone. When clocks go back, a time that comes twice is the first
 * one; when they go forward, one that is left out is as much later as they go forward. Null for another text or zone.
 */
export function fromLocalMinute(text: string, zone: string): Date | null {
  const asUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(asUtc) || !isTimeZone(zone)) return null;
  const offsetAt = (at: number) => Date.parse(`${toLocalMinute(new Date(at), zone)}Z`) - at;
  // No zone changes its offset twice within two days.
  const [before, after] = [asUtc - offsetAt(asUtc - DAY_MS), asUtc - offsetAt(asUtc + DAY_MS)];
  const found = [before, after].sort((a, b) => a - b).find((at) => toLocalMinute(new Date(at), zone) === text);
  return new Date(found ?? before);
}

function formattersOf(zone: string): Formatters | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  if (formatters.size >= MAX_ZONES) formatters.clear();
  const made = newFormatters(zone);
  formatters.set(zone, made);
  return made;
}

function newFormatters(zone: string): Formatters | null {
  // Runtimes also accept offsets such as +01:00, which have no summer time.
  if (zone.length > MAX_LENGTH || !/^[A-Za-z]/.test(zone)) return null;
  const date = { day: "numeric", month: "short", year: "numeric" } as const;
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const digits = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
  try {
    return {
      full: make({ ...date, ...clock }),
      seconds: make({ ...date, ...clock, second: "2-digit" }),
      day: make(date),
      clock: make(clock),
      minute: make({ ...digits, ...clock }),
    };
  } catch {
    return null;
  }
}
