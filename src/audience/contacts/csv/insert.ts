import type { CallerCtx } from "../../../access/caller.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { hasRoom } from "../../../platform/db/has-room.ts";
import { requireMailSpace } from "../../../platform/jobs/shard-sizes.ts";
import { contactEventsStatements } from "../../../platform/person-events/contact-events.ts";
import { wakeForEvents } from "../../../platform/person-events/wake.ts";
import { requestStatements, statedByImportStatement } from "../../consent/index.ts";
import type { ListRow } from "../queries.ts";

// The sweep finds the outbox rows of confirmation mails. Inserts nothing into a list that was deleted since it was read. Metadata is JSON inside JSON, so that its text is kept.
const INSERT = `
  INSERT OR IGNORE INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at, pending_since)
  SELECT ?2, ?3, value->>'id', value->>'email', value->>'key', value->>'name', value->>'metadata', ?4,
    (SELECT iif(confirm AND NOT ?5, ?4, NULL) FROM contact_lists WHERE n = ?3)
    FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM contact_lists WHERE n = ?3 AND workspace = ?2) AND ${hasRoom("contacts", "?2")}`;

const COUNT = "UPDATE contact_lists SET contact_count = contact_count + changes() WHERE n = ?1 AND workspace = ?2";

const FIND_INSERTED = `
  SELECT count(*) AS contacts FROM json_each(?1) j CROSS JOIN contacts c ON c.list = ?2 AND c.id = j.value->>'id'`;

/** Attempts of a batch when D1 does not report whether it committed. */
const MAX_ATTEMPTS = 3;

/**
 * Inserts contacts whose addresses the list does not have, and counts them, in one transaction. `chunks` are JSON arrays of
 * their rows, with the id of each. Returns the number inserted, also when D1 did not report a commit: a repeated attempt
 * counts the ids that exist. `source`: where their people agreed, when the caller states that; without it they are pending in a list
 * that asks for confirmation. Throws 404 when the list was deleted.
 */
export async function insertContacts(
  ctx: CallerCtx,
  list: ListRow,
  chunks: readonly string[],
  source: string | null,
): Promise<number> {
  requireMailSpace(ctx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await insertOnce(ctx, list, chunks, source, attempt > 1);
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
  source: string | null,
  isRepeated: boolean,
): Promise<number> {
  const db = ctx.mail;
  const { number } = ctx.workspace;
  const statements: MailStatement[] = chunks.flatMap((chunk) => [
    db.prepare(INSERT).bind(chunk, number, list.n, ctx.now(), source === null ? 0 : 1),
    db.prepare(COUNT).bind(list.n, number),
  ]);
  const found = isRepeated ? chunks.map((chunk) => db.prepare(FIND_INSERTED).bind(chunk, list.n)) : [];
  const { clientIp: ip, actor } = ctx;
  const consent =
    source === null
      ? requestStatements(ctx, list, chunks).statements
      : chunks.map((chunk) => statedByImportStatement(ctx, { chunk, list: list.n, ip, source, userId: actor.userId }));
  // A list that asks for no confirmation, and an import without a statement, add nothing.
  const extra = list.confirm === 1 || source !== null ? consent : [];
  const events = contactEventsStatements(ctx, "contact.added", { workspace: number, list: list.n, chunks }, "imported");
  const results = await db.batch<{ contacts: number }>([...statements, ...found, ...extra, ...events]);
  if (results[1]?.meta.changes === 0) throw notFound("Contact list");
  await wakeForEvents(ctx, results.slice(-events.length));
  const counted = isRepeated
    ? results.slice(statements.length, statements.length + found.length).map((one) => one.results[0]?.contacts ?? 0)
    : results.slice(0, statements.length).map(({ meta }, index) => (index % 2 === 0 ? meta.changes : 0));
  return counted.reduce((total, count) => total + count, 0);
}
