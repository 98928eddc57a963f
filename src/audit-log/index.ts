export { listAllAudit } from "./queries.ts";
export { AuditEntryOut, toAuditEntry } from "./schema.ts";
