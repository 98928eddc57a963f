import type { EventEntry } from "../../../platform/db/email-json.ts";
import { classifyHits, countedIds, isHitEvent } from "./classify-hits.ts";
import type { MergeResult } from "./merge.ts";
import { domainOf, hourOf, type RollupCounts, zeroCounts } from "./rollup-counts.ts";
import { type EmailState, recipientKey } from "./state.ts";

/** One open or click. Its id becomes the event's id, so the same hit counts once. */
export interface Hit {
  id: string;
  kind: "open" | "click";
  /** Milliseconds since 1970. */
  at: number;
  /** Index of the recipient. Null when several recipients got the same message. */
  recipient: number | null;
  /** Target of a click. */
  url?: string;
  /** The target as its author wrote it, with placeholders, when the link is personal. */
  link?: string;
  userAgent: string;
  ip: string;
  /** True when the client's user agent, headers or network identify a machine. */
  machine: boolean;
}

/** Opens and clicks that are stored as events of an email. Later ones are only counted. */
const MAX_HIT_EVENTS = 50;
/** Events of machines are stored up to this number, so that they leave room for those of persons. */
const MAX_MACHINE_EVENTS = 25;
/** Ids of later hits that are stored, so that a hit that the queue delivers twice counts once. */
const MAX_REMEMBERED_HITS = 200;

/** Characters of a target that its event stores, so that 50 events stay below the size limit of a row. */
const MAX_EVENT_URL = 2000;

/** The counter of an email and the column of the roll-ups, by kind of hit. */
const COUNTERS = [
  { kind: "open", counter: "openedCount", column: "opens" },
  { kind: "click", counter: "clickedCount", column: "clicks" },
] as const;

/**
 * Merges opens and clicks into an email, in any order and any number of times. All hits of the email are classified again each time, so a
 * client that turns out to be a scanner loses the hits that were counted before. Counters are the counted events, plus the hits by persons
 * that came after MAX_HIT_EVENTS. The roll-ups count emails with at least one counted hit. Takes the result of mergeFacts. Pure.
 */
export function mergeHits(merged: MergeResult, hits: readonly Hit[]): MergeResult {
  const before = merged.state;
  const fresh = newEvents(before, hits);
  if (fresh.length === 0) return merged;
  const classified = classifyHits([...before.events, ...fresh]);
  const freshIds = new Set(fresh.map(({ id }) => id));
  const stored = classified.filter(({ id }) => !freshIds.has(id));
  const added = classified.filter(({ id }) => freshIds.has(id));
  const { events, later } = storeEvents(stored, added);
  const changed = later.length > 0 || JSON.stringify(events) !== JSON.stringify(before.events);
  if (!changed) return merged;
  const state: EmailState = {
    ...before,
    // Classifies the stored events again: a hit that is not stored must not mark another one as a repeat.
    events: classifyHits(events),
    hits: [...before.hits, ...later.map(({ id }) => hitKey(id))].slice(-MAX_REMEMBERED_HITS),
    version: merged.changed ? before.version : before.version + 1,
  };
  const rollups = COUNTERS.flatMap((names) => updateCounter(state, before, later, names));
  const opened = [...events.filter(({ id }) => freshIds.has(id)), ...later];
  const unsuppress = before.retriedAt === null ? [] : personKeys(before, opened);
  return {
    ...merged,
    state,
    rollups: [...merged.rollups, ...rollups],
    unsuppress: [...merged.unsuppress, ...unsuppress],
    added: [...merged.added, ...opened],
    changed: true,
  };
}

/** Returns the last 48 bits of an id, which are random: enough to tell the hits of one email apart. */
const hitKey = (id: string) => id.slice(-12);

/** Returns the events of the hits that the email does not have yet. */
function newEvents(state: EmailState, hits: readonly Hit[]): EventEntry[] {
  const known = new Set([...state.hits, ...state.events.map(({ id }) => hitKey(id))]);
  return hits.flatMap((hit) => {
    if (known.has(hitKey(hit.id))) return [];
    known.add(hitKey(hit.id));
    return [toEvent(state, hit)];
  });
}

