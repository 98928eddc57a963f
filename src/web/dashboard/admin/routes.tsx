import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor } from "../../../http/page-right.ts";
import { Layout, Pager } from "../../../http/ui/index.ts";
import { listAllAudit, toAuditEntry } from "../../../identity/workspaces/index.ts";
import { AuditList } from "../audit/index.ts";
import { accountPages } from "./account-routes.tsx";
import { claimPages } from "./claim-routes.tsx";
import { forcePages } from "./force-routes.tsx";
import { operationPages } from "./operation-routes.tsx";
import { workspacePages } from "./workspace-routes.tsx";

const PAGE_SIZE = 100;

/** The pages of administrators of the platform. Others get 403, and have no menu entry of them. */
export const adminPages = new Hono<AppEnv>()
  .route("/", accountPages)
  .route("/", workspacePages)
  .route("/", claimPages)
  .route("/", forcePages)
  .route("/", operationPages)
  .get("/app/admin/audit", ...pageFor("GET /v1/admin/audit"), async (c) => {
    const caller = c.get("caller");
    const after = c.req.query("after")?.toLowerCase();
    const found = await listAllAudit(caller, { ...(after ? { after } : {}), limit: PAGE_SIZE + 1 });
    const shown = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
    return respondPage(
      c,
      <Layout title="Platform audit" caller={caller} at="/app/admin/audit">
        <AuditList entries={shown.map(toAuditEntry)} />
        <Pager next={last === undefined ? null : `/app/admin/audit?${new URLSearchParams({ after: last.id })}`} />
      </Layout>,
    );
  });
