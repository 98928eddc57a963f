import type { PaceLimits } from "./receivers/types.ts";

const MINUTE_MS = 60_000;
/** Time for which the bucket keeps unused messages, in ms: a pause is not followed by a burst. */
const BURST_MS = 1_000;

/** How fast one source address sends to one receiver. Times in ms since 1970. */
export interface Pace {
  /** Messages that may leave at once, as of `countedAt`. Below zero: messages that have a place in the line. */
  tokens: number;
  countedAt: number;
  /** Connections that it may have now. */
  window: number;
  /** Messages accepted since the window last changed. */
  accepted: number;
  /** When a pause ends. 0: there is none. */
  pausedUntil: number;
  /** After a pause one message at a time tries whether the receiver accepts again. */
  isProbing: boolean;
}

/** Returns the pace of a source address that has sent nothing to a receiver yet. Pure, as are all functions here. */
export function newPace(limits: PaceLimits, now: number): Pace {
  const window = Math.min(2, limits.connections);
  return { tokens: burstOf(limits), countedAt: now, window, accepted: 0, pausedUntil: 0, isProbing: false };
}

/**
 * Takes the next place in the line. `waitMs` is when its turn comes: the n-th message waits n divided by the rate, once. During
 * a pause it waits for the end of that as well.
 */
export function takePlace(pace: Pace, limits: PaceLimits, now: number): { pace: Pace; waitMs: number } {
  const filled = fill(pace, limits, now);
  const tokens = filled.tokens - 1;
  const turn = tokens >= 0 ? 0 : (-tokens / limits.messagesPerMinute) * MINUTE_MS;
  return { pace: { ...filled, tokens }, waitMs: Math.ceil(Math.max(turn, filled.pausedUntil - now, 0)) };
}

/** Returns how many connections it may have: one while it probes, none in a pause. */
export function connectionsOf(pace: Pace, limits: PaceLimits, now: number): number {
  if (now < pace.pausedUntil) return 0;
  return pace.isProbing ? 1 : Math.min(Math.floor(pace.window), limits.connections);
}

/** Notes an accepted message: the window grows by one after as many messages as it has connections. It ends a probe. */
export function noteAccepted(pace: Pace, limits: PaceLimits): Pace {
  if (pace.isProbing) return { ...pace, isProbing: false, accepted: 0 };
  const accepted = pace.accepted + 1;
  if (accepted < pace.window) return { ...pace, accepted };
  return { ...pace, accepted: 0, window: Math.min(pace.window + 1, limits.connections) };
}

/** Notes a reply that asks to slow down (4.7.x): the window halves. */
export function noteSlowDown(pace: Pace): Pace {
  return { ...pace, accepted: 0, window: Math.max(1, pace.window / 2) };
}

/** Pauses until a time. The first message after it is a probe. */
export function pauseUntil(pace: Pace, until: number): Pace {
  return { ...pace, pausedUntil: Math.max(pace.pausedUntil, until), isProbing: true, window: 1, accepted: 0 };
}

function fill(pace: Pace, limits: PaceLimits, now: number): Pace {
  const added = (Math.max(0, now - pace.countedAt) / MINUTE_MS) * limits.messagesPerMinute;
  return { ...pace, tokens: Math.min(burstOf(limits), pace.tokens + added), countedAt: Math.max(now, pace.countedAt) };
}

const burstOf = ({ messagesPerMinute }: PaceLimits) => Math.max(1, (messagesPerMinute / MINUTE_MS) * BURST_MS);
