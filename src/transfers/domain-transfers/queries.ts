import { and, desc, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { visibleTo } from "../../access/visible-rows.ts";
import { addressKey } from "../../lib/addresses.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { orm } from "../../platform/db/client.ts";
import { domainTransferKeys, domainTransfers, domainTransferTokens } from "../../platform/db/schema/main/index.ts";
import { transferError } from "./errors.ts";

export type TransferRow = typeof domainTransfers.$inferSelect;
export type TransferKey = typeof domainTransferKeys.$inferSelect;

/** Names a transfer: by its id, or by hashes of the token of a mailed link, one for each master key. */
export type TransferRef = { id: string } | { hashes: readonly string[]; kind: "accept" | "stop" };

/** A transfer, and the stored hash of the token that it was found by. */
export interface FoundTransfer {
  transfer: TransferRow;
  tokenHash: string | null;
}

/** Returns a transfer of any workspace. Throws 404 for an unknown id, and for a token that is unknown or was redeemed. */
export async function getTransfer(ctx: Pick<Ctx, "db">, ref: TransferRef): Promise<FoundTransfer> {
  if ("hashes" in ref) {
    const [found] = await orm(ctx)
      .select({ transfer: domainTransfers, tokenHash: domainTransferTokens.hash })
      .from(domainTransferTokens)
      .innerJoin(domainTransfers, eq(domainTransfers.id, domainTransferTokens.transferId))
      .where(and(inArray(domainTransferTokens.hash, [...ref.hashes]), eq(domainTransferTokens.kind, ref.kind)));
    if (!found) throw transferError("not_found");
    return found;
  }
  const uuid = parseUuid(ref.id);
  if (uuid === null) throw transferError("not_found");
  const [transfer] = await orm(ctx).select().from(domainTransfers).where(eq(domainTransfers.id, uuid));
  if (!transfer) throw transferError("not_found");
  return { transfer, tokenHash: null };
}

/** Returns the pending or accepted transfer of a domain, or null. */
export async function findActiveTransfer(ctx: Pick<Ctx, "db">, domainId: string): Promise<TransferRow | null> {
  const [row] = await orm(ctx)
    .select()
    .from(domainTransfers)
    .where(and(eq(domainTransfers.domainId, domainId), IS_ACTIVE));
  return row ?? null;
}

// Literals, as in the partial indexes: SQLite does not use them for a parameter.
const IS_ACTIVE = sql`${domainTransfers.status} IN ('pending', 'accepted')`;

/** Returns the transfers, pending or accepted, that are addressed to the caller's account, newest first. */
export async function findIncoming(ctx: CallerCtx, page: ListRange): Promise<TransferRow[]> {
  // A key that is restricted to domains does not concern the others.
  if (ctx.actor.domainIds) return [];
  return listNewest(ctx, page, [
    eq(domainTransfers.targetEmailKey, addressKey(ctx.actor.email)),
    IS_ACTIVE,
    or(eq(domainTransfers.status, "accepted"), gt(domainTransfers.expiresAt, ctx.now())),
  ]);
}

/** Returns the transfers of `findIncoming` with the DKIM keys that were made for them. */
export async function listIncoming(
  ctx: CallerCtx,
  page: ListRange,
): Promise<{ row: TransferRow; keys: TransferKey[] }[]> {
  const rows = await findIncoming(ctx, page);
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const keys = await orm(ctx)
    .select()
    .from(domainTransferKeys)
    .where(sql`${domainTransferKeys.transferId} IN (SELECT value FROM json_each(${ids}))`)
    .orderBy(domainTransferKeys.id);
  const keysOf = Map.groupBy(keys, ({ transferId }) => transferId);
  return rows.map((row) => ({ row, keys: keysOf.get(row.id) ?? [] }));
}

/** Returns the transfers that the caller initiated in its active workspace, newest first. */
export function listOutgoing(ctx: CallerCtx, page: ListRange): Promise<TransferRow[]> {
  const columns = { workspace: domainTransfers.sourceWorkspace, domainId: domainTransfers.domainId };
  return listNewest(ctx, page, [eq(domainTransfers.sourceUserId, ctx.actor.userId), visibleTo(ctx, columns)]);
}

const listNewest = (ctx: CallerCtx, { after, limit }: ListRange, conditions: (SQL | undefined)[]) =>
  orm(ctx)
    .select()
    .from(domainTransfers)
    .where(and(...conditions, after === undefined ? undefined : lt(domainTransfers.id, after)))
    .orderBy(desc(domainTransfers.id))
    .limit(limit);
