import type { EventEntry } from "./state.ts";

/** Stands in the column `events` of a settled email for the event `queued` that `queuedEvent` returns: 75 octets less. */
const QUEUED = 0;

/** One entry of the JSON column `events`. */
export type StoredEvent = EventEntry | typeof QUEUED;

/** What the event `queued` of an email follows from. `createdAt` in milliseconds since 1970. */
interface Origin {
  id: string;
  createdAt: number;
}

/** Returns the event of an email that was queued when it was created. It has the id of its email. Pure. */
export function queuedEvent({ id, createdAt }: Origin): EventEntry {
  return { id, type: "queued", at: createdAt };
}

/** Returns the events of an email from the entries of its row. Pure. */
export function readEvents(stored: readonly StoredEvent[], origin: Origin): EventEntry[] {
  return stored.map((entry) => (entry === QUEUED ? queuedEvent(origin) : entry));
}

/**
 * Returns the entries that the row of an email stores. Those of a queued email are its events, so that an earlier
 * version can deliver it. Pure.
 */
export function toStoredEvents(state: Origin & { status: string; events: readonly EventEntry[] }): StoredEvent[] {
  if (state.status === "queued") return [...state.events];
  return state.events.map((event) => (isFirst(event, state) ? QUEUED : event));
}

function isFirst({ id, type, at, metadata }: EventEntry, origin: Origin): boolean {
  return id === origin.id && type === "queued" && at === origin.createdAt && metadata === undefined;
}
