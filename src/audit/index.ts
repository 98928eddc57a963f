export { type AuditAction, actions } from "./actions.ts";
export { listAllAudit } from "./queries.ts";
export {
  type AuditEntry,
  auditIfChangedStatement,
  auditInNewWorkspaceStatement,
  auditStatement,
  auditWhereStatement,
} from "./record.ts";
export { AUDIT_RETENTION_DAYS, firstIdAt } from "./rules.ts";
export { AuditEntryOut, toAuditEntry } from "./schema.ts";
