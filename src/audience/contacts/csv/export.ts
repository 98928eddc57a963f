import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, notFound } from "../../../lib/errors.ts";
import { nextTurn } from "../../../lib/yielding-steps.ts";
import { bytesSql, withinBytes } from "../../../platform/db/byte-pages.ts";
import { getList, type ListRow } from "../queries.ts";
import { exportLimits } from "../rules.ts";
import { type ExportRow, parseMetadata, writeHeader, writeRow } from "./write-row.ts";

/**
 * Returns a list as CSV: `email`, `name`, and a column for each metadata key of its contacts, in the order of the keys.
 * Rows are read in pages while the stream is consumed, in the order of insertion. The columns are fixed at the start; a
 * contact that changes meanwhile is written as it is when its page is read. Throws 404 for the list, 409 for more than
 * 2,000 metadata keys. The stream fails when the list is deleted meanwhile.
 */
export async function exportContacts(ctx: CallerCtx, listId: string): Promise<ReadableStream<Uint8Array>> {
  const list = await getList(ctx, listId);
  const keys = await findKeys(ctx, list);
  const encoder = new TextEncoder();
  let after = "";
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(writeHeader(keys)));
    },
    async pull(controller) {
      await nextTurn();
      const rows = await readPage(ctx, list, after);
      const last = rows.at(-1);
      if (last === undefined) return controller.close();
      after = last.id;
      controller.enqueue(encoder.encode(rows.map((row) => writeRow(row, keys)).join("")));
    },
  });
}

/** Returns every metadata key of the contacts of a list, sorted. */
async function findKeys(ctx: CallerCtx, list: ListRow): Promise<string[]> {
  const keys = new Set<string>();
  let rows = await readPage(ctx, list, "");
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    for (const row of rows) for (const key of Object.keys(parseMetadata(row))) keys.add(key);
    if (keys.size > exportLimits.keys)
      throw conflict(`The contacts have more than ${exportLimits.keys} different metadata keys, too many columns`);
    await nextTurn();
    rows = await readPage(ctx, list, last.id);
  }
  return [...keys].sort();
}

const PAGE = `
  SELECT c.id, c.email, c.name, c.metadata FROM (${withinBytes(
    `SELECT n, ${bytesSql("metadata")} AS bytes FROM contacts WHERE list = ?1 AND id > ?2 ORDER BY id LIMIT ?3`,
    exportLimits.metadataPerPage,
  )}) p CROSS JOIN contacts c ON c.n = p.n ORDER BY c.id`;

/** Returns the contacts after an id. Throws 404 when there is none because the list was deleted. */
async function readPage(ctx: CallerCtx, list: ListRow, after: string) {
  const db = ctx.mail;
  const [page, lists] = await db.listEach<[ExportRow & { id: string }, unknown]>([
    db.prepare(PAGE).bind(list.n, after, exportLimits.rowsPerPage),
    db.prepare("SELECT 1 FROM contact_lists WHERE n = ?1").bind(list.n),
  ]);
  if (lists.length === 0) throw notFound("Contact list");
  return page;
}
