import type { CallerCtx } from "../../access/caller.ts";
import { idOfTime, timeOfId } from "../../lib/ids.ts";
import { findEmailsTo } from "../../sending/emails/index.ts";
import { findPersonTopics, type PersonTopicRow, personKey } from "../../sending/topics/index.ts";
import { toldLinesSql } from "../automations/index.ts";
import { skipWords } from "../broadcasts/index.ts";
import { findRestrictionsOf, type RestrictionsOfPerson } from "./queries.ts";

/** Something that happened to a person. `at` in milliseconds since 1970. */
export interface TimelineEntry {
  at: number;
  kind: "email" | "event" | "topic" | "run" | "contact" | "consent" | "suppression" | "broadcast";
  text: string;
  /** Page of the dashboard that has more, below `/app`; null: none. */
  path: string | null;
  /** An event of the email of the text. */
  event?: { event_type: string; metadata: Record<string, unknown> };
}

/** An entry with those that are shown on its page, whenever they happened. Without a text only they are shown. */
type Entry = TimelineEntry & { details?: TimelineEntry[] };

/** A page of the timeline of a person. */
interface Timeline {
  entries: TimelineEntry[];
  /** The time before which the next page is; null on the last. */
  next: number | null;
  /** Clauses that say what stops mail to the person now. */
  stops: string[];
}

/** Entries of each kind that a page reads. It may show some more that happened in one millisecond. */
const PAGE = 50;
const NIL = "00000000-0000-0000-0000-000000000000";
const NEVER = Number.NEGATIVE_INFINITY;

/** Entries of one kind of one millisecond that a page shows at most: a batch of events is one. */
const SAME_TIME = 500;

/** Events of an email, and lines of the history of a run, that a page shows. */
const MAX_DETAILS = 20;

// A page ends between two times, so that the next one begins below it. ?1, ?2: the person; ?3: the time; ?4: PAGE.
const pageSql = (columns: string, from: string, time: string, order = time) => `
  SELECT ${columns}, ${time} AS at FROM ${from} AND ${time} < ?3 AND ${time} >= (
    SELECT min(at) FROM (SELECT ${time} AS at FROM ${from} AND ${time} < ?3 ORDER BY ${order} DESC LIMIT ?4))
   ORDER BY ${order} DESC LIMIT ?4 + ${SAME_TIME}`;

const WHY = Object.entries(skipWords).map(([why, clause]) => `WHEN '${why}' THEN '${clause}'`);

// The values of the data of an event as people read them, without ids.
const WORDS = `(
  SELECT substr(group_concat(replace(key, '_', ' ') || ': ' || iif(type IN ('true', 'false'), type, atom), ', '), 1, 200) FROM json_tree(e.data)
   WHERE typeof(key) = 'text' AND atom IS NOT NULL AND atom NOT GLOB '????????-????-????-????-????????????')`;

/** The sources in the mail database, by the kind of their entries. Emails, contacts and consents have a record of their own events. */
const SOURCES = {
  event: pageSql(
    `name AS text, NULL AS path, ${WORDS} AS words, e.data->>'topic_id' AS topic, occurred_at,
     (SELECT name FROM contact_lists WHERE workspace = ?1 AND id = e.data->>'list_id') AS list`,
    `events e WHERE workspace = ?1 AND email_key = ?2 AND name <> 'contact.confirmed'
     AND NOT (name = 'contact.added' AND EXISTS (SELECT 1 FROM contacts WHERE workspace = ?1 AND id = e.data->>'contact_id'))
     AND NOT (substr(name, 1, 6) = 'email.' AND EXISTS (SELECT 1 FROM emails WHERE workspace = ?1 AND id = e.data->>'email_id'))`,
    "created_at",
    "e.n",
  ),
  run: pageSql(
    `'Entered ' || a.name || ': ' || iif(r.status = 'active', 'inside', r.status) AS text,
     '/automations/' || a.id || '/runs/' || r.id AS path, ${toldLinesSql("a.name", "r.history", MAX_DETAILS)} AS lines`,
    "automation_runs r CROSS JOIN automations a ON a.n = r.automation WHERE r.workspace = ?1 AND r.email_key = ?2",
    "r.started_at",
    "r.n",
  ),
  consent: pageSql(
    `CASE kind WHEN 'requested' THEN 'Asked for mail of ' WHEN 'confirmed' THEN 'Confirmed to be on ' ELSE 'Consent was stated for ' END
     || list_name || coalesce(': ' || source, '') || coalesce(' (from ' || ip || ')', '') AS text, NULL AS path`,
    "consents o WHERE workspace = ?1 AND email_key = ?2",
    "o.at",
  ),
  // By the indexes of skipped contacts.
  broadcast: pageSql(
    `'Skipped by ' || b.name || ': ' || CASE s.why ${WHY.join(" ")} END AS text, iif(b.bulk_tags IS NULL, '/broadcasts/' || b.id, NULL) AS path`,
    `contacts c CROSS JOIN (
       SELECT contact, broadcast, coalesce(cause, reason) AS why FROM broadcast_skipped UNION ALL
       SELECT contact, broadcast, 'pending' FROM broadcast_pending) s ON s.contact = c.n
       CROSS JOIN broadcasts b ON b.n = s.broadcast WHERE c.workspace = ?1 AND c.email_key = ?2`,
    "coalesce(b.sent_at, b.updated_at)",
  ),
  contact: pageSql(
    `'Added to ' || l.name || iif(c.pending_since IS NULL, '', ', and has not confirmed') AS text, NULL AS path`,
    "contacts c CROSS JOIN contact_lists l ON l.n = c.list WHERE c.workspace = ?1 AND c.email_key = ?2",
    "c.created_at",
  ),
} as const;

