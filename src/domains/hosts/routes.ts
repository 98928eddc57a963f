import { newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { requireFound } from "../../lib/errors.ts";
import { mtaStsPolicy } from "./mta-sts.ts";
import { findPolicyMode } from "./policy-mode.ts";

/**
 * The MTA-STS policy at `mta-sts.<domain>` (RFC 8461 3.3). The middleware of src/http/custom-host.ts lets no other path of such a host
 * through. Each request reads D1 once, and no cache may keep the policy: a sender that sees a new id must not get the policy of before.
 */
export const hostRoutes = newRoutes().get("/.well-known/mta-sts.txt", needs("public"), async (c) => {
  const [ctx, host] = [c.get("ctx"), c.get("customHost")];
  const mode = requireFound(host === null ? null : await findPolicyMode(ctx, host), "Policy");
  return c.text(mtaStsPolicy(ctx.settings, mode));
});
