import { tokensOf } from "../addresses/tokens.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** The end of the year 9999, after which ISO 8601 needs more digits. */
const END = Date.UTC(10_000, 0);

const WEEKDAY = String.raw`^(?:[a-z]{3,9}\.?\s*,?\s*)?`;
const MONTH = String.raw`(?<month>[a-z]{3})[a-z]{0,6}\.?`;
const TIME = String.raw`(?<hour>\d{1,2})\s*:\s*(?<minute>\d{1,2})(?:\s*:\s*(?<second>\d{1,2})(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`\s*(?:gmt|utc?)?(?<zone>[+-]\d\d:?\d\d|[a-z]{1,5}\b)?`;
/** In the order of RFC 5322, of ctime with the year at its end or before the time, and of ISO 8601. */
const FORMS = [
  String.raw`${WEEKDAY}(?<day>\d{1,2})[\s-]+${MONTH}[\s,-]+(?<year>\d{2,9})(?:,?\s+${TIME}${ZONE})?`,
  String.raw`${WEEKDAY}${MONTH}\s+(?<day>\d{1,2}),?\s+${TIME}${ZONE}\s+(?<year>\d{4})`,
  String.raw`${WEEKDAY}${MONTH}\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})(?:\s+${TIME}${ZONE})?`,
  String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[t\s]\s*${TIME}${ZONE})?`,
].map((form) => new RegExp(form, "i"));

/**
 * Reads the date of a header field (RFC 5322 3.3, 4.3), also in other orders that programs write. Returns ms since 1970, or null for a
 * text that is no date or is outside the years 1970 to 9999, which ISO 8601 has four digits for. Never throws.
 */
export const readDate = (value: string): number | null => toTime(findParts(value));

/** Returns the beginning, in UTC, of the day that a date names as it is written, whatever its time and zone (RFC 3501 6.4.4), or null. */
export function readWrittenDay(value: string): number | null {
  const { day, month, year } = findParts(value) ?? {};
  return day === undefined ? null : toTime({ day, month, year });
}

function findParts(value: string): Parts | undefined {
  const text = tokensOf(value.slice(0, 1_000))
    .map((token) => (token.kind === "comment" ? " " : token.text))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
  return FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
}

function toTime(parts: Parts | undefined): number | null {
  const time = parts ? timeOf(parts) : Number.NaN;
  return time >= 0 && time < END ? time : null;
}

/** Returns NaN for a day or a time that does not exist. The second 60 is the one after it (RFC 5322 3.3). */
function timeOf({ day, month = "", year = "", hour = "0", minute = "0", second = "0", zone = "" }: Parts): number {
  const monthIndex = /^\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
  const days = Date.UTC(fullYear(year), monthIndex, Number(day));
  const isDay = monthIndex >= 0 && monthIndex < 12 && new Date(days).getUTCDate() === Number(day);
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return Number.NaN;
  return days + ((Number(hour) * 60 + Number(minute) - zoneMinutes(zone)) * 60 + Number(second)) * 1000;
}

type Parts = Partial<Record<string, string>>;

/**
 * Years of two digits are within 1950 to 2049; those of three digits count from 1900 (RFC 5322 4.3). Years of four digits below 100 are
 * none, since `Date.UTC` would count them from 1900.
 */
function fullYear(year: string): number {
  if (year.length > 3) return Number(year) < 100 ? Number.NaN : Number(year);
  return Number(year) + (year.length === 2 && year < "50" ? 2000 : 1900);
}

/**
 * Returns the minutes by which a zone is ahead of UTC: `+0100` is 60, and EST is -300. Of the names of zones only those of North America
 * have one meaning; any other name counts as UTC (RFC 5322 4.3).
 */
function zoneMinutes(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign) return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const [, place, season] = /^([ecmp])([sd])t$/.exec(zone.toLowerCase()) ?? [];
  return place ? 60 * ((season === "d" ? -4 : -5) - "ecmp".indexOf(place)) : 0;
}
