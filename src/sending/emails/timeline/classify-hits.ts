/** Decides which opens and clicks persons made, and which count (docs/contract/tracking.md#machines-and-persons). Pure. */
import type { EventEntry } from "../../../platform/db/email-json.ts";

/** A client that fetches this many links of an email within SCANNER_MS is a scanner (docs/contract/tracking.md#machines-and-persons). */
const SCANNER_LINKS = 3;
const SCANNER_MS = 5_000;
/** Repeats of an open or a click within this time are merged, in milliseconds (docs/contract/tracking.md#machines-and-persons). */
const REPEAT_MS = 60_000;

type HitKind = "open" | "click";

/** Returns whether an event is an open or a click. */
export const isHitEvent = ({ type }: EventEntry): boolean => type === "open" || type === "click";

/**
 * Returns the events with `machine: true` on each hit of a scanner, and `repeat: true` on each hit by a person that is
 * merged into an earlier one. Other events stay as they are. The order of the hits does not matter.
 */
export function classifyHits(events: readonly EventEntry[]): EventEntry[] {
  const scanners = findScanners(events);
  const classified = events.map((event) => {
    const isMachine = isHitEvent(event) && (event.metadata?.machine === true || scanners.has(clientOf(event) ?? ""));
    return isMachine ? { ...event, metadata: { ...event.metadata, machine: true } } : event;
  });
  const counted = new Set([...countedIds(classified, "open"), ...countedIds(classified, "click")]);
  return classified.map((event) => {
    if (!isHitEvent(event)) return event;
    const { repeat: _, ...metadata } = event.metadata ?? {};
    const isRepeat = !metadata.machine && !counted.has(event.id);
    return { ...event, metadata: isRepeat ? { ...metadata, repeat: true } : metadata };
  });
}

/**
 * Returns the ids of the hits of this kind that count, earliest first: those by persons, without repeats of the same
 * link by the same recipient within REPEAT_MS of a hit that counts.
 */
export function countedIds(events: readonly EventEntry[], kind: HitKind): Set<string> {
  const lastCounted = new Map<string, number>();
  const ids = new Set<string>();
  const persons = events.filter(({ type, metadata }) => type === kind && !metadata?.machine);
  for (const { id, at, metadata } of persons.toSorted(byTime)) {
    const place = JSON.stringify([metadata?.recipient, metadata?.url]);
    const last = lastCounted.get(place);
    if (last !== undefined && at - last < REPEAT_MS) continue;
    lastCounted.set(place, at);
    ids.add(id);
  }
  return ids;
}

/** Returns the clients that fetched SCANNER_LINKS different links within SCANNER_MS. */
function findScanners(events: readonly EventEntry[]): Set<string> {
  const clicks = events.filter(({ type }) => type === "click");
  const clicksOf = Map.groupBy(clicks, clientOf);
  const scanners = new Set<string>();
  for (const [client, clicks] of clicksOf) {
    if (client !== null && isScanner(clicks)) scanners.add(client);
  }
  return scanners;
}

function isScanner(clicks: readonly EventEntry[]): boolean {
  const sorted = clicks.toSorted(byTime);
  return sorted.some((first, index) => {
    const burst = sorted.slice(index).filter(({ at }) => at - first.at <= SCANNER_MS);
    return new Set(burst.map(({ metadata }) => metadata?.url)).size >= SCANNER_LINKS;
  });
}

/** Returns the client of a hit: its IP address and user agent. Null without an IP address, since others would share it. */
function clientOf({ metadata }: EventEntry): string | null {
  const { ip, user_agent: userAgent } = metadata ?? {};
  return typeof ip === "string" && ip !== "" ? `${ip} ${String(userAgent)}` : null;
}

const byTime = (a: EventEntry, b: EventEntry) => a.at - b.at || (a.id < b.id ? -1 : 1);
