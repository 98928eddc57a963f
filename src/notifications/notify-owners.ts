import type { Ctx } from "../context.ts";
import type { MainStatement } from "../db/database.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../db/random-id.ts";
import type { notifications } from "../db/schema/main/index.ts";

type Row = typeof notifications.$inferSelect;

/** The content of a notification. */
export type Notice = Pick<Row, "category" | "severity" | "title" | "body" | "href">;

const NOTIFY = `
  INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
  SELECT ?1 || ${ID_SUFFIX_SQL}, workspace, user_id, ?3, ?4, ?5, ?6, ?7, ?8 FROM memberships
   WHERE workspace = ?2 AND role = 'owner'`;

/** Returns a statement that notifies the owners of a workspace. It belongs in the batch that makes the change. */
export function notifyOwnersStatement(ctx: Ctx, workspace: number, notice: Notice): MainStatement {
  const { category, severity, title, body, href } = notice;
  return ctx.db.prepare(NOTIFY).bind(idPrefix(ctx), workspace, category, severity, title, body, href, ctx.now());
}
