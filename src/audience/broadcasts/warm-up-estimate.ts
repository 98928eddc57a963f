import { DAY_MS } from "../../lib/time.ts";
import { daysFor, labelOf, warmUpOf } from "../../mail/warm-up/warm-up.ts";
import type { WarmUpPart } from "../../sending/receivers/index.ts";

/** How long a broadcast takes because its source address is new. */
export interface WarmUpEstimate {
  days: number;
  /** The receiver that takes longest; null: all mail systems that are not known. */
  receiver: string | null;
  /** Contacts of this receiver. */
  contacts: number;
}

/**
 * Returns how many days a broadcast takes by the receivers of a sample of its audience, or null without a warm-up. The receiver that takes
 * longest counts. Domains whose receiver is not known are one receiver with the quick schedule. `at`: when it leaves. Times in ms since 1970.
 */
export function estimateWarmUp(
  parts: readonly WarmUpPart[],
  { eligible, at, now }: { eligible: number; at: number; now: number },
): WarmUpEstimate | null {
  const sampled = Map.groupBy(parts, ({ address }) => address);
  const estimates = [...sampled.values()].flatMap((of) => {
    const sample = of.reduce((sum, { contacts }) => sum + contacts, 0);
    return of.map((part): WarmUpEstimate => {
      const contacts = Math.round((eligible * part.contacts) / Math.max(1, sample));
      return { days: daysOf(part, contacts, { at, now }), receiver: part.receiver && labelOf(part.receiver), contacts };
    });
  });
  return estimates.sort((a, b) => b.days - a.days || b.contacts - a.contacts)[0] ?? null;
}

function daysOf(
  { receiver, since, first, today }: WarmUpPart,
  messages: number,
  { at, now }: { at: number; now: number },
) {
  const dayOf = (time: number) => Math.floor(time / DAY_MS);
  const warmUp = warmUpOf({ name: receiver ?? "" }, since ?? (first ?? dayOf(at)) * DAY_MS);
  return daysFor(warmUp, { messages, sentToday: dayOf(at) === dayOf(now) ? (today ?? 0) : 0 }, at);
}
