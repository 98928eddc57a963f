import { type AppError, tooManyRequests } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/time.ts";
import { firstIdAt } from "../audit/rules.ts";
import type { CallerWorkspace, MailCtx, MailStatement } from "../context.ts";
import { RefusedBatchError, refuse } from "../db/refuse.ts";
import { formatPolicy } from "./rules.ts";

const REASON = "daily limit";

/** Emails whose id is this much older than they are count, such as those of automations that ran late at midnight. */
const LATE_MS = 600_000;

// By index, and once a day: a workspace that had no limit was not counted until now. The service's own emails do not count.
const ACCEPTED = `
  (SELECT count(*) FROM emails INDEXED BY emails_by_id WHERE workspace = shard_workspaces.number AND id >= ?3
      AND created_at >= ?2 * ${DAY_MS} AND source <> 'system')`;

// One more row is written, so only with a limit.
const COUNT = `
  UPDATE shard_workspaces SET day_emails = CASE WHEN day_emails + ?2 <= ?3 THEN day_emails + ?2 ELSE ${refuse(REASON, "day_emails")} END
   WHERE number = ?1`;

// Never below what was counted: a confirmation of a contact list counts, and is an email of the service.
const BEGIN = `
  UPDATE shard_workspaces SET day = ?2, day_emails = max(iif(day = ?2, day_emails, 0), ${ACCEPTED})
   WHERE number IN (SELECT value FROM json_each(?1))`;

const BEGIN_DAY = `${BEGIN} AND day IS NOT ?2`;

// Only the commits that were written: the first of their emails is there.
const COUNT_COMMITS = `
  UPDATE shard_workspaces SET day_emails = day_emails + n FROM (
    SELECT e.workspace, sum(c.value->>'emails') AS n FROM json_each(?1) c
      CROSS JOIN emails e ON e.workspace = c.value->>'workspace' AND e.id = c.value->>'email' GROUP BY e.workspace)
   WHERE number = workspace`;

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
 * of the day, which `beginDayStatement` has begun. Returns none for a workspace without a limit.
 */
export function countEmailsStatements(ctx: MailCtx, workspace: Limited, emails: number): MailStatement[] {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null) return [];
  return [ctx.mail.prepare(COUNT).bind(workspace.number, emails, limit)];
}

/** Returns the statement that begins the count of the day of some workspaces, with the emails that they had accepted today. */
export function beginDayStatement(ctx: MailCtx, workspaces: readonly number[]): MailStatement {
  return ctx.mail.prepare(BEGIN_DAY).bind(JSON.stringify(workspaces), ...dayOf(ctx.now()));
}

/** Returns the statement that counts `emails` for each of these that the transaction has written. `email`: the id of one of them. */
export function countCommitsStatement(
  ctx: MailCtx,
  commits: readonly { workspace: number; email: string | undefined; emails: number }[],
): MailStatement {
  return ctx.mail.prepare(COUNT_COMMITS).bind(JSON.stringify(commits));
}

/** Counts the emails of today that a workspace without a limit had accepted. The caller has set a limit. */
export async function beginDailyCount(ctx: MailCtx, workspace: number): Promise<void> {
  await ctx.mail.execute(BEGIN, JSON.stringify([workspace]), ...dayOf(ctx.now()));
}

/** Returns when the count of today ends, in milliseconds since 1970. */
export const resetAt = (now: number): number => (dayOf(now)[0] + 1) * DAY_MS;

/**
 * Returns the 429 of a batch that `countEmailsStatements` rolled back, and how many emails are left today; null for any other
 * error. Begins the count of the day again when that was rolled back, so that it is counted once.
 */
export async function toDailyLimitError(
  ctx: MailCtx,
  workspace: Limited,
  error: unknown,
): Promise<{ error: AppError; left: number } | null> {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null || !(error instanceof RefusedBatchError) || error.reason !== REASON) return null;
  const left = (await findEmailsLeft(ctx, [workspace])).get(workspace.number) ?? 0;
  return { error: limitError(ctx, limit, limit - left), left };
}

/** Returns the 429 of this number of emails that exceed what is left of the day, or null. One D1 call; none without a limit. */
export async function findDailyLimitError(ctx: MailCtx, workspace: Limited, emails: number): Promise<AppError | null> {
  const limit = dailyLimitOf(ctx, workspace);
  if (limit === null) return null;
  const left = (await findEmailsLeft(ctx, [workspace])).get(workspace.number) ?? limit;
  return emails > left ? limitError(ctx, limit, limit - left) : null;
}

function limitError(ctx: MailCtx, limit: number, counted: number): AppError {
  const reset = resetAt(ctx.now());
  const detail = `The limit of this workspace is ${limit} emails a day, of which ${counted} were accepted today; it resets at ${new Date(reset).toISOString()}`;
  const policy = formatPolicy({ name: "daily-emails", limit, windowSeconds: DAY_MS / 1000 });
  return tooManyRequests(detail, Math.ceil((reset - ctx.now()) / 1000), policy);
}

const FIND_COUNTED = `
  SELECT number, day_emails AS counted FROM shard_workspaces WHERE number IN (SELECT value FROM json_each(?1))`;

/** Returns how many emails workspaces with a limit may have accepted today still, by number. One D1 call. */
export async function findEmailsLeft(ctx: MailCtx, workspaces: readonly Limited[]): Promise<Map<number, number>> {
  const numbers = workspaces.map(({ number }) => number);
  const db = ctx.mail;
  const [, found] = await db.batch<{ number: number; counted: number }>([
    beginDayStatement(ctx, numbers),
    db.prepare(FIND_COUNTED).bind(JSON.stringify(numbers)),
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
