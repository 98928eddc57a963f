import { utf8Length } from "../../../lib/bytes.ts";
import { headOf } from "../../../lib/ids.ts";
import type { EventEntry, StoredDelivery, StoredEvent, StoredQueued } from "../../../platform/db/email-json.ts";

const QUEUED: StoredQueued = 0;

/** Bytes of the column `events`. D1 refuses a row of 2,000,000, and then no outcome of the email could be written. */
const MAX_EVENTS_BYTES = 600_000;

/**
 * Returns the SQL that appends an event, itself SQL of a JSON value, to the column `events`. Beyond MAX_EVENTS_BYTES only the first
 * event and this one stay.
 */
export const appendEventSql = (event: string) =>
  `json_insert(iif(octet_length(events) < ${MAX_EVENTS_BYTES}, events, json_array(json(events->'$[0]'))), '$[#]', ${event})`;

/** The fields of an email that give its event `queued`. `createdAt` in milliseconds since 1970. */
interface Origin {
  id: string;
  createdAt: number;
}

/** The fields of an email that its events refer to. */
interface Email extends Origin {
  recipients: readonly { email: string }[];
}

/** Returns the event of an email that was queued when it was created. It has the id of its email. Pure. */
export const queuedEvent = ({ id, createdAt }: Origin): EventEntry => ({ id, type: "queued", at: createdAt });

interface Queued {
  events: readonly EventEntry[];
  createdAt: number;
  broadcast?: number | null;
  scheduledAt?: number | null;
}

/** Returns when an email was queued, in ms since 1970, for its field Date. One that waits for a local time is queued then. Pure. */
export function queuedAt({ events, createdAt, broadcast, scheduledAt }: Queued): number {
  const at = events.findLast(({ type }) => type === "queued")?.at ?? createdAt;
  return typeof broadcast === "number" ? Math.max(at, scheduledAt ?? 0) : at;
}

/** Returns the events of an email from the entries of its row. Pure. */
export function readEvents(stored: readonly StoredEvent[], email: Email): EventEntry[] {
  return stored.map((entry) => {
    if (entry === QUEUED) return queuedEvent(email);
    return Array.isArray(entry) ? readDelivery(entry, email) : entry;
  });
}

/**
 * Returns the entries that the row of an email stores. Those of a queued email are its events, so that an earlier
 * version can deliver it. Beyond MAX_EVENTS_BYTES the first entry and the newest stay. Pure.
 */
export function toStoredEvents(state: Email & { status: string; events: readonly EventEntry[] }): StoredEvent[] {
  const entries = state.status === "queued" ? [...state.events] : shortenEvents(state.events, state);
  let bytes = utf8Length(JSON.stringify(entries));
  let dropped = 0;
  while (bytes > MAX_EVENTS_BYTES && dropped + 1 < entries.length)
    bytes -= utf8Length(JSON.stringify(entries[++dropped])) + 1;
  return entries.toSpliced(1, dropped);
}

/** Returns the entries that a row stores when only versions that know their short forms read it. Pure. */
export function shortenEvents(events: readonly EventEntry[], email: Email): StoredEvent[] {
  return events.map((event) => (isFirst(event, email) ? QUEUED : (toStoredDelivery(event, email) ?? event)));
}

function isFirst({ id, type, at, metadata }: EventEntry, origin: Origin): boolean {
  return id === origin.id && type === "queued" && at === origin.createdAt && metadata === undefined;
}

/** Returns the short form of an event, or null when `readDelivery` would not return the same event for it. */
function toStoredDelivery(event: EventEntry, email: Email): StoredDelivery | null {
  const { recipient, relay, attempt, dsn, response } = event.metadata ?? {};
  if (typeof relay !== "string" || typeof attempt !== "number" || typeof dsn !== "string") return null;
  if (typeof response !== "string") return null;
  const position = email.recipients.findIndex((entry) => entry.email === recipient);
  const code = response.split(" ", 2)[1] === dsn ? 0 : dsn;
  const end = event.id.slice(TIME_CHARACTERS);
  const short: StoredDelivery = [end, event.at - email.createdAt, position, relay, attempt, code, response];
  return JSON.stringify(readDelivery(short, email)) === JSON.stringify(event) ? short : null;
}

function readDelivery([end, ms, position, relay, attempt, code, response]: StoredDelivery, email: Email): EventEntry {
  const at = email.createdAt + ms;
  const recipient = email.recipients[position]?.email;
  const dsn = code === 0 ? response.split(" ", 2)[1] : code;
  return { id: headOf(at) + end, type: "delivered", at, metadata: { recipient, relay, attempt, dsn, response } };
}

/** Characters of a UUIDv7 that have its time, and the hyphen between them (src/lib/ids.ts). */
const TIME_CHARACTERS = 13;
