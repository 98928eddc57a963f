import { newRoutes } from "../../../http/env.ts";
import { pageQuery, toPage } from "../../../http/list-page.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { AppLayout } from "../../../http/ui/index.ts";
import { listAllAudit, toAuditEntry } from "../../../identity/workspaces/index.ts";
import { AuditList } from "../audit/index.ts";
import { accountPages } from "./account-routes.tsx";
import { claimPages } from "./claim-routes.tsx";
import { forcePages } from "./force-routes.tsx";
import { operationPages } from "./operation-routes.tsx";
import { workspacePages } from "./workspace-routes.tsx";

const PAGE_SIZE = 100;

/** The pages of administrators of the platform. Others get 403, and have no menu entry of them. */
export const adminPages = newRoutes()
  .route("/", accountPages)
  .route("/", workspacePages)
  .route("/", claimPages)
  .route("/", forcePages)
  .route("/", operationPages)
  .get("/app/admin/audit", ...pageFor("GET /v1/admin/audit"), async (c) => {
    const found = await listAllAudit(c.get("caller"), pageQuery(c, PAGE_SIZE));
    const { rows, next } = toPage(found, PAGE_SIZE, "/app/admin/audit", ({ id }) => id);
    return respondPage(
      c,
      <AppLayout title="Platform audit">
        <AuditList entries={rows.map(toAuditEntry)} />
      </AppLayout>,
      { next },
    );
  });
