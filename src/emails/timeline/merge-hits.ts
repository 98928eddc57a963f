import { domainOf, type MergeResult, type RollupCounts, zeroCounts } from "./merge.ts";
import { type EmailState, type EventEntry, recipientKey } from "./state.ts";

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
  userAgent: string;
  ip: string;
  /** True when the client's user agent or headers identify a machine. */
  machine: boolean;
}

/** Opens and clicks that are stored as events of an email. Later ones are only counted. */
export const MAX_HIT_EVENTS = 50;
/** Ids of later hits that are stored, so that a hit that the queue delivers twice counts once. */
export const MAX_REMEMBERED_HITS = 200;
/** A click within this time after the hand-over is a scanner's, in milliseconds. */
export const SCANNER_WINDOW_MS = 2000;

/** Characters of a target that its event stores, so that 50 events stay below the size limit of a row. */
const MAX_EVENT_URL = 2000;

/**
 * Merges opens and clicks into an email, in any order and any number of times. Each hit counts once; hits by machines
 * are not counted. The first counted hit of each kind goes to the roll-ups, which count emails. Takes the result of
 * mergeFacts. Pure.
 */
export function mergeHits(merged: MergeResult, hits: readonly Hit[]): MergeResult {
  const before = merged.state;
  const state: EmailState = { ...before, events: [...before.events], hits: [...before.hits] };
  const known = new Set([...before.hits, ...before.events.map(({ id }) => hitKey(id))]);
  const rollups: RollupCounts[] = [];
  let eventsLeft = MAX_HIT_EVENTS - before.events.filter(({ type }) => type === "open" || type === "click").length;
  const release: string[] = [];
  let changed = false;
  for (const hit of hits) {
    const short = hitKey(hit.id);
    if (known.has(short)) continue;
    known.add(short);
    const classified = { ...hit, machine: hit.machine || isScannerClick(hit, before.sentAt) };
    if (eventsLeft > 0) state.events.push(toEvent(before, classified));
    else if (classified.machine) continue;
    else state.hits.push(short);
    eventsLeft -= 1;
    changed = true;
    if (classified.machine) continue;
    countHit(state, hit, rollups);
    const entry = hit.recipient === null ? undefined : before.recipients[hit.recipient];
    if (entry && before.retriedAt !== null) release.push(recipientKey(entry));
  }
  if (!changed) return merged;
  state.hits = state.hits.slice(-MAX_REMEMBERED_HITS);
  if (!merged.changed) state.version += 1;
  return {
    ...merged,
    state,
    rollups: [...merged.rollups, ...rollups],
    release: [...merged.release, ...release],
    changed: true,
  };
}

/** The last 48 bits of an id, which are random: enough to tell the hits of one email apart. */
const hitKey = (id: string) => id.slice(-12);

const isScannerClick = ({ kind, at }: Hit, sentAt: number | null) =>
  kind === "click" && sentAt !== null && at < sentAt + SCANNER_WINDOW_MS;

function toEvent(state: EmailState, { id, kind, at, recipient, url, userAgent, ip, machine }: Hit): EventEntry {
  const entry = recipient === null ? undefined : state.recipients[recipient];
  const metadata = {
    ...(url === undefined ? {} : { url: url.slice(0, MAX_EVENT_URL) }),
    ...(entry ? { recipient: entry.email } : {}),
    user_agent: userAgent,
    ip,
    ...(machine ? { machine: true } : {}),
  };
  return { id, type: kind, at, metadata };
}

function countHit(state: EmailState, hit: Hit, rollups: RollupCounts[]): void {
  const [counter, column] =
    hit.kind === "open" ? (["openedCount", "opens"] as const) : (["clickedCount", "clicks"] as const);
  state[counter] += 1;
  if (state[counter] > 1) return;
  const domain = domainOfHit(state, hit);
  rollups.push({ ...zeroCounts(""), [column]: 1 });
  if (domain !== null) rollups.push({ ...zeroCounts(domain), [column]: 1 });
}

/** Returns the recipient domain of a hit. Without a recipient it is known when all recipients have the same domain. */
function domainOfHit({ recipients }: EmailState, { recipient }: Hit): string | null {
  const entry = recipient === null ? undefined : recipients[recipient];
  const domains = new Set((entry ? [entry] : recipients).map((one) => domainOf(recipientKey(one))));
  const [domain] = domains;
  return domains.size === 1 && domain !== undefined ? domain : null;
}
