import type { Hono } from "hono";
import { type AppEnv, newRoutes } from "../http/env.ts";
import { dashboardRoutes } from "./dashboard/routes.ts";
import { frontRoutes } from "./front/routes.tsx";
import { mcpRoutes } from "./mcp/routes.ts";
import { referenceRoutes } from "./reference/routes.tsx";
import { resendRoutes } from "./resend/routes.ts";
import { webmailPages } from "./webmail/routes.tsx";

/** Returns the routes of the area. The assistants of MCP call routes of `app`, and the reference describes them. */
export const webRoutes = (app: Hono<AppEnv>) =>
  newRoutes()
    .route("/", frontRoutes)
    .route("/", dashboardRoutes)
    .route("/", webmailPages)
    .route("/", resendRoutes)
    .route("/", mcpRoutes(app))
    .route("/", referenceRoutes(app));
