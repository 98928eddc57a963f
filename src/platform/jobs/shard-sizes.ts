import { tooManyRequests, unavailable } from "../../lib/errors.ts";
import { HOUR_MS } from "../../lib/time.ts";
import { contentBudget } from "../budgets/objects.ts";
import type { CallerWorkspace, Ctx, WorkspaceCtx } from "../context.ts";
import { shardSql } from "./shards.ts";

/** Cron measures the sizes each minute, and retention frees space each hour. In seconds. */
const RETRY_AFTER = 300;

/** Smallest change of a size that is written, as a share of the lowest limit: one row for each minute of mail costs more. */
const SIZE_PRECISION = 0.001;

/** The number by which the main database is in the table of sizes. */
export const MAIN_NUMBER = -1;

const SAVE_SIZES = `
  INSERT INTO mail_shards (number, size, is_open) SELECT value->>'shard', value->>'size', value->>'shard' >= 0 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET size = excluded.size WHERE abs(size - excluded.size) > ?2`;

/** The size of one database in bytes, without its free pages. */
export interface ShardSize {
  shard: number;
  size: number;
}

/** Writes sizes that changed to the main database, where requests read them with their credential. */
export async function saveShardSizes(ctx: Ctx, sizes: readonly ShardSize[]): Promise<void> {
  const step = Math.floor(Math.min(...Object.values(ctx.settings.shardLimits)) * SIZE_PRECISION);
  if (sizes.length > 0) await ctx.db.execute(SAVE_SIZES, JSON.stringify(sizes), step);
}

/** SQL: the size of the mail database of a workspace `w` in bytes, 0 before it was measured. */
export const MAIL_SIZE_SQL = `coalesce((SELECT s.size FROM mail_shards s WHERE s.number = ${shardSql("w")}), 0)`;

/** SQL: the size of the main database in bytes, 0 before it was measured. */
export const MAIN_SIZE_SQL = `coalesce((SELECT s.size FROM mail_shards s WHERE s.number = ${MAIN_NUMBER}), 0)`;

/** SQL: 1 for a workspace `w` that has more than its equal share of its mail database, as far as cron has found that. */
export const OVER_SHARE_SQL = "w.stored->>'$.over_share' IS NOT NULL";

/** SQL: 1 for a workspace `w` that has as much content in R2 as it may. */
export const OVER_CONTENT_SQL = `
  coalesce(w.stored->>'$.content' >= coalesce(w.budgets->>'$.content', ${contentBudget.content.rows}), 0)`;

/** The state that decides whether a workspace gets new rows in its mail database. */
export type MailSpace = Pick<CallerWorkspace, "mailSize" | "isOverShare">;

/** Returns whether a workspace gets new emails and other large rows in its mail database: outcomes of accepted emails must still fit. */
export function hasMailSpace({ settings }: Pick<Ctx, "settings">, { mailSize, isOverShare }: MailSpace): boolean {
  const { accept, full } = settings.shardLimits;
  return mailSize < (isOverShare ? accept : full);
}

const OVER_SHARE =
  "The mail database of this workspace is nearly full, and the workspace has more than its equal share of it; delete contacts, or keep emails for fewer days in its settings";
const OVER_CONTENT =
  "This workspace has as much content as it may; keep its emails for fewer days in its settings, or ask the operator for more";

/**
 * Throws 503 when the mail database of the caller is too full, 429 when it is nearly full and the workspace has more than its share of it.
 */
export function requireMailSpace(ctx: WorkspaceCtx): void {
  const { workspace, settings } = ctx;
  if (hasMailSpace(ctx, workspace)) return;
  if (workspace.mailSize < settings.shardLimits.full) throw tooManyRequests(OVER_SHARE, HOUR_MS / 1000);
  throw unavailable("The mail database of this workspace is full; try again later", RETRY_AFTER);
}

/** Throws 429 when the workspace of the caller has as much content in R2 as it may. */
export function requireContentSpace({ workspace }: WorkspaceCtx): void {
  if (workspace.isOverContent) throw tooManyRequests(OVER_CONTENT, HOUR_MS / 1000);
}

/** Throws as `requireMailSpace` and `requireContentSpace`, for a call that makes emails. */
export function requireEmailSpace(ctx: WorkspaceCtx): void {
  requireMailSpace(ctx);
  requireContentSpace(ctx);
}

/** Returns whether the mail database of the caller is too full for content, which then is stored in R2 only. */
export function storesContentInR2Only({ workspace, settings }: WorkspaceCtx): boolean {
  return workspace.mailSize >= settings.shardLimits.content;
}

/** Throws 503 when the main database is too full for what takes much of it. */
export function requireMainSpace({ workspace, settings }: WorkspaceCtx): void {
  if (workspace.mainSize >= settings.mainLimit)
    throw unavailable(
      "The main database of the service is nearly full, and takes no imports and templates; try again later",
      RETRY_AFTER,
    );
}
