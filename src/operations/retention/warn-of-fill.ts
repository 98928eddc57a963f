import { dailyKey, notifyOwners } from "../../notices/notifications/index.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { MAIN_NUMBER } from "../../platform/jobs/shard-sizes.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { sendSystemEmail } from "../../sending/system-emails/index.ts";

/** Workspaces whose owners are told, and operators who get an email. */
const TOLD_WORKSPACES = 3;
const TOLD_OPERATORS = 20;

const FIND_SIZE = "SELECT size FROM mail_shards WHERE number = ?1";
const FIND_OPERATORS = `SELECT email FROM users WHERE is_platform_admin = 1 AND restricted_at IS NULL LIMIT ${TOLD_OPERATORS}`;
const FIND_LARGEST = `
  SELECT number FROM shard_workspaces WHERE status = 'open' AND stored->>'$.bytes' IS NOT NULL
   ORDER BY stored->>'$.bytes' DESC LIMIT ${TOLD_WORKSPACES}`;

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

/**
 * Tells the owners of the largest workspaces of a mail database, and the operators, once a day (UTC) what to do before it is full, while
 * its size is above SHARD_WARNING_LIMIT (docs/operating/capacity.md).
 */
export async function* warnOfFill(ctx: MailCtx): Steps {
  const { warning, accept } = ctx.settings.shardLimits;
  const size = await ctx.db.findValue<number>(FIND_SIZE, ctx.shard);
  if (size === null || size < warning) return;
  for (const { number } of await ctx.mail.listRows<{ number: number }>(FIND_LARGEST)) {
    await notifyOwners(ctx, number, {
      category: "alerts",
      severity: "warning",
      href: "/settings",
      title: "The database with your mail is nearly full",
      body: `It has ${gigabytes(size)}. From ${gigabytes(accept)} it takes new emails only of workspaces within their equal share of it. Your workspace is one of the largest: keep its emails for fewer days, in the settings of the workspace.`,
      key: dailyKey("database-fill", ctx.now()),
    });
    yield;
  }
  yield* tellOperators(ctx, `Mail database ${ctx.shard}`, size, [
    `From ${gigabytes(accept)} workspaces with more than their equal share of it can send no new emails. The owners of its largest workspaces were told to keep their emails for fewer days.`,
    "Shorten RETENTION_DAYS, or agree on fewer days with these customers. Retention then frees the space by itself.",
  ]);
}

/** Tells the operators once a day (UTC) that the main database takes no imports and templates, while its size is above MAIN_LIMIT. */
export async function* warnOfMainFill(ctx: Ctx): Steps {
  const size = await ctx.db.findValue<number>(FIND_SIZE, MAIN_NUMBER);
  if (size === null || size < ctx.settings.mainLimit) return;
  yield* tellOperators(ctx, "The main database", size, [
    `From ${gigabytes(ctx.settings.mainLimit)} it takes no imports of suppressions and topics, and no templates. D1 databases end at 10 GB.`,
    "Find the workspaces with the most rows by the page Usage of each, and agree with them on fewer (docs/operating/capacity.md).",
  ]);
}

async function* tellOperators(ctx: Ctx, name: string, size: number, parts: string[]): Steps {
  for (const { email } of await ctx.db.listRows<{ email: string }>(FIND_OPERATORS)) {
    const subject = `${name} is nearly full: ${gigabytes(size)}`;
    const mail = { cause: "operator_notice", to: email, isQueued: true, subject, parts } as const;
    await sendSystemEmail(ctx, mail, dailyKey(`database-fill ${name} ${email}`, ctx.now()));
    yield;
  }
}
