import { Hono } from "hono";
import { listApiKeys } from "../api-keys/index.ts";
import type { AppEnv } from "../http/env.ts";
import { respondPage } from "../http/page.tsx";
import { pageSession } from "../http/page-session.ts";
import { homePage } from "./home-page.tsx";
import { listOwnWorkspaces } from "./queries.ts";

const API_KEYS_SHOWN = 100;

/** The pages of the dashboard. */
export const dashboardRoutes = new Hono<AppEnv>().get("/app", pageSession, async (c) => {
  const caller = c.get("caller");
  const maySeeKeys = caller.actor.scopes.has("team:view");
  const [workspaces, apiKeys] = await Promise.all([
    listOwnWorkspaces(caller),
    maySeeKeys ? listApiKeys(caller, { offset: 0, limit: API_KEYS_SHOWN }) : null,
  ]);
  return respondPage(c, homePage({ caller, workspaces, apiKeys }));
});
