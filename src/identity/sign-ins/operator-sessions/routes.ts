import { clientOf, newRoutes } from "../../../http/env.ts";
import { needs } from "../../../http/needs.ts";
import { iso } from "../../../lib/time.ts";
import { createOperatorLink } from "./sign-in-link.ts";
import { startOperatorSession } from "./start.ts";

/** `npm run admin`. Each token names an administrator or `any`. */
export const operatorSessionRoutes = newRoutes()
  .post("/auth/operator-session", needs("operator:sign-in"), async (c) => {
    const session = await startOperatorSession(c.get("ctx"), c.get("operator"), clientOf(c));
    const { sessionId, email, accessToken, expiresAt } = session;
    return c.json({ session_id: sessionId, email, access_token: accessToken, expires_at: iso(expiresAt) }, 201);
  })
  .post("/auth/operator-sign-in-link", needs("operator:sign-in"), async (c) => {
    const { email, url } = await createOperatorLink(c.get("ctx"), c.get("operator"), clientOf(c).ip);
    return c.json({ email, sign_in_url: url }, 201);
  });
