import { type AppError, tooManyRequests } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/time.ts";
import { firstIdAt } from "../audit/rules.ts";
import type { CallerWorkspace, MailCtx, MailStatement } from "../context.ts";
import { RefusedBatchError, refuse } from "../db/batch.ts";
import { formatPolicy } from "./rules.ts";

const REASON = "daily limit";
/** The same, when the count of the day was rolled back with it. */
const UNCOUNTED = "daily limit without a count";

/** Emails whose id is this much older than they are count, such as those of automations that ran late at midnight. */
const LATE_MS = 600_000;

// By index, and once a day: a workspace that had no limit was not counted until now. The service's own emails do not count.
const ACCEPTED = `
  (SELECT count(*) FROM emails INDEXED BY emails_by_id WHERE workspace = shard_workspaces.number AND id >= ?3
      AND created_at >= ?2 * ${DAY_MS} AND source <> 'system')`;

/** The emails of the day with those of the batch, which have been inserted. */
const TOTAL = `iif(day = ?2, day_emails + ?4, max(?4, ${ACCEPTED}))`;

// The row exists: the batch of an accept has requireOpenStatement. One more row is written, so only with a limit. CAST: a bound number
// is written as 3.0.
const COUNT = `
  UPDATE shard_workspaces SET day = ?2,
    day_emails = CASE WHEN ${TOTAL} <= ?5 THEN ${TOTAL} WHEN day = ?2 THEN ${refuse(REASON, "day_emails")}
      ELSE ${refuse(UNCOUNTED, `CAST(${TOTAL} - ?4 AS INTEGER)`)} END WHERE number = ?1`;

// Never below what was counted: a confirmation of a contact list counts, and is an email of the service.
const BEGIN = `
  UPDATE shard_workspaces SET day = ?2, day_emails = max(iif(day = ?2, day_emails, 0), ${ACCEPTED})
   WHERE number IN (SELECT value FROM json_each(?1))`;

/** A workspace whose emails are counted. */
type Limited = Pick<CallerWorkspace, "number" | "dailyLimit">;

/** Returns the emails that a workspace may have accepted in a day, its own limit or that of the deployment. Null: no limit. */
export function dailyLimitOf({ settings }: Pick<MailCtx, "settings">, { dailyLimit }: Limited): number | null {
  return (dailyLimit ?? settings.dailyEmailLimit) || null;
}

/** Emails that a workspace may have accepted in a day when one of them is from a test domain. */
const SANDBOX_EMAILS = 50;

/** Returns a workspace with the limit for emails of its test domain, or its own if that is lower. */
export function withSandboxLimit<Workspace extends Limited>(ctx: Pick<MailCtx, "settings">, workspace: Workspace) {
  return { ...workspace, dailyLimit: Math.min(dailyLimitOf(ctx, workspace) ?? SANDBOX_EMAILS, SANDBOX_EMAILS) };
}

/**
 * Returns the statement that counts accepted emails of a workspace, for the end of the batch that inserts them: a repeated
 * request then fails by its Idempotency-Key first. It rolls back the batch with RefusedBatchError when they exceed the limit
 * of the day. Returns none for a workspace without a limit.
 */
export function countEmailsStatements(ctx: MailCtx, workspace: Limited, emails: number): MailStatement[] {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null) return [];
  return [ctx.mail.prepare(COUNT).bind(workspace.number, ...dayOf(ctx.now()), emails, limit)];
}

/** Counts the emails of today that a workspace without a limit had accepted. The caller has set a limit. */
export async function beginDailyCount(ctx: MailCtx, workspace: number): Promise<void> {
  await ctx.mail
    .prepare(BEGIN)
    .bind(JSON.stringify([workspace]), ...dayOf(ctx.now()))
    .run();
}

/** Returns when the count of today ends, in milliseconds since 1970. */
export const resetAt = (now: number): number => (dayOf(now)[0] + 1) * DAY_MS;

/**
 * Returns the 429 of a batch that `countEmailsStatements` rolled back, and how many emails are left today; null for any other
 * error. Stores the count of the day when that was rolled back, so that it is counted once.
 */
export async function toDailyLimitError(
  ctx: MailCtx,
  workspace: Limited,
  error: unknown,
): Promise<{ error: AppError; left: number } | null> {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null || !(error instanceof RefusedBatchError)) return null;
  if (error.reason !== REASON && error.reason !== UNCOUNTED) return null;
  if (error.reason === UNCOUNTED) await beginDailyCount(ctx, workspace.number);
  const counted = error.value;
  const reset = resetAt(ctx.now());
  const detail = `The limit of this workspace is ${limit} emails a day, of which ${counted} were accepted today; it resets at ${new Date(reset).toISOString()}`;
  const policy = formatPolicy({ name: "daily-emails", limit, windowSeconds: DAY_MS / 1000 });
  return { error: tooManyRequests(detail, Math.ceil((reset - ctx.now()) / 1000), policy), left: limit - counted };
}

const FIND_COUNTED = `
  SELECT number, day_emails AS counted FROM shard_workspaces WHERE number IN (SELECT value FROM json_each(?1))`;

/** Returns how many emails workspaces with a limit may have accepted today still, by number. One D1 call. */
export async function findEmailsLeft(ctx: MailCtx, workspaces: readonly Limited[]): Promise<Map<number, number>> {
  const numbers = JSON.stringify(workspaces.map(({ number }) => number));
  const db = ctx.mail;
  const [, found] = await db.batch<{ number: number; counted: number }>([
    db.prepare(`${BEGIN} AND day IS NOT ?2`).bind(numbers, ...dayOf(ctx.now())),
    db.prepare(FIND_COUNTED).bind(numbers),
  ]);
  const counts = new Map(found?.results.map(({ number, counted }) => [number, counted]));
  return new Map(
    workspaces.map((one) => {
      const limit = dailyLimitOf(ctx, one) ?? Number.POSITIVE_INFINITY;
      return [one.number, limit - (counts.get(one.number) ?? 0)];
    }),
  );
}

/** Returns the day of a time, in days since 1970 (UTC), and the first id that an email of it may have. */
function dayOf(at: number): [day: number, firstId: string] {
  const day = Math.floor(at / DAY_MS);
  return [day, firstIdAt(day * DAY_MS - LATE_MS)];
}
