import { Hono } from "hono";
import type { AppEnv } from "../http/env.ts";
import { onPageError } from "../http/page-errors.tsx";
import { apiKeyPages } from "./api-keys/routes.tsx";
import { grantPages } from "./grants/routes.tsx";
import { homePages } from "./home/routes.tsx";
import { securityPages } from "./security/routes.tsx";

/** The pages of the dashboard. Their forms call the operations of the API, with its scopes and limits. */
export const dashboardRoutes = new Hono<AppEnv>()
  .route("/", homePages)
  .route("/", apiKeyPages)
  .route("/", grantPages)
  .route("/", securityPages)
  .onError(onPageError);
