import type { PaceLimits } from "./receivers/types.ts";

const MINUTE_MS = 60_000;
/** The lowest rate: one message in two minutes. */
export const LEAST_PER_MINUTE = 0.5;
/** A slow-down leaves at most this part of the rate, and at least the other. */
const KEPT = 0.97;
const LEAST_KEPT = 0.5;
/** After so many accepted messages the rate is what it was before the slow-down. */
const REGAINED_MESSAGES = 1_000;
/** After this time without a slow-down, in ms, each accepted message raises a rate by at least so much: it doubles in some 40 minutes. */
const CALM_MS = 3_600_000;
const CALM_STEP = 1 / 60;
/** The first wait of a round of slow-downs, in messages at the rate, and the bounds of a wait in ms. Each further one is twice as long. */
const WAIT_MESSAGES = 8;
const LEAST_WAIT_MS = 1_000;
export const MAX_WAIT_MS = 600_000;
/** The shortest time that a rate is measured over, and the length of the short measure, in ms. */
const LEAST_MEASURE_MS = 1_000;
const SHORT_MEASURE_MS = MINUTE_MS;
/** Of a time without accepted messages only so much counts, in ms and in messages at the rate: there was nothing to send. */
const IDLE_MS = 10_000;
const IDLE_MESSAGES = 4;

/** Accepted messages, and the time that they took, in ms. */
interface Measure {
  messages: number;
  ms: number;
}

/** The rate that a receiver has turned out to accept. Times in ms since 1970. */
export interface LearnedRate {
  /** Infinity: it has asked for none below that of the table. */
  messagesPerMinute: number;
  /** By how much each accepted message raises it. */
  step: number;
  /** Accepted since the receiver last began to accept again, and in the last minute of that. */
  accepted: Measure;
  lately: Measure;
  /** The measure and the waits before that: one message that is accepted between two refusals measures nothing. */
  before: Measure;
  acceptedAt: number;
  slowedAt: number;
  /** The rate at which the receiver last asked for a lower one. */
  refusedPerMinute: number;
  /** All waits of the present round of slow-downs, and the last of them, in ms. 0: the receiver accepts. */
  waitedMs: number;
  waitMs: number;
}

const NONE: Measure = { messages: 0, ms: 0 };

/** Returns the rate of a receiver that has asked for no slow-down. Pure, as are all functions here. */
export function newLearnedRate(now: number): LearnedRate {
  return {
    messagesPerMinute: Number.POSITIVE_INFINITY,
    step: 0,
    accepted: NONE,
    lately: NONE,
    before: NONE,
    acceptedAt: now,
    slowedAt: 0,
    refusedPerMinute: 0,
    waitedMs: 0,
    waitMs: 0,
  };
}

/**
 * Notes an accepted message, which counts as `amount` of them: the rate grows with each by the same amount, up to that of the table.
 * It ends a round of slow-downs.
 */
export function noteAcceptedRate(learned: LearnedRate, limits: PaceLimits, now: number, amount = 1): LearnedRate {
  if (learned.waitMs > 0) {
    const first = { messages: amount, ms: 0 };
    // The receiver began to accept at some time of the last wait.
    const messagesPerMinute = lowered(learned, limits, learned.waitedMs - learned.waitMs / 2);
    return {
      ...learned,
      messagesPerMinute,
      step: stepOf(messagesPerMinute, learned.refusedPerMinute),
      accepted: first,
      lately: first,
      before: add(learned.accepted, 0, learned.waitedMs),
      acceptedAt: now,
      waitedMs: 0,
      waitMs: 0,
    };
  }
  const ms = passed(learned, limits, now);
  const lately = learned.lately.ms + ms > SHORT_MEASURE_MS ? NONE : learned.lately;
  const step = Math.max(learned.step, now - learned.slowedAt > CALM_MS ? CALM_STEP : 0);
  const grown = learned.messagesPerMinute + step;
  return {
    ...learned,
    messagesPerMinute: grown < limits.messagesPerMinute ? grown : Number.POSITIVE_INFINITY,
    accepted: add(learned.accepted, amount, ms),
    lately: add(lately, amount, ms),
    acceptedAt: Math.max(now, learned.acceptedAt),
  };
}

/**
 * Notes a reply that asks for a lower rate: then nothing is sent for `waitMs`. The rate is a part of what it was, and a part of what the
 * receiver has accepted until now, waits included: so the quota of an hour shows itself by the length of the waits.
 */
export function noteRateRefused(learned: LearnedRate, limits: PaceLimits, now: number): LearnedRate {
  const isFirst = learned.waitMs === 0;
  const ms = isFirst ? passed(learned, limits, now) : 0;
  const isEarly = isFirst && learned.accepted.messages < WAIT_MESSAGES;
  const { before, lately } = learned;
  const accepted = add(learned.accepted, isEarly ? before.messages : 0, isEarly ? before.ms + ms : ms);
  const measured = { ...learned, accepted, lately: isEarly ? accepted : add(lately, 0, ms) };
  const messagesPerMinute = lowered(measured, limits, learned.waitedMs);
  const firstMs = Math.max(LEAST_WAIT_MS, (WAIT_MESSAGES / messagesPerMinute) * MINUTE_MS);
  const waitMs = Math.min(MAX_WAIT_MS, isFirst ? firstMs : 2 * learned.waitMs);
  const refusedPerMinute = isFirst ? rateOf(learned, limits) : learned.refusedPerMinute;
  const round = { slowedAt: now, refusedPerMinute, waitedMs: learned.waitedMs + waitMs, waitMs };
  return { ...measured, messagesPerMinute, ...round };
}

/** Returns a lower rate: at most what was accepted before the round of slow-downs, in that time and the waits together. */
function lowered(learned: LearnedRate, limits: PaceLimits, waitedMs: number): number {
  const perMinute = ({ messages, ms }: Measure) => (messages / (Math.max(LEAST_MEASURE_MS, ms) + waitedMs)) * MINUTE_MS;
  const rate = rateOf(learned, limits);
  const isFirst = learned.waitMs === 0;
  const measured = Math.max(perMinute(learned.accepted), perMinute(learned.lately));
  const part = Math.min(isFirst ? KEPT * rate : rate, measured);
  return Math.min(limits.messagesPerMinute, Math.max(LEAST_PER_MINUTE, LEAST_KEPT * rate, part));
}

/** Returns the time since the last accepted message, as far as it counts, in ms. */
function passed(learned: LearnedRate, limits: PaceLimits, now: number): number {
  const idleMs = Math.max(IDLE_MS, (IDLE_MESSAGES / rateOf(learned, limits)) * MINUTE_MS);
  return Math.min(Math.max(0, now - learned.acceptedAt), idleMs);
}

const rateOf = (learned: LearnedRate, limits: PaceLimits) =>
  Math.min(learned.messagesPerMinute, limits.messagesPerMinute);
const stepOf = (rate: number, refused: number) =>
  Math.max(rate * (1 / KEPT - 1), Math.min(0.25 * rate, refused - rate)) / REGAINED_MESSAGES;
const add = (to: Measure, messages: number, ms: number): Measure => ({
  messages: to.messages + messages,
  ms: to.ms + ms,
});
