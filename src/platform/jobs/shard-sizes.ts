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

/** Why a workspace gets no new emails although others do: it has more than its share of a mail database, or too much content in R2. */
export type MailStop = "share" | "content";

/** SQL: the size of the mail database of a workspace `w` in bytes, 0 before it was measured. */
export const MAIL_SIZE_SQL = `coalesce((SELECT s.size FROM mail_shards s WHERE s.number = ${shardSql("w")}), 0)`;

/** SQL: the MailStop of a workspace `w` by its share alone, or null. It counts while its mail database is nearly full. */
export const SHARE_STOP_SQL = "CASE WHEN w.stored->>'$.over_share' IS NOT NULL THEN 'share' END";

/** SQL: the MailStop of a workspace `w`, or null. */
export const MAIL_STOP_SQL = `
  coalesce(${SHARE_STOP_SQL}, CASE WHEN w.stored->>'$.content' >= coalesce(w.budgets->>'$.content', ${contentBudget.content.rows}) THEN 'content' END)`;

/** The state that decides whether a workspace gets new emails. */
export type MailSpace = Pick<CallerWorkspace, "mailSize" | "mailStop">;

/** Returns why a workspace gets no new emails, or null: outcomes of accepted ones must still fit. */
function stopOf({ settings }: Pick<Ctx, "settings">, { mailSize, mailStop }: MailSpace): MailStop | "full" | null {
  const { accept, full } = settings.shardLimits;
  if (mailSize >= full) return "full";
  return mailStop === "share" && mailSize < accept ? null : mailStop;
}

/** Returns whether a workspace gets new emails. */
export const hasMailSpace = (ctx: Pick<Ctx, "settings">, space: MailSpace): boolean => stopOf(ctx, space) === null;

const EXCEEDED = {
  share:
    "The mail database of this workspace is nearly full, and the workspace has more than its equal share of it; delete contacts, or keep emails for fewer days in its settings",
  content:
    "This workspace has as much content as it may; keep its emails for fewer days in its settings, or ask the operator for more",
};
const exceeded = (stop: MailStop) => tooManyRequests(EXCEEDED[stop], HOUR_MS / 1000);

/** Throws 503 when the mail database of the caller is too full for new emails, 429 when its workspace has too much in it or in R2. */
export function requireMailSpace(ctx: WorkspaceCtx): void {
  const stop = stopOf(ctx, ctx.workspace);
  if (stop === null) return;
  if (stop === "full") throw unavailable("The mail database of this workspace is full; try again later", RETRY_AFTER);
  throw exceeded(stop);
}

/** Throws 429 when the workspace of the caller has too much content in R2. */
export function requireContentSpace({ workspace: { mailStop } }: WorkspaceCtx): void {
  if (mailStop === "content") throw exceeded(mailStop);
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
