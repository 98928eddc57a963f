import { newRoutes } from "../http/env.ts";
import { domainClaimRoutes } from "./admin/domain-claims/routes.ts";
import { egressRoutes } from "./admin/egresses/routes.ts";
import { operationRoutes } from "./admin/operations/routes.ts";
import { adminRoutes } from "./admin/routes.ts";
import { platformWorkspaceRoutes } from "./admin/workspaces/routes.ts";
import { backupRoutes } from "./backups/routes.ts";
import { metricsRoutes } from "./metrics/routes.ts";
import { secretRotationRoutes } from "./secret-rotation/routes.ts";

/** The routes of the area. */
export const operationsRoutes = newRoutes()
  .route("/", metricsRoutes)
  .route("/", secretRotationRoutes)
  .route("/", backupRoutes)
  .route("/", adminRoutes.app)
  .route("/", operationRoutes.app)
  .route("/", platformWorkspaceRoutes.app)
  .route("/", domainClaimRoutes.app)
  .route("/", egressRoutes.app);
