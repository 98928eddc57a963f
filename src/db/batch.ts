import type { Ctx } from "../context.ts";
import type { Database, DatabaseKind, Statement } from "./database.ts";

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

/** Runs a batch as one transaction. Throws ConcurrencyError when an `expectChanges` in it failed. */
export async function guardedBatch<Kind extends DatabaseKind>(
  db: Database<Kind>,
  statements: readonly Statement<NoInfer<Kind>>[],
): Promise<D1Result[]> {
  try {
    return await db.batch(statements);
  } catch (error) {
    if (String(error).includes("malformed JSON")) throw new ConcurrencyError();
    throw error;
  }
}

/** Returns whether a batch failed because a row with the same key exists. */
export function isUniqueViolation(error: unknown): boolean {
  return String(error).includes("UNIQUE constraint failed");
}

/** Attempts of a batch when D1 does not report whether it committed. */
const MAX_ATTEMPTS = 3;

/**
 * Runs a batch that is safe to run twice, and retries an ambiguous failure. `isCommitted` decides from the error of a
 * retry whether an earlier attempt committed. By default a unique violation means that, since the batch inserts rows with
 * ids generated before. Throws ConcurrencyError when a guard in the batch failed.
 */
export async function repeatableBatch<Kind extends DatabaseKind>(
  ctx: Pick<Ctx, "log">,
  db: Database<Kind>,
  statements: readonly Statement<NoInfer<Kind>>[],
  isCommitted: (error: unknown) => boolean | Promise<boolean> = isUniqueViolation,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await guardedBatch(db, statements);
      return;
    } catch (error) {
      if (attempt > 1 && (await isCommitted(error))) return;
      if (error instanceof ConcurrencyError || attempt === MAX_ATTEMPTS) throw error;
      ctx.log("batch.retried", { error: String(error) });
    }
  }
}
