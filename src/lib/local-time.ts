/** Times as pages show them, in the zone of the viewer. Used by the server and by the script of the pages. Pure. */

/** Greatest length of an IANA name. The longest have 32 characters. */
const MAX_LENGTH = 64;
/** Formatters are kept, since making one takes 50 µs and more. There are about 600 names. */
const MAX_ZONES = 1_000;
const formatters = new Map<string, Formatters | null>();

interface Formatters {
  full: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  clock: Intl.DateTimeFormat;
}

/** Returns whether a text is the IANA name of a time zone that this runtime knows. */
export const isTimeZone = (zone: string): boolean => formattersOf(zone) !== null;

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
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
  try {
    return { full: make({ ...date, ...clock }), day: make(date), clock: make(clock) };
  } catch {
    return null;
  }
}