const NEEDS: Partial<Record<keyof typeof SOURCES, "automations:view" | "broadcasts:view">> = {
  run: "automations:view",
  broadcast: "broadcasts:view",
};

/** A row of a source. Runs have `lines`, events the other fields. */
interface SourceRow {
  at: number;
  text: string;
  path: string | null;
  lines?: string;
  words?: string | null;
  occurred_at?: number;
  topic?: string | null;
  list?: string | null;
}

const PENDING = `
  SELECT l.name FROM contacts c CROSS JOIN contact_lists l ON l.n = c.list
   WHERE c.workspace = ?1 AND c.email_key = ?2 AND c.pending_since IS NOT NULL LIMIT 10`;

/**
 * Returns what happened to a person, newest first, before a time, and what stops mail now, as far as the caller may see them: emails with
 * opens, clicks and failures, events, topics, runs of automations with what they left out, consents, contacts, suppressions, and broadcasts
 * that skipped the person. Throws 404 for what is no address.
 */
export async function readTimeline(ctx: CallerCtx, email: string, before = Number.MAX_SAFE_INTEGER): Promise<Timeline> {
  const key = personKey(email);
  const { scopes } = ctx.actor;
  const kinds = (Object.keys(SOURCES) as (keyof typeof SOURCES)[]).filter((kind) =>
    scopes.has(NEEDS[kind] ?? "contacts:view"),
  );
  const person = [ctx.workspace.number, key];
  const [{ found: emails, end }, { topics }, restrictions, [pending, ...rows]] = await Promise.all([
    scopes.has("emails:view") ? readEmails(ctx, key, before) : { found: [], end: NEVER },
    findPersonTopics(ctx, ctx.workspace.number, key),
    findRestrictionsOf(ctx, ctx.workspace.number, key),
    ctx.mail.batch<SourceRow & { name: string }>([
      ctx.mail.prepare(PENDING).bind(...person),
      ...kinds.map((kind) => ctx.mail.prepare(SOURCES[kind]).bind(...person, before, PAGE)),
    ]),
  ]);
  const read = rows.map(({ results }, index) => results.map((row) => toEntry(kinds[index] ?? "event", row, topics)));
  const states = [...topics.flatMap(ofTopic), ...ofRestrictions(restrictions)].filter(({ at }) => at < before);
  const all = [...read, emails, states].flat().toSorted((a, b) => b.at - a.at);
  const last = all[PAGE - 1]?.at ?? NEVER;
  const shown = all.filter(({ at }) => at >= last && at > end);
  const hasMore = end > NEVER || shown.length < all.length || read.some((part) => part.length >= PAGE);
  const left = topics.filter(({ choice, defaultChoice }) => (choice ?? defaultChoice) === "unsubscribed");
  return {
    entries: shown
      .flatMap(({ details = [], ...entry }) => [...(entry.text === "" ? [] : [entry]), ...details])
      .toSorted((a, b) => b.at - a.at),
    next: hasMore ? (shown.at(-1)?.at ?? end) : null,
    stops: [
      ...findStops(restrictions).map(({ text }) => text),
      ...stopOf(pending?.results.map(({ name }) => name) ?? [], "pending"),
      ...stopOf(
        left.map(({ name }) => name),
        "topic",
      ),
    ],
  };
}

/** Events of emails that are no step of their delivery by plan. */
const isTold = ({ type, metadata }: { type: string; metadata?: Record<string, unknown> | null }) =>
  !["queued", "scheduled", "sent", "delivered"].includes(type) && !metadata?.machine && !metadata?.repeat;

