import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { generateDkimKeys } from "../../domains/domains/index.ts";
import { formatTime } from "../../lib/local-time.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { requireRecipient } from "./access.ts";
import { requireTransition } from "./errors.ts";
import { requireMailbox } from "./initiate.ts";
import type { Performed } from "./object.ts";
import { addOutboxRows, wakeDue } from "./outbox-rows.ts";
import { getTransfer, type TransferKey, type TransferRef, type TransferRow } from "./queries.ts";
import { requireMovable, requireNothingScheduled } from "./requirements.ts";
import { REPAIR_DELAY_MS, SAFETY_WINDOW_MS } from "./rules.ts";
import { type AcceptIn, toTransfer } from "./schema.ts";
import { chooseTarget, type TargetWorkspace } from "./targets.ts";
import { insertTransferKeysStatement, toTransferKeys } from "./transfer-keys.ts";

// Repeats the conditions of the reads: membership and domain may have changed since, and the status too, although the object
// handles one call at a time: a batch of an object that the platform has replaced may still arrive.
const ACCEPT = `
  UPDATE domain_transfers SET status = 'accepted', accepted_at = ?2, cooloff_until = ?3, target_user_id = ?4,
    target_workspace = ?5, target_org_id = ?6
   WHERE id = ?1 AND status = 'pending' AND expires_at > ?2
     AND EXISTS (SELECT 1 FROM memberships WHERE workspace = ?5 AND user_id = ?4 AND role IN ('owner', 'admin'))
     AND EXISTS (SELECT 1 FROM domains d WHERE d.id = domain_transfers.domain_id
                  AND d.workspace = domain_transfers.source_workspace AND d.status = 'verified')`;

const FIND_OWNERS = "SELECT user_id FROM memberships WHERE workspace = ?1 AND role = 'owner' ORDER BY created_at";

/**
 * Accepts a transfer into a workspace of the caller; the safety window begins. The outbox mails a stop link to every owner of the source
 * workspace. Of calls with the same token one succeeds. Throws the errors of docs/contract/errors.md#codes-of-transfers, 403 for an API key
 * that is restricted to domains, 503 when no stop link can be mailed.
 */
export async function acceptTransfer(ctx: CallerCtx, ref: TransferRef, input: AcceptIn): Promise<Performed> {
  const { transfer: found, tokenHash } = await getTransfer(ctx, ref);
  requireAllDomains(ctx);
  requireRecipient(ctx, found);
  requireTransition(found, "accept", ctx.now());
  const target = await chooseTarget(ctx, found.sourceWorkspace, input.target_org_id ?? null);
  const source = { domainId: found.domainId, workspace: found.sourceWorkspace, reversedName: found.reversedName };
  await requireNothingScheduled(ctx, found.sourceWorkspace, await requireMovable(ctx, source));
  await requireMailbox(ctx);
  const transfer = toAccepted(ctx, found, target);
  const keys = input.rotate_dkim ? toTransferKeys(found.id, await generateDkimKeys(ctx, found.domainId)) : [];
  const owners = await ctx.db.listRows<{ user_id: string }>(FIND_OWNERS, found.sourceWorkspace);
  const added = addOutboxRows(ctx, [
    ...owners.map(({ user_id }) => ({ dueAt: ctx.now(), ref: { stopLink: found.id, owner: user_id } })),
    { dueAt: (transfer.cooloffUntil ?? 0) + REPAIR_DELAY_MS, ref: { deadline: found.domainId } },
  ]);
  const response = toTransfer(transfer, ctx.now(), keys);
  try {
    await guardedBatch(ctx.db, [
      ...redeemStatements(ctx, tokenHash),
      ...acceptStatements(ctx, transfer, keys),
      added.statement,
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    // Another call was first: the transfer is no longer pending, or the token was redeemed.
    if (error instanceof ConcurrencyError)
      requireTransition((await getTransfer(ctx, ref)).transfer, "accept", ctx.now());
    throw error;
  }
  await wakeDue(onMain(ctx), added.wakeUps);
  return { response, transfer };
}

function toAccepted(ctx: CallerCtx, found: TransferRow, target: TargetWorkspace): TransferRow {
  const now = ctx.now();
  return {
    ...found,
    status: "accepted",
    acceptedAt: now,
    cooloffUntil: now + SAFETY_WINDOW_MS,
    targetUserId: ctx.actor.userId,
    targetWorkspace: target.number,
    targetOrgId: target.id,
  };
}

/** Returns the statements that redeem a token; none for a call by id. */
export function redeemStatements({ db }: Pick<CallerCtx, "db">, tokenHash: string | null): MainStatement[] {
  if (tokenHash === null) return [];
  return [db.prepare("DELETE FROM domain_transfer_tokens WHERE hash = ?1").bind(tokenHash), expectChanges(db, 1)];
}

function acceptStatements(ctx: CallerCtx, transfer: TransferRow, keys: readonly TransferKey[]): MainStatement[] {
  const { db } = ctx;
  const { id, domainName, targetEmail, acceptedAt, cooloffUntil, targetUserId, targetWorkspace, targetOrgId } =
    transfer;
  const entry = {
    action: "transfer.accepted" as const,
    target: id,
    detail: { name: domainName, from: transfer.sourceOrgId, to: targetOrgId },
  };
  return [
    db.prepare(ACCEPT).bind(id, acceptedAt, cooloffUntil, targetUserId, targetWorkspace, targetOrgId),
    expectChanges(db, 1),
    ...(keys.length > 0 ? [insertTransferKeysStatement(ctx, keys)] : []),
    auditStatement({ ...ctx, workspace: { number: transfer.sourceWorkspace } }, entry),
    auditStatement({ ...ctx, workspace: { number: targetWorkspace ?? 0 } }, entry),
    ...notifyOwnersStatements(ctx, transfer.sourceWorkspace, {
      category: "alerts",
      severity: "warning",
      title: `${domainName} will move to another workspace`,
      body: `${targetEmail} has accepted the transfer. The domain moves on ${formatTime(new Date(cooloffUntil ?? 0), "UTC")}. Every owner has got a link that stops it.`,
      href: null,
      hasOwnEmail: true,
    }),
  ];
}
