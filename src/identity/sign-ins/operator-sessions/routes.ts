import { type Context, Hono } from "hono";
import { verifyAccessToken } from "../../../access/sessions/index.ts";
import { clientOf } from "../../../http/client.ts";
import type { AppEnv } from "../../../http/env.ts";
import { unauthorized } from "../../../lib/errors.ts";
import { iso } from "../../../lib/time.ts";
import { createOperatorLink } from "./sign-in-link.ts";
import { startOperatorSession } from "./start.ts";

/** `npm run admin`. Each bearer token is signed with the master key of the deployment and names an administrator or `any`. */
export const operatorSessionRoutes = new Hono<AppEnv>()
  .post("/auth/operator-session", async (c) => {
    const admin = await readSubject(c);
    const session = await startOperatorSession(c.get("ctx"), admin, clientOf(c));
    const { sessionId, email, accessToken, expiresAt } = session;
    return c.json({ session_id: sessionId, email, access_token: accessToken, expires_at: iso(expiresAt) }, 201);
  })
  .post("/auth/operator-sign-in-link", async (c) => {
    const admin = await readSubject(c);
    const { email, url } = await createOperatorLink(c.get("ctx"), admin, clientOf(c).ip);
    return c.json({ email, sign_in_url: url }, 201);
  });

/** Returns the administrator whom the signed token names. Throws 401 unless a master key has signed it for this purpose. */
async function readSubject(c: Context<AppEnv>): Promise<string> {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  const claims = await verifyAccessToken(c.get("ctx"), "operator", token);
  if (!claims) throw unauthorized("The request is not signed with a master key of this deployment");
  return claims.sub;
}