/** Returns emails with their events. `end`: the time from which on all are read. */
async function readEmails(ctx: CallerCtx, key: string, before: number): Promise<{ found: Entry[]; end: number }> {
  const range = before === Number.MAX_SAFE_INTEGER ? {} : { before: idOfTime(before, NIL) };
  const { rows, next } = await findEmailsTo(ctx, key, { ...range, limit: PAGE + 1 });
  // Others of the last time may follow, unless all are of one.
  const last = next === null ? NEVER : timeOfId(next);
  const whole = rows.filter(({ row }) => timeOfId(row.id) > last);
  const isCut = whole.length > 0 || rows.length === 0;
  const found = (isCut ? whole : rows).map(({ row: { id, subject, status, recipients }, entries: [own], events }) => {
    const state = recipients.length > 1 ? own?.state : status;
    const email = { at: timeOfId(id), kind: "email" as const, path: `/emails/${id}`, text: `“${subject}”: ${state}` };
    const details = events.filter(isTold).slice(-MAX_DETAILS);
    return {
      ...email,
      details: details.map(({ type, at, metadata }) => ({
        ...email,
        at,
        text: `“${subject}”`,
        event: { event_type: type, metadata: { ...metadata, recipient: null } },
      })),
    };
  });
  return { found, end: isCut ? last : last - 1 };
}

/** Events of the service in words. Those of callers have the names that the callers chose. */
const OWN_EVENTS: Readonly<Record<string, string>> = {
  "contact.added": "Added to",
  "contact.removed": "Removed from",
  "contact.field_changed": "A field was changed",
  "email.bounced": "An email bounced",
  "email.clicked": "Clicked in an email",
  "email.delivered": "An email was delivered",
  "email.opened": "Opened an email",
  "topic.subscribed": "Subscribed to",
  "topic.unsubscribed": "Unsubscribed from",
};

function toEntry(kind: TimelineEntry["kind"], row: SourceRow, topics: readonly PersonTopicRow[]): Entry {
  const { at, text, path, lines } = row;
  const details = JSON.parse(lines ?? "[]") as { at: number; text: string }[];
  const told = kind === "event" ? eventText(row, topics) : text;
  return { at, kind, text: told, path, details: details.map((line) => ({ ...line, kind, path })) };
}

/** Returns an event in words; nothing for the choice of a topic that still counts, which has an entry of its own. */
function eventText({ text, words, occurred_at = 0, topic, list }: SourceRow, topics: readonly PersonTopicRow[]) {
  const own = OWN_EVENTS[text];
  if (text.startsWith("topic.")) {
    const found = topics.find(({ id }) => id === topic);
    // The choice and its event are made by one call.
    if (found?.chosenAt && Math.abs(found.chosenAt - occurred_at) < 1_000) return "";
    return `${own} ${topic === null ? "all mailings" : (found?.name ?? "a topic that was deleted")}`;
  }
  if (own && text !== "contact.field_changed")
    return `${own} ${text.startsWith("contact.") ? (list ?? "a list that was deleted") : ""}`.trim();
  return words === null ? (own ?? text) : `${own ?? text} (${words})`;
}

function ofTopic({ name, choice, chosenAt, method }: PersonTopicRow): Entry[] {
  if (choice === null || chosenAt === null) return [];
  return [{ at: chosenAt, kind: "topic", text: `${name}: ${choice}${method ? `, by ${method}` : ""}`, path: null }];
}

/** Returns since when all mail or all bulk mail is stopped, as clauses. */
function findStops({ suppression, softBounces }: RestrictionsOfPerson): { at: number; text: string }[] {
  const stop = (at: number, kind: string, why: keyof typeof skipWords) => ({
    at,
    text: `no ${kind}, because ${skipWords[why]}`,
  });
  const kind = suppression?.reason === "unsubscribe" ? "bulk mail" : "mail";
  return [
    ...(suppression ? [stop(suppression.createdAt, kind, suppression.reason)] : []),
    ...(softBounces?.listedAt ? [stop(softBounces.listedAt, "bulk mail", "soft_bounces")] : []),
  ];
}

/** Returns the restrictions as entries: what stops mail, and soft bounces that may stop it. */
function ofRestrictions(restrictions: RestrictionsOfPerson): Entry[] {
  const { emailIds, lastAt: at } = restrictions.softBounces ?? { emailIds: "[]", lastAt: 0 };
  const count = (JSON.parse(emailIds) as string[]).length;
  const told = findStops(restrictions).map(({ at, text }) => ({ at, text: `Gets ${text}` }));
  const soft = count === 0 ? [] : [{ at, text: `Soft bounces in a row: ${count}` }];
  return [...told, ...soft].map((one) => ({ ...one, kind: "suppression", path: null }));
}

/** Returns clauses of what stops mail about one thing: of lists that wait for a confirmation, and of topics. */
const stopOf = (names: readonly string[], why: keyof typeof skipWords) =>
  names.length === 0 ? [] : [`no mail of ${names.join(", ")}, because ${skipWords[why]}`];
