import { newRoutes } from "../../../http/env.ts";
import { pageFor } from "../../../http/page-routes.ts";
import { listMembers } from "../../../identity/members/index.ts";
import { listAudit } from "../../../identity/workspaces/index.ts";
import { showAudit } from "./list.tsx";

/** Members among whom one is chosen. */
const MAX_PEOPLE = 200;

/** Who changed what in the workspace, newest first. */
export const auditPages = newRoutes().get("/app/audit", ...pageFor("GET /v1/audit"), (c) =>
  showAudit(c, {
    title: "Audit log",
    path: "/app/audit",
    read: listAudit,
    readPeople: (caller) => listMembers(caller, { limit: MAX_PEOPLE }),
  }),
);
