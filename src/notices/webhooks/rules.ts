import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";

/** Limits and the retry schedule of webhooks (docs/contract/webhooks.md#retry-schedule). Times in milliseconds. */

export const limits = {
  attempts: 5,
  requestMs: 15_000,
  /** Bytes of a response that the delivery log keeps. */
  responseBytes: 2 * 1024,
} as const;

/** Wait after each failed attempt. No attempt follows the fifth, so its wait is never reached. */
const WAITS = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 480 * MINUTE_MS] as const;

export const deliveryStatuses = ["pending", "delivered", "retrying", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** An endpoint that has failed for this long is paused. */
export const PAUSE_AFTER_MS = 5 * DAY_MS;
/** How long the previous secret signs after a rotation. */
export const ROTATION_MS = DAY_MS;
/** How long deliveries are kept. */
export const DELIVERY_DAYS = 30;

/** How long a claim on an endpoint lasts. */
export const LEASE_MS = 120_000;
/** No attempt starts with less than this left of the lease: DNS takes up to 5 s, the request up to 15 s. */
export const START_MARGIN_MS = 30_000;
/**
 * Requests in flight in one run, and so to one endpoint, which one run claims at a time. An invocation has six connections that
 * wait for a response (Cloudflare); the sixth is for D1, DNS and the queue.
 */
export const IN_FLIGHT = 5;
/** Endpoints of one claim. */
export const CLAIM_ENDPOINTS = 5;
/** Due endpoints among which a claim finds turns: more are due at once only after an outage, and keep its time at some milliseconds. */
export const LOOKED_AT = 10_000;
/** Wait of an endpoint whose claim alone failed by its content. */
export const FAILED_CLAIM_MS = 10 * MINUTE_MS;
/** Bytes of payloads of one claim, beside the first delivery of each endpoint: a payload has up to 2 MB. */
export const CLAIM_BYTES = 8_000_000;
/** Deliveries of each endpoint in one claim. */
export const CLAIM_DELIVERIES = 20;
/** The same while the endpoint fails, so that one which does not respond takes little time from the others. */
export const CLAIM_DELIVERIES_FAILING = 2;
/** Claims of one run, so that an invocation stays below its 1,000 D1 queries; then a queue message starts the next run. */
export const RUN_CLAIMS = 20;
/** A run makes no further claim after this time, so that the other databases of the queue have their turn within it. */
export const RUN_MS = 1_000;
/** A claim that is not sent after this time continues in the background, and the consumer takes the next message. */
export const HAND_OVER_MS = 400;
/** In the background an attempt (20 s at most) starts within this time, since Cloudflare ends it 30 s after the consumer. */
export const BACKGROUND_START_MS = 5_000;
/** When Cloudflare has ended a run in the background. */
export const BACKGROUND_MS = 30_000;
/** Runs in the background of one isolate, so at most 100 requests. While there are as many, the consumer waits with its run. */
export const BACKGROUND_RUNS = 20;

/** Returns whether a response's status means that the delivery arrived. */
export const isDelivered = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Returns the status after an attempt, and when the next one is due. `attempt` is its number, from 1. */
export function afterAttempt(
  attempt: number,
  isSuccess: boolean,
  now: number,
): { status: DeliveryStatus; dueAt: number | null } {
  if (isSuccess) return { status: "delivered", dueAt: null };
  const wait = WAITS[attempt - 1];
  if (attempt >= limits.attempts || wait === undefined) return { status: "failed", dueAt: null };
  return { status: "retrying", dueAt: now + wait };
}

/** Returns whether an endpoint that fails since `failingSince` is paused now. */
export function mustPause(failingSince: number | null, now: number): boolean {
  return failingSince !== null && now - failingSince >= PAUSE_AFTER_MS;
}
