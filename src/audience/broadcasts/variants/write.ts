import { type CallerCtx, requireScopes } from "../../../access/caller.ts";
import { conflict } from "../../../lib/errors.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../../platform/db/batch.ts";
import { storeMailResponse } from "../../../platform/idempotency/responses.ts";
import { requireTransition } from "../change.ts";
import { type Broadcast, getBroadcast } from "../queries.ts";

const MAX_ATTEMPTS = 5;

const LABEL_EXISTS = "The broadcast has a variant with this label already; labels differ by more than case";

/** Throws 409 when another variant has the label, in any case. The version of the broadcast guards what was read. */
export function requireNewLabel(variants: readonly { id: string; label: string }[], id: string, label: string): void {
  const fold = (text: string) => text.normalize("NFKC").toLowerCase();
  if (variants.some((variant) => variant.id !== id && fold(variant.label) === fold(label)))
    throw conflict(LABEL_EXISTS);
}

// Writes the version of the broadcast, so that a send and a change of its variants exclude each other.
const LOCK = "UPDATE broadcasts SET version = version + 1, updated_at = ?3 WHERE n = ?1 AND version = ?2";

/**
 * Writes to the variants of a draft or scheduled broadcast, and stores `response`. `decide` returns the statements, the
 * first of which must change one row. A call that meets another change is decided again. Throws 404, 403 without
 * `broadcasts:send` for a scheduled one, 409 in any other status or for a label that the broadcast has already.
 */
export async function writeVariants<Out>(
  ctx: CallerCtx,
  broadcastId: string,
  decide: (broadcast: Broadcast) => Promise<{ statement: MailStatement; response: Out }>,
): Promise<Out> {
  const db = ctx.mail;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const broadcast = await getBroadcast(ctx, broadcastId);
    requireTransition(broadcast, "edit");
    if (broadcast.row.status === "scheduled") requireScopes(ctx.actor, "broadcasts:send");
    const { statement, response } = await decide(broadcast);
    try {
      await guardedBatch(db, [
        db.prepare(LOCK).bind(broadcast.row.n, broadcast.row.version, ctx.now()),
        expectChanges(db, 1),
        statement,
        expectChanges(db, 1),
        ...(await storeMailResponse(ctx, response)),
      ]);
      return response;
    } catch (error) {
      if (isUniqueViolation(error)) throw conflict(LABEL_EXISTS);
      if (!(error instanceof ConcurrencyError)) throw error;
    }
  }
  throw new ConcurrencyError();
}
