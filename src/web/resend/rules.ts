const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/, 1_000],
  [/^m(in(ute)?s?)?$/, 60_000],
  [/^h((ou)?rs?)?$/, 3_600_000],
  [/^d(ays?)?$/, 86_400_000],
];

/** The least time ahead that a relative time gives, in ms: an email can be scheduled from a minute ahead on. */
const LEAST_MS = 62_000;

/** Returns the send_at of a `scheduled_at`: `in 5 min` and the like as an ISO 8601 time, other text as it is. `now`: in ms since 1970. */
export function toSendAt(scheduledAt: string, now: number): string {
  const [, count = "", unit = ""] = /^\s*in\s+(\d{1,6}|an?)\s+([a-z]+)\s*$/i.exec(scheduledAt) ?? [];
  const milliseconds = UNITS.find(([name]) => name.test(unit.toLowerCase()))?.[1];
  if (milliseconds === undefined) return scheduledAt;
  const amount = /^\d/.test(count) ? Number(count) : 1;
  return new Date(now + Math.max(amount * milliseconds, LEAST_MS)).toISOString();
}

/** Returns the tag that stores a name and a value. Names of Resend have letters, digits, `_` and `-` only. */
export const toTag = ({ name, value }: { name: string; value?: string | null }) => (value ? `${name}:${value}` : name);

/** Returns the name and the value of a tag. */
export function fromTag(tag: string): { name: string; value: string } {
  const [name = "", ...value] = tag.split(":");
  return { name, value: value.join(":") };
}

/** The last event of an email in Resend's words, by its status. Opens, clicks and complaints come before it. */
const lastEvents: Readonly<Record<string, string>> = {
  scheduled: "scheduled",
  queued: "queued",
  sending: "queued",
  sent: "sent",
  delivered: "delivered",
  bounced: "bounced",
  rejected: "failed",
  failed: "failed",
  cancelled: "canceled",
};

/** Returns the last event of an email in Resend's words. `events` are the types of its events. */
export function lastEventOf(
  status: string,
  counts: { opened: number; clicked: number },
  events: readonly string[],
): string {
  if (events.includes("complained")) return "complained";
  if (status === "delivered" && counts.clicked > 0) return "clicked";
  if (status === "delivered" && counts.opened > 0) return "opened";
  if (status === "rejected" && events.includes("suppressed")) return "suppressed";
  if (status === "queued" && events.includes("deferred")) return "delivery_delayed";
  return lastEvents[status] ?? status;
}
