import type { MailCtx } from "../context.ts";
import type { BroadcastRow } from "./queries.ts";

/** What the main database says about the workspace and the user of a broadcast. */
export interface WorkspaceState {
  id: string;
  isPaused: boolean;
  isRestricted: boolean;
  /** Bytes of the mail database, as cron measured it last. */
  mailSize: number;
}

const FIND = `
  SELECT w.id, w.sending_paused_at, u.restricted_at, (SELECT size FROM mail_shards WHERE number = ?3) AS mail_size
    FROM workspaces w LEFT JOIN users u ON u.id = ?2
   WHERE w.number = ?1 AND w.deleted_at IS NULL`;

/** Returns the state of the workspace of a broadcast, or null when it was deleted. */
export async function findWorkspaceState(
  ctx: MailCtx,
  { workspace, user_id }: BroadcastRow,
): Promise<WorkspaceState | null> {
  const row = await ctx.db
    .prepare(FIND)
    .bind(workspace, user_id, ctx.shard)
    .first<{ id: string; sending_paused_at: number | null; restricted_at: number | null; mail_size: number | null }>();
  return (
    row && {
      id: row.id,
      isPaused: row.sending_paused_at !== null,
      isRestricted: row.restricted_at !== null,
      mailSize: row.mail_size ?? 0,
    }
  );
}
