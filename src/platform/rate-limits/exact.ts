import { type AppError, tooManyRequests } from "../../lib/errors.ts";
import type { Ctx } from "../context.ts";
import { formatPolicy, type RateDecision, type RatePolicy } from "./rules.ts";

/** Methods of the Durable Object of one subject and policy. */
interface ExactRateLimiter {
  /** Decides on one call and counts it if it is allowed. */
  decide(policy: RatePolicy): Promise<RateDecision>;
  /** Removes the last call that was counted. */
  giveBack(): Promise<void>;
  /** Keeps for 90 days that a call has succeeded. */
  recordSuccess(): Promise<void>;
  hasSucceeded(): Promise<boolean>;
}

/** A limit, and the subject whose calls count. */
export type SubjectLimit = readonly [RatePolicy, string];

/** Limits of failures, for example of signing in to one mailbox. */
export interface FailureLimits {
  /** Of the target from the network of the caller. */
  network: SubjectLimit;
  /** Of the target from everywhere. Beyond it only networks from which an attempt has succeeded are asked. */
  target: SubjectLimit;
  /** Holds whatever has succeeded. */
  others?: readonly SubjectLimit[];
}

/**
 * Counts one call of a subject, such as a workspace id, against an exact limit and returns whether it is allowed. Each
 * policy and subject has its own Durable Object, which handles one call at a time.
 */
export function countExactly({ env }: Ctx, policy: RatePolicy, subject: string): Promise<RateDecision> {
  return limiterOf(env, policy, subject).decide(policy);
}

/** Counts one call as `countExactly` does, and throws 429 for one that is not allowed. `noun` says what the subject is. */
export async function requireExactly(ctx: Ctx, policy: RatePolicy, subject: string, noun: string): Promise<void> {
  const decision = await countExactly(ctx, policy, subject);
  if (!decision.isAllowed) throw rateError(policy, noun, decision.retryAfterSeconds);
}

/** Counts one call against limits in turn, each with its subject. Throws 429 at the first that it exceeds; `refusal` says why. */
export async function requireAll(ctx: Ctx, limits: readonly SubjectLimit[], refusal: string): Promise<void> {
  for (const [policy, subject] of limits) {
    const decision = await countExactly(ctx, policy, subject);
    if (!decision.isAllowed) throw retryLater(refusal, { policy, ...decision });
  }
}

/** Returns the 429 of a call beyond a limit per minute or hour of a subject, such as `workspace`. */
export function rateError(policy: RatePolicy, noun: string, retryAfterSeconds: number): AppError {
  const calls = policy.calls ?? policy.name.replaceAll("-", " ");
  const period = policy.windowSeconds === 60 ? "minute" : "hour";
  return retryLater(`The limit is ${policy.limit} ${calls} per ${noun} and ${period}`, { policy, retryAfterSeconds });
}

/** The limit that a call exceeds, with the seconds until the next one is allowed. */
interface Exceeded {
  policy: RatePolicy;
  retryAfterSeconds: number;
}

/** Returns the 429 of a call beyond a limit: `refusal`, and when to retry. */
export const retryLater = (refusal: string, { policy, retryAfterSeconds: seconds }: Exceeded): AppError =>
  tooManyRequests(`${refusal}; retry in ${seconds} seconds`, seconds, formatPolicy(policy));

/** An attempt that counts as a failure until it succeeds. */
export interface FailureCount {
  /** The limit that the attempt exceeds; null: it may be made. */
  exceeded: Exceeded | null;
  /** Removes the attempt from the counts: it succeeded, so it was no failure. Its network is asked from now on. */
  succeeded(): Promise<void>;
}

/**
 * Counts an attempt against limits of failures. It is counted before it is made, so that no number of parallel attempts exceeds a
 * limit, and removed when it succeeds.
 */
export async function countFailure(ctx: Ctx, { network, target, others = [] }: FailureLimits): Promise<FailureCount> {
  const ofNetwork = limiterOf(ctx.env, ...network);
  let counted = await countTogether(ctx, [network, target, ...others]);
  if (counted.exceeded?.policy === target[0] && (await ofNetwork.hasSucceeded()))
    counted = await countTogether(ctx, [network, ...others]);
  const { exceeded, giveBack } = counted;
  const succeeded = async () => {
    await Promise.all([giveBack(), ofNetwork.recordSuccess()]);
  };
  return { exceeded, succeeded };
}

/** Counts a call against several exact limits, each with its subject: against all, or against none when it exceeds one. */
export async function countTogether(
  { env }: Ctx,
  limits: readonly SubjectLimit[],
): Promise<{ exceeded: Exceeded | null; giveBack(): Promise<void> }> {
  const counted: ExactRateLimiter[] = [];
  const giveBack = async () => {
    await Promise.all(counted.map((limiter) => limiter.giveBack()));
  };
  for (const [policy, subject] of limits) {
    const limiter = limiterOf(env, policy, subject);
    const decision = await limiter.decide(policy);
    if (!decision.isAllowed) {
      await giveBack();
      const { retryAfterSeconds } = decision;
      return { exceeded: { policy, retryAfterSeconds }, giveBack: async () => {} };
    }
    counted.push(limiter);
  }
  return { exceeded: null, giveBack };
}

function limiterOf(env: Env, policy: RatePolicy, subject: string): ExactRateLimiter {
  return env.RATE_LIMITER.getByName(`${policy.name}/${subject}`);
}
