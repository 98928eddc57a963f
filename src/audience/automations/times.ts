import { firstZone, fromLocalMinute, toLocalMinute } from "../../lib/local-time.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";
import type { Person } from "../conditions/index.ts";

/**
 * Returns the zone of a person: the metadata `timezone` of its contacts, oldest first, if a runtime knows it, else that of the
 * workspace (docs/contract/automations.md#time-zones). Pure.
 */
export function zoneOf(person: Person | null, ofWorkspace: string): string {
  const named = (person?.contacts ?? []).map(({ metadata }) =>
    Object.hasOwn(metadata, "timezone") ? metadata.timezone : undefined,
  );
  return firstZone(...named, ofWorkspace);
}

/** Returns the date of a time in a zone, such as `2026-11-26`. Pure. */
export const dayIn = (zone: string, at: number): string => toLocalMinute(new Date(at), zone).slice(0, 10);

/**
 * Returns when the clock of a zone next shows a time such as `09:00`, on one of the weekdays (1: Monday to 7: Sunday; none: each day):
 * `after` itself, or later, in milliseconds since 1970. Of a time that comes twice on a day the first counts. Pure.
 */
export function nextLocalTime(after: number, time: string, weekdays: readonly number[], zone: string): number {
  const today = Date.parse(`${dayIn(zone, after)}T00:00:00Z`);
  // A week and a day: the hour of the only weekday may be over today.
  for (let days = 0; days <= 8; days++) {
    const date = new Date(today + days * DAY_MS);
    const weekday = date.getUTCDay() === 0 ? 7 : date.getUTCDay();
    if (weekdays.length > 0 && !weekdays.includes(weekday)) continue;
    const at = fromLocalMinute(`${date.toISOString().slice(0, 10)}T${time}`, zone)?.getTime();
    if (at !== undefined && at >= after) return at;
  }
  return after;
}

/** Returns when the quiet hours that a time is in end, or null when it is in none. They may go over midnight. Pure. */
export function endOfQuietHours(at: number, { from, to }: { from: string; to: string }, zone: string): number | null {
  const clock = toLocalMinute(new Date(at), zone).slice(11);
  const isQuiet = from < to ? from <= clock && clock < to : from !== to && (from <= clock || clock < to);
  if (!isQuiet) return null;
  const [now = 0, then = 0] = [clock, to].map((time) => Date.parse(`1970-01-01T${time}Z`));
  const end = at - (at % MINUTE_MS) + ((then - now + DAY_MS) % DAY_MS);
  // An hour that comes twice may be in its second pass, of which `nextLocalTime` knows nothing.
  return toLocalMinute(new Date(end), zone).endsWith(to) ? end : nextLocalTime(at, to, [], zone);
}

/** Returns when the next day begins in a zone. Pure. */
export const nextDay = (at: number, zone: string): number => nextLocalTime(at + 60_000, "00:00", [], zone);
