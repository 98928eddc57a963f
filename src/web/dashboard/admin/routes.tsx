import { newRoutes } from "../../../http/env.ts";
import { pageFor } from "../../../http/page-routes.ts";
import { listAllAudit } from "../../../identity/workspaces/index.ts";
import { showAudit } from "../audit/index.ts";
import { accountPages } from "./accounts.tsx";
import { claimPages } from "./claims.tsx";
import { forcePages } from "./force.tsx";
import { operationPages } from "./operation-routes.tsx";
import { workspacePages } from "./workspaces.tsx";

/** The pages of administrators of the platform. Others get 403, and have no menu entry of them. */
export const adminPages = newRoutes()
  .route("/", accountPages)
  .route("/", workspacePages)
  .route("/", claimPages)
  .route("/", forcePages)
  .route("/", operationPages)
  .get("/app/admin/audit", ...pageFor("GET /v1/admin/audit"), (c) =>
    showAudit(c, { title: "Platform audit", path: "/app/admin/audit", read: listAllAudit }),
  );
