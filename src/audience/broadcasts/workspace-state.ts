import { isPausedSource } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { BroadcastRow } from "./queries.ts";

/** State of a broadcast's workspace and user, from the main database. */
export interface WorkspaceState {
  id: string;
  /** Sending is paused, or the workspace has stopped its bulk mail. */
  isPaused: boolean;
  isRestricted: boolean;
  /** Bytes of the mail database, as cron measured it last. */
  mailSize: number;
  number: number;
  /** Its own limit of emails a day, as CallerWorkspace has it. */
  dailyLimit: number | null;
  /** Null: UTC. */
  timeZone: string | null;
  /** The topic of the broadcast was deleted. */
  isTopicDeleted: boolean;
}

const FIND = `
  SELECT w.id, w.settings->>'$.time_zone' AS time_zone, w.sending_paused_at, w.bulk_pause, w.daily_limit, u.restricted_at, (SELECT size FROM mail_shards WHERE number = ?3) AS mail_size,
         ?4 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM topics t WHERE t.workspace = ?1 AND t.id = ?4) AS is_topic_deleted
    FROM workspaces w LEFT JOIN users u ON u.id = ?2
   WHERE w.number = ?1 AND w.deleted_at IS NULL`;

interface StateRow {
  id: string;
  time_zone: string | null;
  sending_paused_at: number | null;
  bulk_pause: number;
  daily_limit: number | null;
  restricted_at: number | null;
  mail_size: number | null;
  is_topic_deleted: 0 | 1;
}

/** Returns the state of the workspace of a broadcast, or null when it was deleted. */
export async function findWorkspaceState(
  ctx: MailCtx,
  { workspace, user_id, topic_id }: BroadcastRow,
): Promise<WorkspaceState | null> {
  const row = await ctx.db.prepare(FIND).bind(workspace, user_id, ctx.shard, topic_id).first<StateRow>();
  return (
    row && {
      id: row.id,
      isPaused: row.sending_paused_at !== null || isPausedSource(row.bulk_pause, "broadcast"),
      isRestricted: row.restricted_at !== null,
      mailSize: row.mail_size ?? 0,
      number: workspace,
      dailyLimit: row.daily_limit,
      timeZone: row.time_zone,
      isTopicDeleted: row.is_topic_deleted === 1,
    }
  );
}
