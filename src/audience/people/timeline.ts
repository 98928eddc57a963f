import type { CallerCtx } from "../../access/caller.ts";
import { idOfTime, isUuid, timeOfId } from "../../lib/ids.ts";
import { findEmailsTo } from "../../sending/emails/index.ts";
import { getPersonTopics, personKey } from "../../sending/topics/index.ts";

/** Something that happened to a person. `at` in milliseconds since 1970. */
export interface TimelineEntry {
  at: number;
  kind: "email" | "event" | "topic" | "run";
  text: string;
  /** Page of the dashboard that has more, below `/app`; null: none. */
  path: string | null;
}

/** A page of the timeline of a person. `next`: the time before which the next page is; null on the last. */
interface Timeline {
  entries: TimelineEntry[];
  next: number | null;
}

/** Entries of each kind that a page reads. It may show some more that happened in one millisecond. */
const PAGE = 50;
const NIL = "00000000-0000-0000-0000-000000000000";

/** Entries of one kind of one millisecond that a page shows at most: a batch of events is one. */
const SAME_TIME = 500;

// A page ends between two times, so that the next one begins below it.
const FIND_EVENTS = `
  SELECT name, substr(data, 1, 200) AS data, created_at AS at FROM events
   WHERE workspace = ?1 AND email_key = ?2 AND created_at < ?3 AND created_at >= (
     SELECT min(created_at) FROM (
       SELECT created_at FROM events WHERE workspace = ?1 AND email_key = ?2 AND created_at < ?3 ORDER BY n DESC LIMIT ?4))
   ORDER BY n DESC LIMIT ?4 + ${SAME_TIME}`;

const FIND_RUNS = `
  SELECT r.id, a.id AS automation, a.name, r.status, r.started_at AS at
    FROM automation_runs r CROSS JOIN automations a ON a.n = r.automation
   WHERE r.workspace = ?1 AND r.email_key = ?2 AND r.started_at < ?3 AND r.started_at >= (
     SELECT min(started_at) FROM (
       SELECT started_at FROM automation_runs WHERE workspace = ?1 AND email_key = ?2 AND started_at < ?3 ORDER BY n DESC LIMIT ?4))
   ORDER BY r.n DESC LIMIT ?4 + ${SAME_TIME}`;

/**
 * Returns what happened to a person, newest first, before a time: emails, events, choices about topics and runs of automations, as far as
 * the caller may see them. Throws 404 for what is no address.
 */
export async function readTimeline(ctx: CallerCtx, email: string, before = Number.MAX_SAFE_INTEGER): Promise<Timeline> {
  const key = personKey(email);
  const { scopes } = ctx.actor;
  const read = await Promise.all([
    scopes.has("emails:view") ? readEmails(ctx, key, before) : [],
    readEvents(ctx, key, before),
    readTopics(ctx, key, before),
    scopes.has("automations:view") ? readRuns(ctx, key, before) : [],
  ]);
  const all = read.flat().toSorted((a, b) => b.at - a.at);
  const last = all[PAGE - 1]?.at ?? Number.NEGATIVE_INFINITY;
  const entries = all.filter(({ at }) => at >= last);
  const hasMore = entries.length < all.length || read.some((part) => part.length >= PAGE);
  return { entries, next: hasMore ? (entries.at(-1)?.at ?? null) : null };
}

async function readEmails(ctx: CallerCtx, key: string, before: number): Promise<TimelineEntry[]> {
  const range = before === Number.MAX_SAFE_INTEGER ? {} : { before: idOfTime(before, NIL) };
  const { rows } = await findEmailsTo(ctx, key, { ...range, limit: PAGE + 1 });
  // Others of the last time may follow, unless all are of one.
  const last = rows.length > PAGE ? timeOfId(rows.at(-1)?.row.id ?? NIL) : Number.NEGATIVE_INFINITY;
  const whole = rows.filter(({ row }) => timeOfId(row.id) > last);
  return (whole.length > 0 ? whole : rows).map(({ row }) => ({
    at: timeOfId(row.id),
    kind: "email" as const,
    path: `/emails/${row.id}`,
    text: `“${row.subject}”: ${row.status}`,
  }));
}

async function readEvents(ctx: CallerCtx, key: string, before: number): Promise<TimelineEntry[]> {
  const { results } = await ctx.mail
    .prepare(FIND_EVENTS)
    .bind(ctx.workspace.number, key, before, PAGE)
    .all<{ name: string; data: string; at: number }>();
  return results.map(({ name, data, at }) => {
    const words = OWN_EVENTS[name] === undefined || name === "contact.field_changed" ? wordsOf(data) : "";
    const text = OWN_EVENTS[name] ?? name;
    return { at, kind: "event", text: words === "" ? text : `${text} (${words})`, path: null };
  });
}

/** Events of the service in words. Those of callers have the names that the callers chose. */
const OWN_EVENTS: Readonly<Record<string, string>> = {
  "contact.added": "Added to a list",
  "contact.confirmed": "Confirmed to be on a list",
  "contact.removed": "Removed from a list",
  "contact.field_changed": "A field was changed",
  "email.bounced": "An email bounced",
  "email.clicked": "Clicked in an email",
  "email.delivered": "An email was delivered",
  "email.opened": "Opened an email",
  "topic.subscribed": "Subscribed to a topic",
  "topic.unsubscribed": "Unsubscribed from a topic",
};

/** A value of an object that is no object itself. The end of the text may be missing. */
const VALUE = /"([^"\\]+)":("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false)/g;

/** Returns the values of JSON as people read them. Ids and what has no value are left out. */
function wordsOf(json: string): string {
  const values = [...json.matchAll(VALUE)].map(
    ([, name = "", value = ""]) => [name, String(JSON.parse(value))] as const,
  );
  return values
    .flatMap(([name, value]) => (isUuid(value) ? [] : [`${name.replaceAll("_", " ")}: ${value}`]))
    .join(", ");
}

async function readTopics(ctx: CallerCtx, key: string, before: number): Promise<TimelineEntry[]> {
  const { topics } = await getPersonTopics(ctx, key);
  return topics.flatMap(({ name, choice, chosen_at }): TimelineEntry[] => {
    const at = chosen_at === null ? Number.POSITIVE_INFINITY : Date.parse(chosen_at);
    return choice !== null && at < before ? [{ at, kind: "topic", text: `${name}: ${choice}`, path: null }] : [];
  });
}

async function readRuns(ctx: CallerCtx, key: string, before: number): Promise<TimelineEntry[]> {
  const { results } = await ctx.mail
    .prepare(FIND_RUNS)
    .bind(ctx.workspace.number, key, before, PAGE)
    .all<{ id: string; automation: string; name: string; status: string; at: number }>();
  return results.map(({ id, automation, name, status, at }) => ({
    at,
    kind: "run" as const,
    path: `/automations/${automation}/runs/${id}`,
    text: `Entered ${name}: ${status === "active" ? "inside" : status}`,
  }));
}
