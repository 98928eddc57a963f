import type { Ctx, MainStatement } from "../context.ts";

const insert = (column: "domain_id" | "source_workspace") => `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?1, id, 'transfer', json_object('withdrawn', id) FROM domain_transfers
   WHERE ${column} = ?2 AND status IN ('pending', 'accepted')`;

/**
 * Returns the statement that tells the recipients of the active transfers of a domain or workspace, by an email of the outbox,
 * that nothing will move. For the batch that deletes the domain or workspace, before the statement that ends the transfers.
 */
export function withdrawnOffersStatement(ctx: Ctx, of: { domainId: string } | { workspace: number }): MainStatement {
  const [column, value] =
    "domainId" in of ? (["domain_id", of.domainId] as const) : (["source_workspace", of.workspace] as const);
  return ctx.db.prepare(insert(column)).bind(ctx.now(), value);
}
