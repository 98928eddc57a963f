import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { r2Keys } from "../db/r2-keys.ts";

/** Something to take away in the background, in steps (run.ts). */
export type Purge =
  /** Every object in R2 whose key begins so. */
  | { objects: string }
  /** These objects in R2: at most as many as one delete takes. */
  | { keys: string[] }
  /** All that is left of a deleted workspace, then its row. */
  | { workspace: number; id: string };

/** A purge with the id of its outbox row: a UUID, best that of the record it follows. */
export interface PurgeOrder {
  id: string;
  purge: Purge;
}

/** A purge begins so long after it was ordered that calls which were under way at that moment have ended. */
const DELAY_MS = 120_000;

/**
 * Orders purges in the batch that deletes the record: the outbox keeps them until they are done. Safe to run twice.
 */
export function purgeStatement(ctx: Ctx, orders: readonly PurgeOrder[]): D1PreparedStatement {
  const rows = orders.map(({ id, purge }) => ({ id, ref: JSON.stringify(purge) }));
  return mailDb(ctx)
    .prepare(
      `INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
       SELECT ?2, value->>'id', 'purge', value->>'ref' FROM json_each(?1)`,
    )
    .bind(JSON.stringify(rows), ctx.now() + DELAY_MS);
}

const PURGE_MAILBOXES = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT ?1, id, 'purge', json_object('objects', ?2 || id || '/') FROM mailboxes`;

/** Orders the mail of all mailboxes of a domain, or of a workspace, to be taken away; before they are deleted. */
export function purgeMailboxesStatement(
  ctx: Ctx,
  of: { domainId: string } | { workspace: number },
): D1PreparedStatement {
  const [column, value] = "domainId" in of ? ["domain_id", of.domainId] : ["workspace", of.workspace];
  return mailDb(ctx)
    .prepare(`${PURGE_MAILBOXES} WHERE ${column} = ?3`)
    .bind(ctx.now() + DELAY_MS, r2Keys.mailboxes, value);
}
