import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { NotificationRow } from "./queries.ts";

const MARK_READ = `
  UPDATE notifications SET read_at = ifnull(read_at, ?4) WHERE id = ?1 AND workspace = ?2 AND user_id = ?3
  RETURNING id, workspace, user_id AS userId, category, severity, title, body, href, read_at AS readAt, created_at AS createdAt`;

// The index by user finds them; those that are read already are not written.
const MARK_ALL_READ = "UPDATE notifications SET read_at = ?3 WHERE workspace = ?1 AND user_id = ?2 AND read_at IS NULL";

/** Marks a notification of the calling user read and returns it. A second call keeps the time of the first. Throws 404. */
export async function markRead(ctx: CallerCtx, id: string): Promise<NotificationRow> {
  const values = [parseUuid(id), ctx.workspace.number, ctx.actor.userId, ctx.now()];
  return requireFound(await ctx.db.findRow<NotificationRow>(MARK_READ, ...values), "Notification");
}

/** Marks all notifications of the calling user in the active workspace read. Returns how many were unread. */
export async function markAllRead(ctx: CallerCtx): Promise<number> {
  const { meta } = await ctx.db.execute(MARK_ALL_READ, ctx.workspace.number, ctx.actor.userId, ctx.now());
  return meta.changes;
}
