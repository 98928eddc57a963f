import type { PaceLimits } from "./receivers/types.ts";

const MINUTE_MS = 60_000;
/** Time for which a bucket keeps unused messages, in ms: a pause is not followed by a burst. */
const BURST_MS = 1_000;
/**
 * The same of a rate that was learned, and the fewest messages: the receiver may count those of each second. A turn that a timer gave
 * too late is not lost.
 */
const LEARNED_BURST_MS = 200;
const LEARNED_BURST = 1.5;
/** Time for which a place waits for its message, in ms. Messages that were cancelled leave places behind. */
const KEPT_PLACES_MS = 120_000;
/** Slow-downs within this time are one: they are the replies of connections that ran side by side. */
const ONE_SLOW_DOWN_MS = 1_000;
/** Least place that counts as due: times of whole ms and the rate divide to numbers with a rounding error. */
const ROUNDING = 1e-6;

/** How fast one source address sends to one receiver. Times in ms since 1970. */
export interface Pace {
  /** Messages that may be taken at once, as of `countedAt`. Below zero: messages whose place in the line is not due. */
  tokens: number;
  countedAt: number;
  /** Messages that were told to wait and have not come back. */
  waiting: number;
  /** Messages that may be sent at once, as of `turnsCountedAt`. */
  turns: number;
  turnsCountedAt: number;
  /** Connections that it may have now. */
  window: number;
  /** Messages accepted since the window last changed. */
  accepted: number;
  /** When the window last halved. */
  slowedAt: number;
  /** When a pause ends. 0: there is none. */
  pausedUntil: number;
  /** Length of the last pause, in ms. */
  pauseMs: number;
  /** After a pause one message at a time tries whether the receiver accepts again. */
  isProbing: boolean;
}

/** The limits that are in force. */
export interface Limits extends PaceLimits {
  /** True: the rate of messages is below that of the table, because the receiver has asked for that. Bytes are counted over longer times. */
  isLearned?: boolean;
}

/** How a message takes a place. */
export interface Arrival {
  /** A message that waits at most so many ms is kept by the caller and does not come back. Default 0. */
  holdMs?: number;
  /** False: the message is known to be new, so it takes no place of one that waits. Default: not known. */
  isReturning?: boolean;
}

/** Returns the pace of a source address that has sent nothing to a receiver yet. Pure, as are all functions here. */
export function newPace(limits: Limits, now: number): Pace {
  return {
    tokens: burstOf(limits),
    countedAt: now,
    waiting: 0,
    turns: burstOf(limits),
    turnsCountedAt: now,
    window: Math.min(2, limits.connections),
    accepted: 0,
    slowedAt: 0,
    pausedUntil: 0,
    pauseMs: 0,
    isProbing: false,
  };
}

/**
 * Takes the next place in the line. `waitMs` is when its turn comes: the n-th message waits n divided by the rate, once. One that
 * waits longer than `holdMs` goes away and comes back after that time; then it is taken, before those that came meanwhile. During
 * a pause the line stands still.
 */
export function takePlace(
  pace: Pace,
  limits: Limits,
  now: number,
  { holdMs = 0, isReturning }: Arrival = {},
): { pace: Pace; waitMs: number } {
  const filled = fill(pace, limits, now);
  // Those that the caller keeps are at the front of the line, so the last places are of those that come back.
  const places = Math.ceil(Math.max(0, -filled.tokens) - ROUNDING);
  const notDue = Math.min(filled.waiting, places);
  const due = Math.min(filled.waiting - notDue, keptPlaces(limits));
  if (due > 0 && isReturning !== false && now >= pace.pausedUntil)
    return { pace: { ...filled, waiting: notDue + due - 1 }, waitMs: 0 };
  const tokens = filled.tokens - 1;
  const turn = tokens >= -ROUNDING ? 0 : (-tokens / limits.messagesPerMinute) * MINUTE_MS;
  const waitMs = Math.ceil(turn - ROUNDING) + Math.max(0, filled.pausedUntil - now);
  // Behind one that went away none is kept: the caller's would be counted as the other's return.
  const told = waitMs > 0 && notDue > 0 ? Math.max(waitMs, holdMs + 1) : waitMs;
  return { pace: { ...filled, tokens, waiting: notDue + due + (told > holdMs ? 1 : 0) }, waitMs: told };
}

/**
 * Takes the turn to send one message of those that were taken, or returns after how many ms to ask again: also when many come back
 * from their wait at once, no more leave than the rate allows. `cost`: as how many messages it counts.
 */
