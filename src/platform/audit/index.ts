export { actions } from "./actions.ts";
export {
  type AuditActor,
  auditIfChangedStatement,
  auditInNewWorkspaceStatement,
  auditStatement,
  auditWhereStatement,
} from "./record.ts";
export { auditSessionStatement } from "./record-session.ts";
export { AUDIT_RETENTION_DAYS, firstIdAt } from "./rules.ts";
