import type { CallerCtx } from "../../../access/caller.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import { mailDb } from "../../../platform/db/client.ts";
import type { MailStatement } from "../../../platform/db/database.ts";
import type { ListRow } from "../queries.ts";

// Inserts nothing into a list that was deleted since it was read. Metadata is JSON inside JSON, so that its text is kept.
const INSERT = `
  INSERT OR IGNORE INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
  SELECT ?2, ?3, value->>'id', value->>'email', value->>'key', value->>'name', value->>'metadata', ?4
    FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM contact_lists WHERE n = ?3 AND workspace = ?2)`;

const COUNT = "UPDATE contact_lists SET contact_count = contact_count + changes() WHERE n = ?1 AND workspace = ?2";

const FIND_INSERTED = `
  SELECT count(*) AS contacts FROM json_each(?1) j CROSS JOIN contacts c ON c.list = ?2 AND c.id = j.value->>'id'`;

/** Attempts of a batch when D1 does not report whether it committed. */
const MAX_ATTEMPTS = 3;

/**
 * Inserts contacts whose addresses the list does not have, and counts them, in one transaction. `chunks` are JSON arrays of
 * their rows, with the id of each. Returns the number inserted, also when D1 did not report a commit: a repeated attempt
 * counts the ids that exist. Throws 404 when the list was deleted.
 */
export async function insertContacts(ctx: CallerCtx, list: ListRow, chunks: readonly string[]): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await insertOnce(ctx, list, chunks, attempt > 1);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || error instanceof AppError) throw error;
      ctx.log("batch.retried", { error: String(error) });
    }
  }
}

async function insertOnce(
  ctx: CallerCtx,
  list: ListRow,
  chunks: readonly string[],
  isRepeated: boolean,
): Promise<number> {
  const db = mailDb(ctx);
  const { number } = ctx.workspace;
  const statements: MailStatement[] = chunks.flatMap((chunk) => [
    db.prepare(INSERT).bind(chunk, number, list.n, ctx.now()),
    db.prepare(COUNT).bind(list.n, number),
  ]);
  const found = isRepeated ? chunks.map((chunk) => db.prepare(FIND_INSERTED).bind(chunk, list.n)) : [];
  const results = await db.batch<{ contacts: number }>([...statements, ...found]);
  if (results[1]?.meta.changes === 0) throw notFound("Contact list");
  if (isRepeated) return sum(results.slice(statements.length).map(({ results }) => results[0]?.contacts ?? 0));
  return sum(results.filter((_, index) => index % 2 === 0).map(({ meta }) => meta.changes));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
