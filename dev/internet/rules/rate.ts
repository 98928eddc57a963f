import type { RateLimit } from "../behaviour.ts";

const MINUTE_MS = 60_000;
const BURST_SECONDS = 2;
const LEAST_BURST = 5;

/** A token bucket: messages that may come at once, as of a time in ms. */
export interface Bucket {
  tokens: number;
  at: number;
}

/** Counts a message against a rate. Without a bucket the source address is new. One that is refused takes no token. Pure. */
export function takeMessage(
  bucket: Bucket | undefined,
  { messagesPerMinute, burst = defaultBurst(messagesPerMinute) }: RateLimit,
  now: number,
): { bucket: Bucket; isWithin: boolean } {
  const added = bucket ? (Math.max(0, now - bucket.at) / MINUTE_MS) * messagesPerMinute : burst;
  const tokens = Math.min(burst, (bucket?.tokens ?? 0) + added);
  return tokens >= 1
    ? { bucket: { tokens: tokens - 1, at: now }, isWithin: true }
    : { bucket: { tokens, at: now }, isWithin: false };
}

const defaultBurst = (messagesPerMinute: number) => Math.max(LEAST_BURST, (messagesPerMinute / 60) * BURST_SECONDS);
