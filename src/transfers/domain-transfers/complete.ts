import { ancestors } from "../../domains/domains/index.ts";
import { onError } from "../../lib/errors.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch, ignoreConcurrency } from "../../platform/db/batch.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { moveStatements } from "./move-domain.ts";
import { wakeDue } from "./outbox-rows.ts";
import type { TransferRow } from "./queries.ts";
import { deleteTransferKeysStatement } from "./transfer-keys.ts";

/** An accepted transfer. */
export type AcceptedTransfer = TransferRow & { targetWorkspace: number };

/** The actor and address of what the service does by itself. */
export const BY_SERVICE = { actor: null, clientIp: null };

// The conditions at the end of the safety window. `?3`: JSON array of the reversed name and those above it.
const MAY_COMPLETE = `
  EXISTS (SELECT 1 FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
           WHERE m.workspace = t.target_workspace AND m.user_id = t.target_user_id AND m.role IN ('owner', 'admin'))
  AND EXISTS (SELECT 1 FROM domains d WHERE d.id = t.domain_id AND d.workspace = t.source_workspace AND d.status = 'verified')
  AND NOT EXISTS (SELECT 1 FROM domains p WHERE p.workspace = t.source_workspace AND p.status = 'verified' AND p.id <> t.domain_id
                   AND p.reversed_name IN (SELECT value FROM json_each(?3)))`;

const IS_DUE = "id = ?1 AND status = 'accepted' AND cooloff_until <= ?2";

const COMPLETE = `
  UPDATE domain_transfers AS t SET status = 'completed', completed_at = ?2 WHERE ${IS_DUE} AND ${MAY_COMPLETE}`;

const FAIL = `UPDATE domain_transfers AS t SET status = 'reversed' WHERE ${IS_DUE} AND NOT (${MAY_COMPLETE})`;

/**
 * Completes a transfer whose safety window has ended: one guarded batch moves the domain. When the domain is no longer
 * verified in the source workspace, or the recipient may no longer accept into the target workspace, the transfer becomes
 * `reversed` instead. Safe to repeat; a transfer that was stopped or completed meanwhile stays so.
 */
export async function completeTransfer(ctx: Ctx, transfer: AcceptedTransfer): Promise<void> {
  const { db } = ctx;
  const now = ctx.now();
  const parameters = [transfer.id, now, JSON.stringify(ancestors(transfer.reversedName))];
  const cleanUpId = ctx.newId();
  const results = await guardedBatch(db, [
    db.prepare(COMPLETE).bind(...parameters),
    expectChanges(db, 1),
    ...moveStatements(ctx, { transfer, by: BY_SERVICE }, cleanUpId),
  ]).catch(onError(ConcurrencyError, () => null));
  if (!results) return failTransfer(ctx, transfer, parameters);
  await wakeDue(onMain(ctx), [{ dueAt: now, id: cleanUpId, kind: "transfer" }]);
}

async function failTransfer(ctx: Ctx, transfer: AcceptedTransfer, parameters: readonly unknown[]): Promise<void> {
  const { db } = ctx;
  const { id, domainName, sourceWorkspace, targetWorkspace } = transfer;
  const entry = { action: "transfer.failed" as const, target: id, detail: { name: domainName } };
  const notice = {
    category: "alerts" as const,
    severity: "warning" as const,
    href: null,
    title: `The transfer of ${domainName} has failed`,
    body: "The domain is no longer verified, or the recipient may no longer accept it into the chosen workspace. It has not moved.",
  };
  // Neither happens when another call was first.
  await guardedBatch(db, [
    db.prepare(FAIL).bind(...parameters),
    expectChanges(db, 1),
    deleteTransferKeysStatement(ctx, id),
    ...[sourceWorkspace, targetWorkspace].flatMap((number) => [
      auditStatement({ ...ctx, ...BY_SERVICE, workspace: { number } }, entry),
      ...notifyOwnersStatements(ctx, number, notice),
    ]),
  ]).catch(ignoreConcurrency);
}
