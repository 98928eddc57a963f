import { HOUR_MS } from "../../lib/time.ts";
import { dailyKey, type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { isTooHigh, LEAST_MAILS, MAX_BOUNCE_RATE, MAX_COMPLAINT_RATE } from "./rules.ts";

const FIND_TODAY = `
  SELECT t.workspace, sum(t.sent + t.refused) AS mails, sum(t.bounced) AS bounced, sum(t.complained) AS complained
    FROM shard_workspaces w CROSS JOIN rollups_totals t ON t.workspace = w.number AND t.hour BETWEEN ?1 AND ?2
   WHERE w.number BETWEEN ?3 AND ?4 GROUP BY t.workspace
  HAVING mails >= ?5 AND (sum(t.bounced) > mails * ?6 OR sum(t.complained) > mails * ?7)`;

interface Day {
  workspace: number;
  mails: number;
  bounced: number;
  complained: number;
}

/**
 * Notifies the owners of workspaces whose bounce or complaint rate of this UTC day is too high, once a day for each rate. The
 * hours that have ended count; after midnight those of the day before do.
 */
export async function alertRates(ctx: MailCtx, { first, last }: { first: number; last: number }): Promise<void> {
  const ended = Math.floor(ctx.now() / HOUR_MS) - 1;
  const day = Math.floor(ended / 24);
  const { results } = await mailDb(ctx)
    .prepare(FIND_TODAY)
    .bind(day * 24, ended, first, last, LEAST_MAILS, MAX_BOUNCE_RATE, MAX_COMPLAINT_RATE)
    .all<Day>();
  const statements = results.flatMap((found) =>
    toNotices(found, day * 24 * HOUR_MS).flatMap((notice) => notifyOwnersStatements(ctx, found.workspace, notice)),
  );
  if (statements.length > 0) await ctx.db.batch(statements);
}

function toNotices({ mails, bounced, complained }: Day, at: number): Notice[] {
  const percent = (count: number, digits: number) => `${((100 * count) / mails).toFixed(digits)} %`;
  const notices: Notice[] = [];
  if (isTooHigh(bounced, mails, MAX_BOUNCE_RATE))
    notices.push({
      ...{ category: "alerts", severity: "warning", href: "/analytics", key: dailyKey("bounce-rate", at) },
      title: `${percent(bounced, 1)} of today's emails have bounced`,
      body: `${bounced} of ${mails} emails have bounced since midnight UTC. Above ${100 * MAX_BOUNCE_RATE} %, mailbox providers begin to refuse mail. Remove addresses that do not exist, and mail only people who asked for it.`,
    });
  if (isTooHigh(complained, mails, MAX_COMPLAINT_RATE))
    notices.push({
      ...{ category: "alerts", severity: "error", href: "/analytics", key: dailyKey("complaint-rate", at) },
      title: `${percent(complained, 2)} of today's emails were marked as spam`,
      body: `Recipients of ${complained} of ${mails} emails have complained since midnight UTC. Above ${100 * MAX_COMPLAINT_RATE} %, mailbox providers begin to file mail as spam. Mail only people who asked for it, and make it easy to unsubscribe.`,
    });
  return notices;
}
