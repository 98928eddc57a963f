export { type AuditFilter, type AuditRow, listAllAudit, listAudit } from "./audit-log/queries.ts";
export { AuditEntryOut, toAuditEntry } from "./audit-log/schema.ts";
export { createWorkspace } from "./create.ts";
export { closeForMail, deleteWorkspace, deletionStatements } from "./delete.ts";
export { newWorkspace } from "./new-workspace.ts";
export { getWorkspace, requireActiveWorkspace, type WorkspaceRow } from "./queries.ts";
export { BrandIn, toWorkspace, type UsageOut, WorkspaceIn, WorkspaceOut, WorkspacePatch } from "./schema.ts";
export { updateWorkspace } from "./update.ts";
export { listUsage } from "./usage.ts";
