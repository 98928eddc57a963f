import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { mailDb } from "../db/client.ts";
import { unprocessable } from "../errors.ts";
import { storeResponse } from "../idempotency/index.ts";
import { parseAddress } from "../lib/addresses.ts";
import { listSuppressions } from "./queries.ts";
import { type SuppressionIn, type SuppressionOut, toSuppression } from "./schema.ts";
import { type SuppressionEntry, suppressStatement } from "./suppress.ts";

/** Tries of read and write when the address's row changes between the two. */
const TRIES = 3;

interface Added {
  /** False when the address was on the list already. */
  isNew: boolean;
  suppression: SuppressionOut;
}

/**
 * Puts an address on the workspace's list. One that is there keeps its reason, unless that was an unsubscribe and
 * the new one binds all mail. Throws 422 for what is no address, LostRace when another call with the same
 * Idempotency-Key was first.
 */
export async function addSuppression(ctx: CallerCtx, { email, reason }: SuppressionIn): Promise<Added> {
  const parsed = parseAddress(email);
  if (!parsed) {
    throw unprocessable([{ loc: ["body", "email"], msg: "Not a valid email address", type: "value_error" }]);
  }
  const entry: SuppressionEntry = { workspace: ctx.workspace.number, email: parsed.key, reason };
  for (let tries = 1; ; tries++) {
    try {
      return await addOnce(ctx, entry);
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || tries === TRIES) throw error;
    }
  }
}

/** The answer tells what is stored, so it is decided first and nothing is written when it would not come true. */
async function addOnce(ctx: CallerCtx, entry: SuppressionEntry): Promise<Added> {
  const [before] = await listSuppressions(ctx, { email: entry.email, page: 0, limit: 1 });
  const isWritten = !before || (before.reason === "unsubscribe" && entry.reason !== "unsubscribe");
  const row = isWritten ? { ...entry, createdAt: ctx.now() } : before;
  const suppression = toSuppression(row);
  await guardedBatch(mailDb(ctx), [
    suppressStatement(ctx, [entry], row.createdAt),
    expectChanges(mailDb(ctx), isWritten ? 1 : 0),
    ...storeResponse(ctx, suppression, before ? 200 : 201),
  ]);
  return { isNew: !before, suppression };
}
