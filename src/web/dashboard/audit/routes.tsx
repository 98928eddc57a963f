import { newRoutes } from "../../../http/env.ts";
import { pageFor } from "../../../http/page-routes.ts";
import { listAudit } from "../../../identity/workspaces/index.ts";
import { showAudit } from "./list.tsx";

/** Who changed what in the workspace, newest first. */
export const auditPages = newRoutes().get("/app/audit", ...pageFor("GET /v1/audit"), (c) =>
  showAudit(c, "Audit log", { path: "/app/audit", read: listAudit }),
);
