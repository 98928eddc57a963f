import type { MailCtx, MailStatement } from "../../platform/context.ts";
import { type Lease, UNLEASED } from "../../platform/outbox/lease.ts";

/** Time to the next check of a row that waits for its workspace to be resumed, which releases it at once. In milliseconds. */
const STOPPED_CHECK_MS = 24 * 3_600_000;
/** Rows that one statement releases, each of up to 100 emails. */
const ROWS_PER_RELEASE = 50;

const IS_STOPPED = "EXISTS (SELECT 1 FROM shard_workspaces WHERE number = ?4 AND bulk_pause > 0)";

// Where the copy of the pause is not yet written, or was just removed, the row is checked again soon.
const WAIT = `
  UPDATE outbox SET due_at = iif(${IS_STOPPED}, ?3, ?5), stopped = iif(${IS_STOPPED}, ?4, NULL), ${UNLEASED}, outage = NULL,
    claims = max(claims - 1, 0)
   WHERE id IN (SELECT value FROM json_each(?1)) AND token = ?2`;

/** Returns the statement that copies the pause of a workspace to the mail database. */
export function setPauseStatement(ctx: MailCtx, workspace: number, pause: number): MailStatement {
  return ctx.mail
    .prepare("UPDATE shard_workspaces SET bulk_pause = ?2 WHERE number = ?1 AND bulk_pause <> ?2")
    .bind(workspace, pause);
}

/**
 * Returns the statement that releases claimed rows of a stopped workspace until it is resumed: as whole rows, because a row for
 * each email would write every waiting email again. `soon` is their next check while the mail database does not know of the stop.
 */
export function waitStoppedStatement(
  ctx: MailCtx,
  lease: Lease,
  { ids, workspace, soon }: { ids: readonly string[]; workspace: number; soon: number },
): MailStatement {
  const later = ctx.now() + STOPPED_CHECK_MS;
  return ctx.mail.prepare(WAIT).bind(JSON.stringify(ids), lease.token, later, workspace, soon);
}

const RELEASE = `
  UPDATE outbox SET due_at = ?2, stopped = NULL WHERE id IN (
    SELECT id FROM outbox WHERE stopped = ?1 AND token IS NULL LIMIT ?3) RETURNING id`;

/** Makes rows due that waited for their workspace, ROWS_PER_RELEASE at once. Returns true when there may be more. */
export async function releaseStopped(ctx: MailCtx, workspace: number): Promise<boolean> {
  const now = ctx.now();
  const rows = await ctx.mail.listRows<{ id: string }>(RELEASE, workspace, now, ROWS_PER_RELEASE);
  if (rows.length > 0) await ctx.wake(rows.map(({ id }) => ({ dueAt: now, id, kind: "deliver" })));
  return rows.length === ROWS_PER_RELEASE;
}
