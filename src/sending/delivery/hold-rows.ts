import { isPausedSource } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type Lease, releaseStatement } from "../../platform/outbox/lease.ts";
import { syncDueAtStatement } from "../emails/index.ts";
import { holdStoppedStatements } from "../rates/index.ts";
import type { Claim, ClaimedMail } from "./claim.ts";
import { PAUSE_CHECK_MS } from "./rules.ts";

/**
 * Releases claimed rows whose emails all wait: of broadcasts that are paused, whose workspace is, or of a workspace that has stopped
 * itself. As whole rows, because a row for each email would write every waiting email again. Returns the claim without them.
 */
export async function holdRows(ctx: MailCtx, lease: Lease, claim: Claim): Promise<Claim> {
  const now = ctx.now();
  const dueAtOf = new Map<string, number>();
  const stopped = new Map<string, number>();
  for (const [id, mails] of Map.groupBy(claim.mails, ({ outboxId }) => outboxId)) {
    const [first] = mails;
    if (!first || first.broadcast?.isCancelled) continue;
    const dueAt = first.kind === "bulk" ? bulkDueAt(first, now) : null;
    if (dueAt !== null) dueAtOf.set(id, dueAt);
    else if (first.kind !== "bulk" && mails.every(isStopped)) stopped.set(id, first.state.workspace);
  }
  if (dueAtOf.size + stopped.size === 0) return claim;
  for (const [dueAt, rows] of Map.groupBy(dueAtOf, ([, at]) => at)) {
    const ids = rows.map(([id]) => id);
    await ctx.mail.batch([releaseStatement(ctx, lease, ids, dueAt), syncDueAtStatement(ctx, dueAt)]);
  }
  for (const [workspace, rows] of Map.groupBy(stopped, ([, number]) => number)) {
    const ids = rows.map(([id]) => id);
    await ctx.mail.batch(holdStoppedStatements(ctx, lease, { ids, workspace, soon: now + PAUSE_CHECK_MS }));
  }
  const isHeld = (id: string) => dueAtOf.has(id) || stopped.has(id);
  return {
    ...claim,
    rows: claim.rows.filter(({ id }) => !isHeld(id)),
    mails: claim.mails.filter(({ outboxId }) => !isHeld(outboxId)),
  };
}

/** Returns when the row of a broadcast is due again; null when its emails may leave. Runs skip the rows of paused ones. */
function bulkDueAt(mail: ClaimedMail, now: number): number | null {
  const { broadcast, sender } = mail;
  if ((sender.paused && !sender.restricted) || isStopped(mail)) return now + PAUSE_CHECK_MS;
  return broadcast?.isPaused ? now : null;
}

const isStopped = ({ sender, source }: ClaimedMail) => !sender.restricted && isPausedSource(sender.bulkPause, source);
