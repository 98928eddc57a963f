export { listAllAudit, listAudit } from "./queries.ts";
export { AuditEntryOut, toAuditEntry } from "./schema.ts";
