import type { Ctx } from "../context.ts";

/** Somebody else changed the row first: nothing of the batch was written. Read again and decide anew. */
export class ConcurrencyError extends Error {
  constructor() {
    super("the row was changed by somebody else; nothing was written");
    this.name = "LostRace";
  }
}

/**
 * A statement that rolls its whole batch back unless the statement before it changed exactly `rows` rows.
 * D1 has no interactive transactions, and a compare-and-set that hits nothing does not stop its batch.
 */
export function expectChanges(db: D1Database, rows: number): D1PreparedStatement {
  return db.prepare("SELECT CASE WHEN changes() <> ?1 THEN json('lost race') END").bind(rows);
}

/** Runs a batch as one transaction. Throws LostRace when an `expectChanges` in it failed. */
export async function guardedBatch(db: D1Database, statements: D1PreparedStatement[]): Promise<D1Result[]> {
  try {
    return await db.batch(statements);
  } catch (error) {
    if (String(error).includes("malformed JSON")) throw new ConcurrencyError();
    throw error;
  }
}

/** Whether a batch failed because a row of that key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return String(error).includes("UNIQUE constraint failed");
}

/** Tries of a batch when the database does not say whether it committed. */
const TRIES = 3;

/**
 * Runs a batch that inserts rows whose ids were minted before, so that it may run twice: a doubtful failure is tried
 * again, and meeting its own rows then means that it had committed. Throws LostRace when a guard in it failed.
 */
export async function repeatableBatch(
  ctx: Pick<Ctx, "log">,
  db: D1Database,
  statements: D1PreparedStatement[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await guardedBatch(db, statements);
      return;
    } catch (error) {
      if (tries > 1 && isUniqueViolation(error)) return;
      if (error instanceof ConcurrencyError || tries === TRIES) throw error;
      ctx.log("batch.retried", { error: String(error) });
    }
  }
}
