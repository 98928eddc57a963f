import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { cursorQuery, respondList } from "../../../http/pagination.ts";
import { query } from "../../../http/validate.ts";
import { AUDIT_RETENTION_DAYS } from "../../../platform/audit/rules.ts";
import { listAudit } from "./queries.ts";
import { AuditEntryOut, toAuditEntry } from "./schema.ts";

const operation = operationsOf("Audit log");

export const auditRoutes = newRoutes().get(
  "/v1/audit",
  operation("team:manage", "listAuditEntries", {
    summary: "List the audit log, newest first",
    description: `Who changed what in the workspace. Entries are kept ${AUDIT_RETENTION_DAYS} days.`,
    responses: responses(200, "A page of entries", z.array(AuditEntryOut), [403]),
  }),
  query(z.object(cursorQuery)),
  (c) => respondList(c, { read: listAudit, after: ({ id }) => id, serialize: toAuditEntry }),
);
