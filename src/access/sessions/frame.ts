import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { PageFrame } from "../caller.ts";

/** Workspaces that the header lists, and unread notifications that it counts; so a page reads at most as many rows for them. */
const [MAX_WORKSPACES, MAX_UNREAD] = [50, 100];

const FIND_FRAME = `
  SELECT (
    SELECT json_group_array(json_object('id', id, 'name', name)) FROM (
      SELECT w.id, w.name FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
       WHERE m.user_id = ?1 ORDER BY m.created_at, m.workspace LIMIT ${MAX_WORKSPACES})) AS workspaces, (
    SELECT count(*) FROM (
      SELECT 1 FROM workspaces w JOIN notifications n ON n.workspace = w.number AND n.user_id = ?1 AND n.read_at IS NULL
       WHERE w.id = ?2 LIMIT ${MAX_UNREAD})) AS unread`;

export interface FrameRow {
  /** JSON text. */
  workspaces: string;
  unread: number;
}

/** Returns the statement that reads what the header of a page shows to a user in a workspace. */
export const findFrame = ({ db }: Ctx, userId: string, workspaceId: string): MainStatement =>
  db.prepare(FIND_FRAME).bind(userId, workspaceId);

/** Returns what the header of a page shows. */
export const toFrame = ({ workspaces, unread }: FrameRow): PageFrame => ({
  workspaces: JSON.parse(workspaces),
  unread,
});
