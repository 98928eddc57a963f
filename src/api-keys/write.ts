import type { CallerCtx } from "../context.ts";
import { guardedBatch, isUniqueViolation, LostRace } from "../db/batch.ts";

/** Tries of the batch when the database does not say whether it committed. */
const TRIES = 3;

/**
 * SQL that holds while the credential ?1 is of use: once its revocation or the end of its membership is committed,
 * no key comes of it any more, however long its call was under way.
 */
export const CALLER_STANDS = `
  EXISTS (SELECT 1 FROM api_keys c JOIN memberships m ON m.workspace = c.workspace AND m.user_id = c.user_id
           WHERE c.id = ?1 AND c.revoked_at IS NULL)`;

/**
 * Runs a batch that begins with the insert of a key whose id was minted before. Safe to run twice: a second time
 * meets its own row, so a doubtful failure is simply tried again, and nobody is left with a key they never saw.
 * Throws LostRace when a guard in it failed; then nothing was written.
 */
export async function writeKey(ctx: CallerCtx, statements: D1PreparedStatement[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await guardedBatch(ctx.db, statements);
      return;
    } catch (error) {
      if (isUniqueViolation(error)) return;
      if (error instanceof LostRace || tries === TRIES) throw error;
      ctx.log("api-key.retried", { error: String(error) });
    }
  }
}
