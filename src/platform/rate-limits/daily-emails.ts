import { type AppError, tooManyRequests } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { CallerWorkspace, MailCtx } from "../context.ts";
import { RefusedBatchError, refuse } from "../db/batch.ts";
import { mailDb } from "../db/client.ts";
import type { MailStatement } from "../db/database.ts";
import { formatPolicy } from "./index.ts";

const REASON = "daily limit";

const COUNTED = "iif(day = ?2, day_emails, 0)";

// The row exists: the batch of an accept has requireOpenStatement. One more row is written, so only with a limit.
const COUNT = `
  UPDATE shard_workspaces SET day = ?2,
    day_emails = iif(${COUNTED} + ?3 <= ?4, ${COUNTED} + ?3, ${refuse(REASON, COUNTED)}) WHERE number = ?1`;

/** A workspace whose emails are counted. */
type Limited = Pick<CallerWorkspace, "number" | "dailyLimit">;

/** Returns the emails that a workspace may have accepted in a day, its own limit or that of the deployment. Null: no limit. */
export function dailyLimitOf({ settings }: Pick<MailCtx, "settings">, { dailyLimit }: Limited): number | null {
  return (dailyLimit ?? settings.dailyEmailLimit) || null;
}

/**
 * Returns the statement that counts accepted emails of a workspace, for the end of the batch that inserts them: a repeated
 * request then fails by its Idempotency-Key first. It rolls back the batch with RefusedBatchError when they exceed the limit
 * of the day. Returns none for a workspace without a limit.
 */
export function countEmailsStatements(ctx: MailCtx, workspace: Limited, emails: number): MailStatement[] {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null) return [];
  return [mailDb(ctx).prepare(COUNT).bind(workspace.number, dayOf(ctx.now()), emails, limit)];
}

/** Returns when the count of today ends, in milliseconds since 1970. */
export const resetAt = (now: number): number => (dayOf(now) + 1) * DAY_MS;

/**
 * Returns the 429 of a batch that `countEmailsStatements` rolled back, and how many emails are left today; null for any other
 * error.
 */
export function toDailyLimitError(
  ctx: MailCtx,
  workspace: Limited,
  error: unknown,
): { error: AppError; left: number } | null {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null || !(error instanceof RefusedBatchError) || error.reason !== REASON) return null;
  const counted = error.value;
  const reset = resetAt(ctx.now());
  const detail = `The limit of this workspace is ${limit} emails a day, of which ${counted} were accepted today; it resets at ${new Date(reset).toISOString()}`;
  const policy = formatPolicy({ name: "daily-emails", limit, windowSeconds: DAY_MS / 1000 });
  return { error: tooManyRequests(detail, Math.ceil((reset - ctx.now()) / 1000), policy), left: limit - counted };
}

const FIND_COUNTED = `
  SELECT number, iif(day = ?2, day_emails, 0) AS counted FROM shard_workspaces WHERE number IN (SELECT value FROM json_each(?1))`;

/** Returns how many emails workspaces with a limit may have accepted today still, by number. One D1 call. */
export async function findEmailsLeft(ctx: MailCtx, workspaces: readonly Limited[]): Promise<Map<number, number>> {
  const numbers = JSON.stringify(workspaces.map(({ number }) => number));
  const { results } = await mailDb(ctx)
    .prepare(FIND_COUNTED)
    .bind(numbers, dayOf(ctx.now()))
    .all<{ number: number; counted: number }>();
  const counts = new Map(results.map(({ number, counted }) => [number, counted]));
  return new Map(
    workspaces.map((one) => {
      const limit = dailyLimitOf(ctx, one) ?? Number.POSITIVE_INFINITY;
      return [one.number, limit - (counts.get(one.number) ?? 0)];
    }),
  );
}

const dayOf = (at: number) => Math.floor(at / DAY_MS);
