import { domainOf, type Merged, newTally, type Tally } from "./merge.ts";
import { type EmailState, type EventEntry, recipientKey } from "./state.ts";

/** One open or click, as it came in. Its id is its event's: the same hit counts once. */
export interface Hit {
  id: string;
  kind: "open" | "click";
  /** Milliseconds since 1970. */
  at: number;
  /** Index of the recipient; null where several got the same message. */
  recipient: number | null;
  /** Where a click went. */
  url?: string;
  userAgent: string;
  ip: string;
  /** A machine asked, by what it says of itself. */
  machine: boolean;
}

/** Opens and clicks of an email that stand in its events; later ones only count. */
export const MAX_HIT_EVENTS = 50;
/** Hits beyond those that are remembered, so that one that the queue brings twice counts once. */
export const MAX_REMEMBERED_HITS = 200;
/** A click this soon after the mail was handed over is a scanner's: nobody reads so fast. */
export const SCAN_MS = 2000;

/** What a long target is cut to in its event: 50 of them stay far below what a row may hold. */
const MAX_EVENT_URL = 2000;

/**
 * Merges opens and clicks into an email, in any order and any number of times: each counts once, unless a machine's,
 * and the first of each kind goes to the roll-ups, which count emails. Takes up what merging facts left. Pure.
 */
export function mergeHits(merged: Merged, hits: readonly Hit[]): Merged {
  const before = merged.state;
  const state: EmailState = { ...before, events: [...before.events], hits: [...before.hits] };
  const known = new Set([...before.hits, ...before.events.map(({ id }) => hitKey(id))]);
  const tallies: Tally[] = [];
  let eventsLeft = MAX_HIT_EVENTS - before.events.filter(({ type }) => type === "open" || type === "click").length;
  let changed = false;
  for (const hit of hits) {
    const short = hitKey(hit.id);
    if (known.has(short)) continue;
    known.add(short);
    const judged = { ...hit, machine: hit.machine || isScan(hit, before.sentAt) };
    if (eventsLeft > 0) state.events.push(toEvent(before, judged));
    else if (judged.machine) continue;
    else state.hits.push(short);
    eventsLeft -= 1;
    changed = true;
    if (!judged.machine) countHit(state, hit, tallies);
  }
  if (!changed) return merged;
  state.hits = state.hits.slice(-MAX_REMEMBERED_HITS);
  if (!merged.changed) state.version += 1;
  return { ...merged, state, tallies: [...merged.tallies, ...tallies], changed: true };
}

/** The random end of an id: 48 bits tell the hits of one email apart. */
const hitKey = (id: string) => id.slice(-12);

const isScan = ({ kind, at }: Hit, sentAt: number | null) =>
  kind === "click" && sentAt !== null && at < sentAt + SCAN_MS;

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

function countHit(state: EmailState, hit: Hit, tallies: Tally[]): void {
  const [counter, column] =
    hit.kind === "open" ? (["openedCount", "opens"] as const) : (["clickedCount", "clicks"] as const);
  state[counter] += 1;
  if (state[counter] > 1) return;
  const domain = domainOfHit(state, hit);
  tallies.push({ ...newTally(""), [column]: 1 });
  if (domain !== null) tallies.push({ ...newTally(domain), [column]: 1 });
}

/** Whose it was, as far as the roll-ups ask: known too when all recipients are of one domain. */
function domainOfHit({ recipients }: EmailState, { recipient }: Hit): string | null {
  const entry = recipient === null ? undefined : recipients[recipient];
  const domains = new Set((entry ? [entry] : recipients).map((one) => domainOf(recipientKey(one))));
  const [domain] = domains;
  return domains.size === 1 && domain !== undefined ? domain : null;
}
