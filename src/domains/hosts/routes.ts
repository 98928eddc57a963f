import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { notFound } from "../../lib/errors.ts";
import { mtaStsPolicy } from "./mta-sts.ts";
import { isKnownHost } from "./owners.ts";

/** Senders keep the policy for a day, and ask for it again when its id changes. In seconds. */
const CACHE_SECONDS = 300;

/**
 * The MTA-STS policy at the host of a domain, `mta-sts.<domain>` (RFC 8461 3.3). The middleware of src/http/custom-host.ts lets no
 * other path of such a host through. Reads D1 at most once a minute for each host and isolate.
 */
export const hostRoutes = new Hono<AppEnv>().get("/.well-known/mta-sts.txt", needs("public"), async (c) => {
  const [ctx, host] = [c.get("ctx"), c.get("customHost")];
  if (host === null || !(await isKnownHost(ctx, host))) throw notFound("Policy");
  return c.text(mtaStsPolicy(ctx.settings), 200, { "Cache-Control": `public, max-age=${CACHE_SECONDS}` });
});
