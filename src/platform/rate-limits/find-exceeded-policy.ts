import type { Ctx } from "../context.ts";
import { isSendRoute, type RatePolicy, requestPolicy, sendPolicy } from "./rules.ts";

/**
 * Counts one request of an API key or session at the rate-limit binding and returns the policy that it exceeds, or null. The
 * binding counts per Cloudflare location and is approximate, which is enough to protect the API as a whole. When the
 * binding itself fails, the request is allowed: it must not take the API down.
 */
export async function findExceededPolicy(ctx: Ctx, route: string, credentialId: string): Promise<RatePolicy | null> {
  const [binding, policy] = isSendRoute(route)
    ? [ctx.env.SEND_RATE_LIMIT, sendPolicy]
    : [ctx.env.REQUEST_RATE_LIMIT, requestPolicy];
  try {
    const { success } = await binding.limit({ key: credentialId });
    return success ? null : policy;
  } catch (error) {
    ctx.log("rate-limit.failed", { policy: policy.name, error: String(error) });
    return null;
  }
}
