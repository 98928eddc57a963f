import type { CredentialKind, MainStatement, WorkspaceCtx } from "../context.ts";
import { hasRoom } from "../db/has-room.ts";
import { type AuditAction, actions, isRefusable } from "./actions.ts";

/** A change that a caller makes. */
export interface AuditEntry {
  action: AuditAction;
  /** Id of the record that is changed. */
  target: string;
  /** The changed fields. Never contains a secret. */
  detail?: Record<string, unknown>;
}

/** Who made a change, and with which credential. */
export type AuditActor = Pick<WorkspaceCtx["actor"], "userId" | "email" | "credentialId"> & {
  kind: CredentialKind | "invitation";
};

type AuditCtx = Pick<WorkspaceCtx, "db" | "now" | "newId" | "clientIp"> & {
  /** Null: the service itself. */
  actor: AuditActor | null;
  workspace: Pick<WorkspaceCtx["workspace"], "number"> | null;
};

const insertWhere = (condition: string, workspace = "?2") => `
  INSERT INTO audit_log (id, workspace, user_id, user_email, method, credential_id, ip, action, target_kind, target_id,
                         detail, created_at)
  SELECT ?1, ${workspace}, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 WHERE ${condition}`;

/**
 * Returns the statement that records a change, for the batch that makes it: after its guards, which read changes(). At the end of the budget
 * of audit entries the batch throws BudgetSpentError, if that may refuse the change (`isRefusable`).
 */
export const auditStatement = (ctx: AuditCtx, entry: AuditEntry): MainStatement => statement(ctx, entry, "true");

/** Returns the same, for a change that may turn out to be none: records only if the statement before it changed a row. */
export function auditIfChangedStatement(ctx: AuditCtx, entry: AuditEntry): MainStatement {
  return statement(ctx, entry, "changes() > 0");
}

/** Returns the same, with an SQL condition that may name the target as `?10`. */
export function auditWhereStatement(ctx: AuditCtx, entry: AuditEntry, condition: string): MainStatement {
  return statement(ctx, entry, condition);
}

/** Returns the same for a workspace that the batch creates. The target is its id. */
export function auditInNewWorkspaceStatement(ctx: AuditCtx, entry: AuditEntry): MainStatement {
  return statement({ ...ctx, workspace: null }, entry, "true", "(SELECT number FROM workspaces WHERE id = ?10)");
}

function statement(
  { db, actor, workspace, clientIp, newId, now }: AuditCtx,
  { action, target, detail = {} }: AuditEntry,
  condition: string,
  workspaceSql?: string,
): MainStatement {
  const { userId = null, email = null, kind = null, credentialId = null } = actor ?? {};
  const caller = [userId, email, kind, credentialId, clientIp];
  const mayBeRefused = actor !== null && workspace !== null && isRefusable(action);
  return db
    .prepare(insertWhere(mayBeRefused ? `${condition} AND ${hasRoom("audit_log", "?2")}` : condition, workspaceSql))
    .bind(
      newId(),
      workspace?.number ?? null,
      ...caller,
      action,
      actions[action],
      target,
      JSON.stringify(detail),
      now(),
    );
}
