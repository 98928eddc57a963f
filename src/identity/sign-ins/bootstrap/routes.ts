import { newRoutes } from "../../../http/env.ts";
import { needs } from "../../../http/needs.ts";
import { unsigned } from "../../../http/service-auth.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { createFirstAccount } from "./create-first-account.ts";

/** `npm run bootstrap`. Its token names the address of the first account. */
export const bootstrapRoutes = newRoutes().post("/auth/bootstrap", needs("operator:bootstrap"), async (c) => {
  const address = parseAddress(c.get("operator"));
  if (!address) throw unsigned();
  return c.json({ sign_in_url: await createFirstAccount(c.get("ctx"), address) }, 201);
});
