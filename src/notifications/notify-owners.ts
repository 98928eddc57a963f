import type { Ctx } from "../context.ts";
import { ID_TAIL, idHead } from "../db/random-id.ts";
import type { notifications } from "../db/schema/index.ts";

type Row = typeof notifications.$inferSelect;

/** Something that people of a workspace should know. */
export type Notice = Pick<Row, "category" | "severity" | "title" | "body" | "href">;

const NOTIFY = `
  INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
  SELECT ?1 || ${ID_TAIL}, workspace, user_id, ?3, ?4, ?5, ?6, ?7, ?8 FROM memberships
   WHERE workspace = ?2 AND role = 'owner'`;

/** Tells the owners of a workspace, as a statement of the batch that does what it tells of. */
export function notifyOwnersStatement(ctx: Ctx, workspace: number, notice: Notice): D1PreparedStatement {
  const { category, severity, title, body, href } = notice;
  return ctx.db.prepare(NOTIFY).bind(idHead(ctx), workspace, category, severity, title, body, href, ctx.now());
}
