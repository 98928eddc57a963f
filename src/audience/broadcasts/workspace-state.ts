import { isPausedSource } from "../../platform/bulk-pauses/rules.ts";
import type { CallerWorkspace, MailCtx } from "../../platform/context.ts";
import { MAIL_SIZE_SQL, OVER_CONTENT_SQL, OVER_SHARE_SQL } from "../../platform/jobs/shard-sizes.ts";
import type { BroadcastRow } from "./queries.ts";

/** State of a broadcast's workspace and user, from the main database. */
export interface WorkspaceState
  extends Pick<CallerWorkspace, "id" | "number" | "mailSize" | "isOverShare" | "isOverContent" | "dailyLimit"> {
  /** Sending is paused, or the workspace has stopped its bulk mail. */
  isPaused: boolean;
  isRestricted: boolean;
  timeZone: string;
  /** The topic of the broadcast was deleted. */
  isTopicDeleted: boolean;
}

const FIND = `
  SELECT w.id, w.number, coalesce(w.settings->>'$.time_zone', 'UTC') AS timeZone, w.daily_limit AS dailyLimit, w.sending_paused_at AS pausedAt,
         w.bulk_pause AS bulkPause, u.restricted_at IS NOT NULL AS isRestricted,
         ${MAIL_SIZE_SQL} AS mailSize, ${OVER_SHARE_SQL} AS isOverShare, ${OVER_CONTENT_SQL} AS isOverContent,
         ?3 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM topics t WHERE t.workspace = ?1 AND t.id = ?3) AS isTopicDeleted
    FROM workspaces w LEFT JOIN users u ON u.id = ?2
   WHERE w.number = ?1 AND w.deleted_at IS NULL`;

type Flag = "isRestricted" | "isOverShare" | "isOverContent" | "isTopicDeleted";
type StateRow = Omit<WorkspaceState, "isPaused" | Flag> &
  Record<Flag, 0 | 1> & { pausedAt: number | null; bulkPause: number };

/** Returns the state of the workspace of a broadcast, or null when it was deleted. */
export async function findWorkspaceState(
  ctx: MailCtx,
  { workspace, user_id, topic_id }: BroadcastRow,
): Promise<WorkspaceState | null> {
  const found = await ctx.db.findRow<StateRow>(FIND, workspace, user_id, topic_id);
  if (!found) return null;
  const { pausedAt, bulkPause, ...state } = found;
  const isPaused = pausedAt !== null || isPausedSource(bulkPause, "broadcast");
  return {
    ...state,
    isPaused,
    isRestricted: state.isRestricted === 1,
    isOverShare: state.isOverShare === 1,
    isOverContent: state.isOverContent === 1,
    isTopicDeleted: state.isTopicDeleted === 1,
  };
}
