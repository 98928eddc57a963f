import type { Ctx, MainStatement } from "../context.ts";

const insert = (which: string) => `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?1, id, 'transfer', json_object('withdrawn', id) FROM domain_transfers WHERE ${which}`;

/**
 * Returns the statement that tells the recipients of the active transfers of a domain or workspace, by an email of the outbox,
 * that nothing will move. For the batch that deletes the domain or workspace, before the statement that ends the transfers.
 */
export function withdrawnOffersStatement(ctx: Ctx, of: { domainId: string } | { workspace: number }): MainStatement {
  const [column, value] =
    "domainId" in of ? (["domain_id", of.domainId] as const) : (["source_workspace", of.workspace] as const);
  return ctx.db.prepare(insert(`${column} = ?2 AND status IN ('pending', 'accepted')`)).bind(ctx.now(), value);
}

const OFFERED_BY = "source_workspace = ?2 AND source_user_id = ?3 AND status = 'pending' AND expires_at > ?1";
const CANCEL = `UPDATE domain_transfers SET status = 'cancelled' WHERE ${OFFERED_BY}`;

/** Returns the statements that cancel the pending transfers that a member has offered, and tell the recipients. Owners stop an accepted one by its link. */
export function cancelOffersStatements(ctx: Ctx, member: { workspace: number; userId: string }): MainStatement[] {
  const values = [ctx.now(), member.workspace, member.userId];
  return [insert(OFFERED_BY), CANCEL].map((sql) => ctx.db.prepare(sql).bind(...values));
}
