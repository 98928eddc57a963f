import { DurableObject } from "cloudflare:workers";
import {
  decideCall,
  type RateDecision,
  type RatePolicy,
  SUCCESS_KEPT_MS,
  withoutLastCall,
} from "../src/platform/rate-limits/rules.ts";

const TIMES = "times";
const SUCCEEDED_AT = "succeeded-at";

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

  async recordSuccess(): Promise<void> {
    this.ctx.storage.kv.put(SUCCEEDED_AT, Date.now());
  }

  /** Returns whether a call has succeeded in the last 90 days. */
  async hasSucceeded(): Promise<boolean> {
    return this.#succeededAt() > Date.now() - SUCCESS_KEPT_MS;
  }

  /** Runs one window after the last allowed call, when no stored time counts any more. Frees the object's storage, unless a success is kept. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    if (!(await this.hasSucceeded())) return storage.deleteAll();
    storage.kv.delete(TIMES);
    await storage.setAlarm(this.#succeededAt() + SUCCESS_KEPT_MS);
  }

  #succeededAt = () => this.ctx.storage.kv.get<number>(SUCCEEDED_AT) ?? 0;
}
