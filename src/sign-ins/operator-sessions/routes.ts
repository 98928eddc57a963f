import { Hono } from "hono";
import { unauthorized } from "../../errors.ts";
import { clientOf } from "../../http/client.ts";
import type { AppEnv } from "../../http/env.ts";
import { iso } from "../../lib/time.ts";
import { verifyAccessToken } from "../../sessions/index.ts";
import { startOperatorSession } from "./start.ts";

/** `npm run admin`. Its bearer token is signed with the master key of the deployment and names an administrator or `any`. */
export const operatorSessionRoutes = new Hono<AppEnv>().post("/auth/operator-session", async (c) => {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  const claims = await verifyAccessToken(c.get("ctx"), "operator", token);
  if (!claims) throw unauthorized("The request is not signed with a master key of this deployment");
  const { sessionId, email, accessToken, expiresAt } = await startOperatorSession(
    c.get("ctx"),
    claims.sub,
    clientOf(c),
  );
  return c.json({ session_id: sessionId, email, access_token: accessToken, expires_at: iso(expiresAt) }, 201);
});
