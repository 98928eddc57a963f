export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the number of days since 1970, in UTC. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Formats milliseconds since 1970 as ISO 8601 in UTC, with milliseconds and Z. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Formats like `iso`. Null stays null. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;

/** Parses an ISO 8601 date and time with offset to ms since 1970. Null: another form, no offset, or a date that does not exist. */
export function parseIso(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second = "00", fraction = "", zone = "Z"] = match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const asUtc = Date.parse(`${wall}Z`);
  // Date.parse accepts the 31st of a short month as the next day; such a date does not format back to the same text.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== wall) return null;
  return asUtc + Number(fraction.slice(0, 3).padEnd(3, "0")) - offsetMs(zone);
}

function offsetMs(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const sign = zone.startsWith("-") ? -1 : 1;
  const digits = zone.slice(1).replace(":", "");
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}

/** Returns when a day such as `2026-11-23` begins in UTC, in ms since 1970, or null for a text that is no day. */
export const startOfDay = (day: string): number | null => parseIso(`${day}T00:00:00Z`);

/** Parses like `parseIso`. Returns microseconds since 1970, below 2^53 until the year 2255, or null. */
export function parseIsoMicros(text: string): number | null {
  const ms = parseIso(text);
  if (ms === null) return null;
  const fraction = DATE_TIME.exec(text)?.[7] ?? "";
  return ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, "0"));
}

/** Formats microseconds since 1970 as ISO 8601 in UTC, with microseconds and Z. */
export function isoMicros(us: number): string {
  const ms = Math.floor(us / 1000);
  return iso(ms).replace("Z", `${String(us - ms * 1000).padStart(3, "0")}Z`);
}
