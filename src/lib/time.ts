/** ISO 8601 in UTC with milliseconds and Z, of milliseconds since 1970. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same, or null. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;

/**
 * Milliseconds since 1970 of an ISO 8601 date and time with its offset; null when the text is no such time,
 * names a day that does not exist, or has no offset.
 */
export function parseIso(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second = "00", fraction = "", zone = "Z"] = match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const asUtc = Date.parse(`${wall}Z`);
  // Date.parse rolls the 31st of a short month over; a time that does not print back was never on a clock.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 19) !== wall) return null;
  return asUtc + Number(fraction.slice(0, 3).padEnd(3, "0")) - offsetMs(zone);
}

function offsetMs(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const sign = zone.startsWith("-") ? -1 : 1;
  const digits = zone.slice(1).replace(":", "");
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}

/** Microseconds since 1970 of such a text; null like `parseIso`. Below 2^53 until the year 2255. */
export function parseIsoMicros(text: string): number | null {
  const ms = parseIso(text);
  if (ms === null) return null;
  const fraction = DATE_TIME.exec(text)?.[7] ?? "";
  return ms * 1000 + Number(fraction.slice(3, 6).padEnd(3, "0"));
}

/** ISO 8601 in UTC of microseconds since 1970. */
export function isoMicros(us: number): string {
  const ms = Math.floor(us / 1000);
  return iso(ms).replace("Z", `${String(us - ms * 1000).padStart(3, "0")}Z`);
}
