import type { Ctx, DatabaseKind, MainStatement, OutboxCtx, Statement } from "../context.ts";
import { r2Keys } from "../db/r2-keys.ts";

/** Data to delete in the background, in steps (src/operations/purges/run.ts). */
export type Purge =
  /** Every R2 object whose key starts with this prefix, or with one of these. */
  | { objects: string | string[] }
  /** These R2 objects. */
  | { keys: string[] }
  /** The contacts of a deleted list (contact_lists.n), in the mail database of the outbox row. */
  | { contactList: number }
  /** The choices about a deleted topic (topics.n), in the main database. */
  | { topic: number }
  /** The rows and contents about a person, by the id of the erasure. */
  | { erasure: string; of: number }
  /** The data of a deleted workspace, then its row. */
  | { workspace: number; id: string };

/** Delay from the deletion of a record to its purge: requests that were running at the deletion have ended by then. */
const DELAY_MS = 120_000;

/**
 * Returns a statement that adds purges to the outbox of the context, for the batch that deletes the record. `id` of an outbox row: a
 * UUID, preferably that of the deleted record. Safe to run twice. It adds none while the query `unless` finds a row with ?3 = `value`.
 */
export function purgeStatement<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  purges: readonly { id: string; purge: Purge }[],
  unless?: { finds: string; value: number },
): Statement<Kind> {
  const rows = purges.map(({ id, purge }) => ({ id, ref: JSON.stringify(purge) }));
  const condition = unless ? ` WHERE NOT EXISTS (${unless.finds})` : "";
  return ctx.outbox
    .prepare(
      `INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
       SELECT ?2, value->>'id', 'purge', value->>'ref' FROM json_each(?1)${condition}`,
    )
    .bind(JSON.stringify(rows), ctx.now() + DELAY_MS, ...(unless ? [unless.value] : []));
}

/** Mailboxes of one outbox row: each of its steps makes at most two R2 calls for each. */
const MAILBOXES_PER_PURGE = 50;

const purgeMailboxes = (column: "domain_id" | "workspace") => `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT ?1, min(id), 'purge', json_object('objects', json_group_array(?2 || id || '/'))
    FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / ${MAILBOXES_PER_PURGE} AS part FROM mailboxes WHERE ${column} = ?3)
   GROUP BY part`;

/** Returns a statement that adds purges for mailboxes, 50 in each. Must run before the mailboxes are deleted. */
export function purgeMailboxesStatement(ctx: Ctx, of: { domainId: string } | { workspace: number }): MainStatement {
  const [column, value] =
    "domainId" in of ? (["domain_id", of.domainId] as const) : (["workspace", of.workspace] as const);
  return ctx.db.prepare(purgeMailboxes(column)).bind(ctx.now() + DELAY_MS, r2Keys.mailboxes, value);
}
