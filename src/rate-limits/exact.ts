import type { Ctx } from "../context.ts";
import type { RateDecision, RatePolicy } from "./rules.ts";

/** Methods of the Durable Object of one subject and policy. */
export interface ExactRateLimiter {
  /** Decides on one call and counts it if it is allowed. */
  decide(policy: RatePolicy): Promise<RateDecision>;
}

/**
 * Counts one call of a subject, such as a workspace id, against an exact limit and returns whether it is allowed. Each
 * policy and subject has its own Durable Object, which handles one call at a time.
 */
export function countExactly({ env }: Ctx, policy: RatePolicy, subject: string): Promise<RateDecision> {
  const limiter: ExactRateLimiter = env.RATE_LIMITER.getByName(`${policy.name}/${subject}`);
  return limiter.decide(policy);
}
