import { DurableObject } from "cloudflare:workers";
import { decideCall, type RateDecision, type RatePolicy, withoutLastCall } from "../src/platform/rate-limits/rules.ts";

const TIMES = "times";

/**
 * Exact rate limiter of one subject and policy. Stores the times of the calls it allowed, at most `limit` of them. The
 * storage operations are synchronous, so concurrent calls cannot interleave.
 */
export class RateLimiterObject extends DurableObject<Env> {
  async decide(policy: RatePolicy): Promise<RateDecision> {
    const { storage } = this.ctx;
    const now = Date.now();
    const { decision, times } = decideCall(storage.kv.get<number[]>(TIMES) ?? [], policy, now);
    if (!decision.isAllowed) return decision;
    storage.kv.put(TIMES, times);
    await storage.setAlarm(now + policy.windowSeconds * 1000);
    return decision;
  }

  /** Removes the last call that was counted: an attempt that succeeded is no failure. */
  async giveBack(): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(TIMES, withoutLastCall(kv.get<number[]>(TIMES) ?? []));
  }

  /** Runs one window after the last allowed call, when no stored time counts any more. Frees the object's storage. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
