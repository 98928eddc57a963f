import { unavailable } from "../../lib/errors.ts";
import type { Ctx, WorkspaceCtx } from "../context.ts";

/** Cron measures the sizes each minute, and retention frees space each hour. In seconds. */
const RETRY_AFTER = 300;

/** Smallest change of a size that is written, as a share of the lowest limit: one row for each minute of mail costs more. */
const SIZE_PRECISION = 0.001;

const SAVE_SIZES = `
  INSERT INTO mail_shards (number, size) SELECT value->>'shard', value->>'size' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET size = excluded.size WHERE abs(size - excluded.size) > ?2`;

/** The size of one mail database in bytes, without its free pages. */
export interface ShardSize {
  shard: number;
  size: number;
}

/** Writes sizes that changed to the main database, where requests read them with their credential. */
export async function saveShardSizes(ctx: Ctx, sizes: readonly ShardSize[]): Promise<void> {
  const step = Math.floor(Math.min(...Object.values(ctx.settings.shardLimits)) * SIZE_PRECISION);
  if (sizes.length > 0) await ctx.db.execute(SAVE_SIZES, JSON.stringify(sizes), step);
}

/** Returns whether a mail database of this size takes new emails: outcomes of accepted ones must still fit. */
export function hasMailSpace({ settings }: Pick<Ctx, "settings">, size: number): boolean {
  return size < settings.shardLimits.accept;
}

/** Throws 503 when the mail database of the caller is too full for new emails. */
export function requireMailSpace(ctx: WorkspaceCtx): void {
  if (!hasMailSpace(ctx, ctx.workspace.mailSize))
    throw unavailable("The mail database of this workspace is full; try again later", RETRY_AFTER);
}

/** Returns whether the mail database of the caller is too full for content, which then is stored in R2 only. */
export function storesContentInR2Only({ workspace, settings }: WorkspaceCtx): boolean {
  return workspace.mailSize >= settings.shardLimits.content;
}
