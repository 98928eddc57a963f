import { BudgetSpentError } from "../budgets/spent.ts";
import type { Ctx, Database, DatabaseKind, Statement } from "../context.ts";
import { RefusedBatchError } from "./refuse.ts";
import { isOverloaded } from "./repeat-call.ts";

/** Signals that another writer changed the row first, so the batch was rolled back. Read the row again, then retry. */
export class ConcurrencyError extends Error {
  constructor() {
    super("another writer changed the row first; the batch was rolled back");
    this.name = "ConcurrencyError";
  }
}

/**
 * Returns a statement that rolls back its batch unless the statement before it changed exactly `rows` rows. D1 has no
 * interactive transactions, and a compare-and-set that changes no row does not stop its batch.
 */
export function expectChanges<Kind extends DatabaseKind>(db: Database<Kind>, rows: number): Statement<Kind> {
  return db.prepare("SELECT CASE WHEN changes() <> ?1 THEN json('lost race') END").bind(rows);
}

/** Runs a transaction. Throws ConcurrencyError when an `expectChanges` in it failed, and as every batch (`refusalOf`). */
export async function guardedBatch<Kind extends DatabaseKind>(
  db: Database<Kind>,
  statements: readonly Statement<NoInfer<Kind>>[],
): Promise<D1Result[]> {
  try {
    return await db.batch(statements);
  } catch (error) {
    throw String(error).includes("malformed JSON") ? new ConcurrencyError() : error;
  }
}

/** Returns a handler for `catch` that throws the error of `toError` in place of ConcurrencyError, and any other error as it is. */
export function onConcurrency(toError: () => Error | Promise<Error>): (error: unknown) => Promise<never> {
  return async (error) => {
    throw error instanceof ConcurrencyError ? await toError() : error;
  };
}

/** Handles errors in `catch`: another writer has done what the batch was for. Throws any error but ConcurrencyError. */
export function ignoreConcurrency(error: unknown): void {
  if (!(error instanceof ConcurrencyError)) throw error;
}

/** Returns whether a batch of `guardedBatch` wrote nothing. After any other error it may have committed. */
export function isRolledBack(error: unknown): boolean {
  return [ConcurrencyError, RefusedBatchError, BudgetSpentError].some((kind) => error instanceof kind);
}

/** Returns whether a batch failed because a row with the same key exists. */
export const isUniqueViolation = (error: unknown): boolean => String(error).includes("UNIQUE constraint failed");

/** Attempts of a batch when D1 does not report whether it committed. */
const MAX_ATTEMPTS = 3;

/**
 * Runs a batch that is safe to run twice, and retries an ambiguous failure. `isCommitted` decides from the error of a retry whether an
 * earlier attempt committed. By default a unique violation means that, since the batch inserts rows with ids generated before. Throws
 * ConcurrencyError and RefusedBatchError as `guardedBatch` does, and the error of a database that is overloaded: it was asked again
 * already, and more calls would only make others fail. Returns the results of the batch, or null when an earlier attempt had committed.
 */
export async function repeatableBatch<Kind extends DatabaseKind>(
  ctx: Pick<Ctx, "log">,
  db: Database<Kind>,
  statements: readonly Statement<NoInfer<Kind>>[],
  isCommitted: (error: unknown) => boolean | Promise<boolean> = isUniqueViolation,
): Promise<D1Result[] | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await guardedBatch(db, statements);
    } catch (error) {
      if (attempt > 1 && (await isCommitted(error))) return null;
      if (isRolledBack(error) || isOverloaded(error) || attempt === MAX_ATTEMPTS) throw error;
      ctx.log("batch.retried", { error: String(error) });
    }
  }
}
