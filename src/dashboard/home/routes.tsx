import { Hono } from "hono";
import { listApiKeys } from "../../api-keys/index.ts";
import type { AppEnv } from "../../http/env.ts";
import { respondPage } from "../../http/page.tsx";
import { pageFor } from "../../http/page-right.ts";
import { listGrants } from "../../oauth/index.ts";
import { HomePage } from "./page.tsx";
import { listOwnWorkspaces } from "./queries.ts";

/** Most API keys, and most grants, that the home page shows. */
const SHOWN = 5;

export const homePages = new Hono<AppEnv>().get("/app", ...pageFor("GET /v1/me"), async (c) => {
  const caller = c.get("caller");
  const maySeeKeys = caller.actor.scopes.has("team:view");
  const [workspaces, apiKeys, grants] = await Promise.all([
    listOwnWorkspaces(caller),
    maySeeKeys ? listApiKeys(caller, { offset: 0, limit: SHOWN }) : null,
    listGrants(caller, { limit: SHOWN }),
  ]);
  return respondPage(c, <HomePage caller={caller} workspaces={workspaces} apiKeys={apiKeys} grants={grants} />);
});
