import { HOUR_MS } from "../../lib/time.ts";
import { dailyKey, notifyOwners } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import { sendSystemEmail } from "../../sending/system-emails/index.ts";
import { boundsOf, findOwnDays } from "./own-days.ts";

/** Workspaces whose owners are told, and operators who get an email. */
const TOLD_WORKSPACES = 3;
const TOLD_OPERATORS = 20;
/** Hours whose mail tells which workspaces are large. */
const HOURS = 7 * 24;

const FIND_SIZE = "SELECT size FROM mail_shards WHERE number = ?1";
const FIND_OPERATORS = `SELECT email FROM users WHERE is_platform_admin = 1 AND restricted_at IS NULL LIMIT ${TOLD_OPERATORS}`;

// The recipients of a week, times the days for which their emails are kept.
const FIND_LARGEST = `
  SELECT w.number, sum(t.sent + t.refused) * coalesce(?4->>('$."' || w.number || '"'), ?5) AS kept
    FROM shard_workspaces w CROSS JOIN rollups_totals t ON t.workspace = w.number AND t.hour >= ?1
   WHERE w.number BETWEEN ?2 AND ?3 AND w.status = 'open' GROUP BY w.number ORDER BY kept DESC LIMIT ${TOLD_WORKSPACES}`;

/**
 * Tells the owners of the largest workspaces of a mail database, and the operators, once a day (UTC) what to do before it is full, while
 * its size is above SHARD_WARNING_LIMIT (docs/operating/capacity.md).
 */
export async function* warnOfFill(ctx: MailCtx): Steps {
  const { warning, accept } = ctx.settings.shardLimits;
  const size = await ctx.db.findValue<number>(FIND_SIZE, ctx.shard);
  if (size === null || size < warning) return;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  for (const number of yield* findLargest(ctx)) {
    await notifyOwners(ctx, number, {
      category: "alerts",
      severity: "warning",
      href: "/settings",
      title: "The database with your mail is nearly full",
      body: `It has ${gigabytes(size)}. At ${gigabytes(accept)} it takes no new emails. Your workspace is one of the largest in it: keep its emails for fewer days, in the settings of the workspace.`,
      key: dailyKey("database-fill", ctx.now()),
    });
    yield;
  }
  const results = await ctx.db.listRows<{ email: string }>(FIND_OPERATORS);
  for (const { email } of results) {
    await sendSystemEmail(
      ctx,
      {
        cause: "operator_notice",
        to: email,
        isQueued: true,
        subject: `Mail database ${ctx.shard} is nearly full: ${gigabytes(size)}`,
        parts: [
          `At ${gigabytes(accept)} its workspaces can send no new emails. The owners of its largest workspaces were told to keep their emails for fewer days.`,
          "Shorten RETENTION_DAYS, or agree on fewer days with these customers. Retention then frees the space by itself.",
        ],
      },
      dailyKey(`database-fill ${ctx.shard} ${email}`, ctx.now()),
    );
    yield;
  }
}

/** Returns the numbers of the workspaces that will have the most recipients of emails, in one statement for each 500 workspaces. */
async function* findLargest(ctx: MailCtx): AsyncGenerator<void, number[]> {
  const since = Math.floor(ctx.now() / HOUR_MS) - HOURS;
  const days = boundsOf(await findOwnDays(ctx), (own) => own);
  const found: { number: number; kept: number }[] = [];
  for (const { first, last } of await workspaceSteps(ctx)) {
    const values = [since, first, last, days, ctx.settings.retentionDays];
    const results = await ctx.mail.listRows<{ number: number; kept: number }>(FIND_LARGEST, ...values);
    found.push(...results);
    yield;
  }
  return found
    .toSorted((a, b) => b.kept - a.kept)
    .slice(0, TOLD_WORKSPACES)
    .map(({ number }) => number);
}
