import { conflict } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { onShard } from "../../../platform/jobs/shards.ts";
import { stopScheduled } from "../../../sending/emails/index.ts";
import type { DraftClaim } from "../../mailbox-store/index.ts";

/** After this time an email that claimed a draft and has no row was not accepted, in ms. */
const ACCEPT_MS = 5 * 60_000;

/** Statuses of emails that leave no more: those of a stopped one, and of one that was refused when it was accepted. */
const STOPPED = new Set(["cancelled", "rejected"]);

/**
 * Stops the emails that wait to be sent from drafts, so that what is written in their place is not a second one
 * (docs/contract/inbox.md#drafts-that-are-sent). Throws 409 when one can no longer be stopped.
 */
export async function stopSending(ctx: Ctx, claims: readonly DraftClaim[]): Promise<void> {
  const groups = Map.groupBy(claims, ({ shard, workspace }) => `${shard} ${workspace}`);
  await Promise.all([...groups.values()].map((group) => stopGroup(ctx, group)));
}

async function stopGroup(ctx: Ctx, claims: readonly DraftClaim[]): Promise<void> {
  const [{ shard, workspace } = { shard: 0, workspace: 0 }] = claims;
  const emails = claims.map(({ email }) => email);
  const statuses = await stopScheduled(onShard(ctx, shard), workspace, emails);
  for (const claim of claims) {
    const status = statuses.get(claim.email);
    const isStopped = status === undefined ? !isRecent(ctx, claim) : STOPPED.has(status);
    if (!isStopped) throw beingSent(claim.email);
  }
}

/** Returns whether the email of a claim may still be accepted. */
export const isRecent = (ctx: Ctx, { at }: DraftClaim) => ctx.now() - at <= ACCEPT_MS;

/** Returns the error of a draft that another email sends. */
export const beingSent = (email: string) => conflict(`The draft is being sent by the email ${email}`);
