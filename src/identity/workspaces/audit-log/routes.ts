import * as z from "zod";
import { apiRoutes } from "../../../http/api-routes.ts";
import { cursorQuery, respondList } from "../../../http/pagination.ts";
import { AUDIT_RETENTION_DAYS } from "../../../platform/audit/rules.ts";
import { listAudit } from "./queries.ts";
import { AuditEntryOut, toAuditEntry } from "./schema.ts";

export const auditRoutes = apiRoutes("Audit log").get("/v1/audit", "listAuditEntries", "team:manage", {
  summary: "List the audit log, newest first",
  description: `Who changed what in the workspace. Entries are kept ${AUDIT_RETENTION_DAYS} days.`,
  query: z.object(cursorQuery),
  returns: { 200: ["A page of entries", z.array(AuditEntryOut)] },
  run: (_caller, { query }, c) =>
    respondList(c, query, { read: listAudit, after: ({ id }) => id, serialize: toAuditEntry }),
});
