import { newRoutes } from "../../../http/env.ts";
import { pageQuery, toPage } from "../../../http/list-page.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { AppLayout } from "../../../http/ui/index.ts";
import { listAudit, toAuditEntry } from "../../../identity/workspaces/index.ts";
import { AuditList } from "./list.tsx";

const PAGE_SIZE = 100;

/** Who changed what in the workspace, newest first. */
export const auditPages = newRoutes().get("/app/audit", ...pageFor("GET /v1/audit"), async (c) => {
  const found = await listAudit(c.get("caller"), pageQuery(c, PAGE_SIZE));
  const { rows, next } = toPage(found, PAGE_SIZE, "/app/audit", ({ id }) => id);
  return respondPage(
    c,
    <AppLayout title="Audit log">
      <AuditList entries={rows.map(toAuditEntry)} />
    </AppLayout>,
    { next },
  );
});
