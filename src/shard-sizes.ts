import type { CallerCtx, Ctx } from "./context.ts";
import { unavailable } from "./errors.ts";

/** Cron measures the sizes each minute, and retention frees space each hour. In seconds. */
const RETRY_AFTER = 300;

const SAVE_SIZES = `
  INSERT INTO mail_shards (number, size) SELECT value->>'shard', value->>'size' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET size = excluded.size WHERE size <> excluded.size`;

/** The size of one mail database in bytes, without its free pages. */
export interface ShardSize {
  shard: number;
  size: number;
}

/** Writes sizes to the main database, where requests read them with their credential. */
export async function saveShardSizes(ctx: Ctx, sizes: readonly ShardSize[]): Promise<void> {
  if (sizes.length > 0) await ctx.db.prepare(SAVE_SIZES).bind(JSON.stringify(sizes)).run();
}

/** Whether a mail database of this size takes new emails: outcomes of accepted ones must still fit. */
export function hasMailSpace({ settings }: Pick<Ctx, "settings">, size: number): boolean {
  return size < settings.shardLimits.accept;
}

/** Throws 503 when the mail database of the caller is too full for new emails. */
export function requireMailSpace(ctx: CallerCtx): void {
  if (!hasMailSpace(ctx, ctx.workspace.mailSize))
    throw unavailable("The mail database of this workspace is full; try again later", RETRY_AFTER);
}

/** Whether the mail database of the caller is too full for content, which then is stored in R2 only. */
export function storesContentInR2Only({ workspace, settings }: CallerCtx): boolean {
  return workspace.mailSize >= settings.shardLimits.content;
}
