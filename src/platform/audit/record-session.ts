import type { Ctx, MainStatement } from "../context.ts";
import { actions } from "./actions.ts";

const INSERT = `
  INSERT INTO audit_log (id, workspace, user_id, user_email, method, credential_id, ip, action, target_kind, target_id,
                         detail, created_at)
  SELECT ?1, s.workspace, s.user_id, u.email, 'session', s.id, s.ip, ?2, ?3, s.id, json_object('method', s.method), ?4
    FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ?5`;

/**
 * Returns the statement that records the start or the end of a session by its user, in the workspace that is active in it.
 * It reads the session's row: place it after the insert, or before the deletion. A session that has ended records nothing.
 */
export function auditSessionStatement(
  { db, now, newId }: Pick<Ctx, "db" | "now" | "newId">,
  action: "session.started" | "session.ended",
  sessionId: string,
): MainStatement {
  return db.prepare(INSERT).bind(newId(), action, actions[action], now(), sessionId);
}