export function takeTurn(pace: Pace, limits: Limits, now: number, cost = 1): { pace: Pace; waitMs: number } {
  if (now < pace.pausedUntil) return { pace, waitMs: pace.pausedUntil - now };
  const turns = filledBucket(pace.turns, limits, now - pace.turnsCountedAt);
  const filled = { ...pace, turns, turnsCountedAt: Math.max(now, pace.turnsCountedAt) };
  // One that costs more than a burst leaves a debt, for which the next one waits.
  const needed = Math.min(cost, burstOf(limits));
  if (turns < needed - ROUNDING)
    return { pace: filled, waitMs: Math.ceil(((needed - turns) / limits.messagesPerMinute) * MINUTE_MS) };
  return { pace: { ...filled, turns: turns - cost }, waitMs: 0 };
}

/** Returns how many connections it may have: one while it probes, none in a pause. */
export function connectionsOf(pace: Pace, limits: Limits, now: number): number {
  if (now < pace.pausedUntil) return 0;
  return pace.isProbing ? 1 : Math.min(Math.floor(pace.window), limits.connections);
}

/** Notes an accepted message: the window grows by one after as many messages as it has connections. It ends a probe. */
export function noteAccepted(pace: Pace, limits: Limits): Pace {
  if (pace.isProbing) return { ...pace, isProbing: false, accepted: 0 };
  const accepted = pace.accepted + 1;
  if (accepted < pace.window) return { ...pace, accepted };
  return { ...pace, accepted: 0, window: Math.min(pace.window + 1, limits.connections) };
}

/** Notes a reply that asks to slow down (4.7.x): the window halves. To a probe it is a failure: the pause begins again. */
export function noteSlowDown(pace: Pace, now?: number): Pace {
  if (now !== undefined && pace.isProbing) return noteFailedProbe(pace, now);
  if (now !== undefined && now - pace.slowedAt < ONE_SLOW_DOWN_MS) return pace;
  return { ...pace, accepted: 0, slowedAt: now ?? pace.slowedAt, window: Math.max(1, pace.window / 2) };
}

/** Pauses until a time. The first message after it is a probe. All who wait take places anew, from the end of the pause on. */
export function pauseUntil(pace: Pace, until: number, now = pace.countedAt): Pace {
  if (until <= pace.pausedUntil) return pace;
  return {
    ...pace,
    tokens: 0,
    countedAt: until,
    waiting: 0,
    turns: 0,
    turnsCountedAt: until,
    window: 1,
    accepted: 0,
    pausedUntil: until,
    pauseMs: until - now,
    isProbing: true,
  };
}

/**
 * Sends nothing for a time, in ms, because the receiver asked to slow down. The next message is a probe, as after a pause. `keepsLine`: the
 * rate is nearly what it was, so places and connections stay; otherwise half of the connections are left, and all who wait take places anew.
 */
export function backOff(pace: Pace, ms: number, { now, keepsLine }: { now: number; keepsLine: boolean }): Pace {
  const paused = pauseUntil(pace, now + ms, now);
  if (paused === pace) return pace;
  const line = keepsLine ? { tokens: Math.min(1, pace.tokens), waiting: pace.waiting } : { tokens: 1 };
  const window = pace.isProbing || keepsLine ? pace.window : Math.max(1, pace.window / 2);
  return { ...paused, ...line, turns: 1, window, slowedAt: now };
}

/** Gives up the places of messages that leave memory. Those that stay there are ahead of all who take places from now on. */
export function leavePlaces(pace: Pace, { left, kept }: { left: number; kept: number }): Pace {
  return { ...pace, tokens: Math.min(pace.tokens + left, -kept) };
}

/** Begins the last pause again, after a probe that the receiver refused. Without a probe it does nothing. */
export function noteFailedProbe(pace: Pace, now: number): Pace {
  return pace.isProbing && now >= pace.pausedUntil ? pauseUntil(pace, now + pace.pauseMs, now) : pace;
}

function fill(pace: Pace, limits: Limits, now: number): Pace {
  const tokens = filledBucket(pace.tokens, limits, now - pace.countedAt);
  return { ...pace, tokens, countedAt: Math.max(now, pace.countedAt) };
}

function filledBucket(tokens: number, limits: Limits, elapsedMs: number): number {
  return Math.min(burstOf(limits), tokens + (Math.max(0, elapsedMs) / MINUTE_MS) * limits.messagesPerMinute);
}

const keptPlaces = (limits: Limits) =>
  Math.max(burstOf(limits), (KEPT_PLACES_MS / MINUTE_MS) * limits.messagesPerMinute);
const burstOf = ({ messagesPerMinute, isLearned = false }: Limits) => {
  const [least, ms] = isLearned ? [LEARNED_BURST, LEARNED_BURST_MS] : [1, BURST_MS];
  return Math.max(least, (messagesPerMinute / MINUTE_MS) * ms);
};
