import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { mailOrm } from "../../platform/db/client.ts";
import { emails } from "../../platform/db/schema/mail/index.ts";
import type { Status } from "./rules.ts";
import { newestEmails } from "./status-conditions.ts";
import { readEvents } from "./timeline/index.ts";

/** Keys of an event's metadata that say why, the most telling first. */
const REASONS = ["response", "diagnostic", "reason"];

/** Returns the latest reason that the events of an email give, of one recipient when `recipient` is given. Pure. */
export function lastReason(
  events: readonly { metadata?: Record<string, unknown> | null }[],
  recipient?: string,
): string | null {
  const about = recipient === undefined ? events : events.filter(({ metadata }) => metadata?.recipient === recipient);
  const last = about.findLast(({ metadata }) => REASONS.some((key) => metadata?.[key] != null));
  const key = REASONS.find((name) => last?.metadata?.[name] != null);
  return key === undefined ? null : String(last?.metadata?.[key]);
}

/** Returns why emails failed, by id. Emails without a reason are missing. At most 100 ids, in one D1 call. */
export async function findFailureReasons(ctx: CallerCtx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  return findReasons(ctx, sql`SELECT value FROM json_each(${JSON.stringify(ids)})`);
}

/** Returns the same of the newest emails with each of these statuses, `max` of each. */
export function findNewestFailureReasons(
  ctx: CallerCtx,
  statuses: readonly Status[],
  max: number,
): Promise<Map<string, string>> {
  const newest = statuses.map((status) => sql`SELECT id FROM (${newestEmails(ctx, status, { max })})`);
  return findReasons(ctx, sql.join(newest, sql` UNION ALL `));
}

async function findReasons(ctx: CallerCtx, ids: SQL): Promise<Map<string, string>> {
  const rows = await mailOrm(ctx)
    .select({ id: emails.id, createdAt: emails.createdAt, events: emails.events, recipients: emails.recipients })
    .from(emails)
    .where(sql`${eq(emails.workspace, ctx.workspace.number)} AND ${inArray(emails.id, sql`(${ids})`)}`);
  return new Map(
    rows.flatMap((row) => {
      const events = readEvents(row.events, row);
      // The reply to a delivered recipient does not say why another one failed.
      const reason = lastReason(events.filter(({ type }) => type !== "delivered")) ?? lastReason(events);
      return reason === null ? [] : [[row.id, reason] as const];
    }),
  );
}
