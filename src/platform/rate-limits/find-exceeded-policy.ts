import type { Ctx } from "../context.ts";
import { isSendRoute, type RatePolicy, requestPolicies, sendPolicies } from "./rules.ts";

/** Whose calls a limit counts. */
export type Counted = "credential" | "workspace";

/**
 * Counts one request of a credential and its workspace at the rate-limit bindings and returns the policy that it exceeds, or null: that of
 * the credential first. The bindings count per Cloudflare location and are approximate, which is enough to protect the API as a whole.
 * When a binding itself fails, the request is allowed: it must not take the API down.
 */
export async function findExceededPolicy(
  ctx: Ctx,
  route: string,
  keys: Record<Counted, string>,
): Promise<{ of: Counted; policy: RatePolicy } | null> {
  const isSend = isSendRoute(route);
  const policies = isSend ? sendPolicies : requestPolicies;
  const { SEND_RATE_LIMIT, WORKSPACE_SEND_RATE_LIMIT, REQUEST_RATE_LIMIT, WORKSPACE_REQUEST_RATE_LIMIT } = ctx.env;
  const bindings = {
    credential: isSend ? SEND_RATE_LIMIT : REQUEST_RATE_LIMIT,
    workspace: isSend ? WORKSPACE_SEND_RATE_LIMIT : WORKSPACE_REQUEST_RATE_LIMIT,
  };
  const isAllowed = async (of: Counted) => {
    try {
      return (await bindings[of].limit({ key: keys[of] })).success;
    } catch (error) {
      ctx.log("rate-limit.failed", { policy: policies[of].name, error: String(error) });
      return true;
    }
  };
  const counted = ["credential", "workspace"] as const;
  const allowed = await Promise.all(counted.map(isAllowed));
  const of = counted[allowed.indexOf(false)];
  return of ? { of, policy: policies[of] } : null;
}