/** Adds events while there is room. Returns those by persons that found none: they are only counted. */
function storeEvents(
  stored: readonly EventEntry[],
  fresh: readonly EventEntry[],
): { events: EventEntry[]; later: EventEntry[] } {
  const events = [...stored];
  const later: EventEntry[] = [];
  let left = MAX_HIT_EVENTS - stored.filter(isHitEvent).length;
  let machineLeft = MAX_MACHINE_EVENTS - stored.filter((event) => isHitEvent(event) && event.metadata?.machine).length;
  for (const event of fresh) {
    if (event.metadata?.machine) {
      if (left <= 0 || machineLeft <= 0) continue;
      machineLeft -= 1;
    } else if (left <= 0) {
      later.push(event);
      continue;
    }
    left -= 1;
    events.push(event);
  }
  return { events, later };
}

/** Returns the keys of the recipients that hits by persons name. */
function personKeys({ recipients }: EmailState, events: readonly EventEntry[]): string[] {
  const names = events.filter(({ metadata }) => !metadata?.machine).map(({ metadata }) => metadata?.recipient);
  return recipients.filter(({ email }) => names.includes(email)).map(recipientKey);
}

function toEvent(state: EmailState, { id, kind, at, recipient, url, link, userAgent, ip, machine }: Hit): EventEntry {
  const entry = recipient === null ? undefined : state.recipients[recipient];
  const metadata = {
    ...(url === undefined ? {} : { url: url.slice(0, MAX_EVENT_URL) }),
    ...(link === undefined ? {} : { link: link.slice(0, MAX_EVENT_URL) }),
    ...(entry ? { recipient: entry.email } : {}),
    user_agent: userAgent,
    ip,
    ...(machine ? { machine: true } : {}),
  };
  return { id, type: kind, at, metadata };
}

/** Updates one counter of `state`. Returns the change of the roll-ups. */
function updateCounter(
  state: EmailState,
  before: EmailState,
  later: readonly EventEntry[],
  { kind, counter, column }: (typeof COUNTERS)[number],
): RollupCounts[] {
  const [old, now] = [countedIds(before.events, kind), countedIds(state.events, kind)];
  const added = later.filter(({ type, metadata }) => type === kind && !metadata?.repeat);
  state[counter] = Math.max(0, before[counter] + now.size - old.size + added.length);
  const [lost, gained] = [countedPlace(before, counter, old), countedPlace(state, counter, now)];
  if (lost?.hour === gained?.hour && lost?.domain === gained?.domain) return [];
  return [...toCounts(lost, column, -1), ...toCounts(gained, column, 1)];
}

interface CountedPlace {
  /** Milliseconds since 1970, and the hour of it. */
  at: number;
  hour: number;
  /** Null when the domain of the recipient is not known. */
  domain: string | null;
}

/** Returns where the roll-ups count an email: at its earliest hit that counts. Null when it has none. */
function countedPlace(
  state: EmailState,
  counter: (typeof COUNTERS)[number]["counter"],
  counted: ReadonlySet<string>,
): CountedPlace | null {
  if (state[counter] === 0) return null;
  const [first] = counted;
  const event = state.events.find(({ id }) => id === first);
  // Hits beyond MAX_HIT_EVENTS have no event: only they count when all others turned out to be by machines.
  const at = event?.at ?? state.sentAt ?? state.createdAt;
  return { at, hour: hourOf(at), domain: domainOfHit(state, event?.metadata?.recipient) };
}

function toCounts(
  place: CountedPlace | null,
  column: (typeof COUNTERS)[number]["column"],
  change: 1 | -1,
): RollupCounts[] {
  if (place === null) return [];
  const domains = place.domain === null ? [""] : ["", place.domain];
  return domains.map((domain) => ({ ...zeroCounts(place.at, domain), [column]: change }));
}

/** Returns the recipient domain of a hit. Without a recipient it is known when all recipients have the same domain. */
function domainOfHit({ recipients }: EmailState, email: unknown): string | null {
  const entry = recipients.find((recipient) => recipient.email === email);
  const domains = new Set((entry ? [entry] : recipients).map((one) => domainOf(recipientKey(one))));
  const [domain] = domains;
  return domains.size === 1 && domain !== undefined ? domain : null;
}
