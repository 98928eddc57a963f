import { Hono } from "hono";
import { verifyAccessToken } from "../../../access/sessions/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { unauthorized } from "../../../lib/errors.ts";
import { createFirstAccount } from "./create-first-account.ts";

/** `npm run bootstrap`. Its bearer token is signed with the master key of the deployment and names the address. */
export const bootstrapRoutes = new Hono<AppEnv>().post("/auth/bootstrap", async (c) => {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  const claims = await verifyAccessToken(c.get("ctx"), "bootstrap", token);
  const address = claims && parseAddress(claims.sub);
  if (!address) throw unauthorized("The request is not signed with a master key of this deployment");
  return c.json({ sign_in_url: await createFirstAccount(c.get("ctx"), address) }, 201);
});
