import type { CallerCtx } from "../../../access/caller.ts";
import { notFound } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../../platform/db/batch.ts";

const DELETE = "DELETE FROM identities WHERE provider = ?1 AND subject = ?2 AND user_id = ?3";

/** Unlinks an account from the caller's user: it signs in no more. Sessions that it started go on. Throws 404. */
export async function unlinkAccount(ctx: CallerCtx, provider: string, subject: string): Promise<void> {
  const { userId } = ctx.actor;
  await guardedBatch(ctx.db, [
    ctx.db.prepare(DELETE).bind(provider, subject, userId),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "account.unlinked", target: userId, detail: { provider } }),
  ]).catch(onConcurrency(() => notFound("Linked account")));
}
