import { DAY_MS } from "../../lib/time.ts";

/** A limit on the number of calls in any window of some seconds. */
export interface RatePolicy {
  /** Name in the `RateLimit-Policy` header. */
  name: string;
  limit: number;
  windowSeconds: number;
  /** The counted calls, in the plural, for the text of a refusal; without it, the name with spaces. */
  calls?: string;
}

const perMinute = (name: string, limit: number): RatePolicy => ({ name, limit, windowSeconds: 60 });

/**
 * The limits of the rate-limit bindings, for each credential and for a workspace as a whole (docs/contract/limits.md#rate-limits). The
 * bindings enforce the numbers of wrangler.toml; these are what a 429 tells the client. A test compares the two.
 */
export const requestPolicies = {
  credential: perMinute("requests", 600),
  workspace: { ...perMinute("workspace-requests", 6_000), calls: "requests" },
};
export const sendPolicies = {
  credential: perMinute("sends", 6_000),
  workspace: { ...perMinute("workspace-sends", 60_000), calls: "sends" },
};

/** About as many events as a mail database passes in ten minutes, of which one workspace may have that many waiting. */
export const waitingPolicy: RatePolicy = { name: "waiting-events", limit: 1_500_000, windowSeconds: 600 };

const SEND_ROUTES: ReadonlySet<string> = new Set([
  "POST /v1/emails/",
  "POST /v1/emails/batch",
  "POST /v1/events",
  "POST /v1/events/batch",
  "POST /gateway/submissions",
  "POST /compat/resend/emails",
  "POST /compat/resend/emails/batch",
]);

/** Returns whether a route, by method and mounted path, counts as a send. The other routes count as requests. */
export const isSendRoute = (route: string): boolean => SEND_ROUTES.has(route);

/** How long a success is kept, for which a network is asked although the failures of its target exceed their limit, in ms. */
export const SUCCESS_KEPT_MS = 90 * DAY_MS;

/** Returns the policy of an exact limit per hour. */
export const hourlyPolicy = (name: string, limit: number): RatePolicy => ({ name, limit, windowSeconds: 3_600 });

/** Formats a policy as the `RateLimit-Policy` header (draft-ietf-httpapi-ratelimit-headers-10, section 3). */
export function formatPolicy({ name, limit, windowSeconds }: RatePolicy): string {
  return `"${name}";q=${limit};w=${windowSeconds}`;
}

/** The decision about a call; a refused one is allowed after `retryAfterSeconds`. */
export type RateDecision = { isAllowed: true } | { isAllowed: false; retryAfterSeconds: number };

/**
 * Decides on one call by the times of the allowed calls before it, and returns the times to store. In no window of
 * `windowSeconds` are more than `limit` calls allowed; refused calls do not count. Times and `now` are in ms since
 * 1970. Times after `now` count too, so a clock that is set back allows no extra calls. Pure.
 */
export function decideCall(
  times: readonly number[],
  { limit, windowSeconds }: RatePolicy,
  now: number,
): { decision: RateDecision; times: number[] } {
  const windowMs = windowSeconds * 1000;
  const counted = times.filter((time) => time > now - windowMs).sort((a, b) => a - b);
  if (counted.length < limit) return { decision: { isAllowed: true }, times: [...counted, now] };
  // The next call is allowed when so many of the oldest have left the window that fewer than `limit` remain.
  const leaving = counted[counted.length - limit] ?? now;
  const waitMs = Math.min(leaving + windowMs - now, windowMs);
  return { decision: { isAllowed: false, retryAfterSeconds: Math.ceil(waitMs / 1000) }, times: counted };
}

/** Returns the times without the last allowed call, which does not count after all. Pure. */
export const withoutLastCall = (times: readonly number[]): number[] => [...times].sort((a, b) => a - b).slice(0, -1);
