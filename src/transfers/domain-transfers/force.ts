import type { CallerCtx } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { generateDkimKeys } from "../../domains/domains/index.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { invalidField, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { MainStatement } from "../../platform/context.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import type { domains } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { transferError } from "./errors.ts";
import { type Completion, moveStatements } from "./move-domain.ts";
import type { Performed } from "./object.ts";
import { wakeDue } from "./outbox-rows.ts";
import { findActiveTransfer, type TransferRow } from "./queries.ts";
import { requireMovable } from "./requirements.ts";
import { type ForceIn, toTransfer } from "./schema.ts";
import { IS_SOURCE, listManagedWorkspaces } from "./targets.ts";
import { deleteTransferKeysStatement, insertTransferKeysStatement, toTransferKeys } from "./transfer-keys.ts";

/**
 * Moves a domain of any workspace to the oldest workspace that the target account manages, at once and for good. Completes
 * the active transfer of the domain, whoever it was addressed to, or makes a row of its own. Throws 403 without a recent
 * re-authentication, 404 for the domain and for the account, 409 for a domain that is not verified, that is below another
 * one of its workspace, or that the target has already.
 */
export async function forceTransfer(ctx: CallerCtx, domainId: string, input: ForceIn): Promise<Performed> {
  requireProofOfSession(ctx);
  const domain = await getAnyDomain(ctx, domainId);
  const target = await findTarget(ctx, input.target_email);
  if (target.workspace.number === domain.workspace) throw transferError("self_transfer", { detail: IS_SOURCE });
  await requireMovable(ctx, { domainId: domain.id, workspace: domain.workspace, reversedName: domain.reversed_name });
  const active = await findActiveTransfer(ctx, domain.id);
  const transfer = toForced(ctx, domain, active, target);
  const keys = input.rotate_dkim ? toTransferKeys(transfer.id, await generateDkimKeys(ctx, domain.id)) : [];
  const response = toTransfer(transfer, ctx.now(), keys);
  const cleanUpId = ctx.newId();
  await guardedBatch(ctx.db, [
    ...saveStatements(ctx, transfer, active),
    deleteTransferKeysStatement(ctx, transfer.id),
    insertTransferKeysStatement(ctx, keys),
    ...moveStatements(ctx, { transfer, by: ctx }, cleanUpId),
    ...(await storeResponse(ctx, response)),
  ]);
  await wakeDue(onMain(ctx), [{ dueAt: ctx.now(), id: cleanUpId, kind: "transfer" }]);
  return { response, transfer };
}

type AnyDomain = StoredColumns<typeof domains, "id" | "name" | "workspace" | "status" | "reversed_name"> & {
  org_id: string;
  label: string;
  user_id: string | null;
};

// The oldest owner is recorded as the initiator, because no member of the source workspace initiated the transfer.
const FIND_DOMAIN = `
  SELECT d.id, d.name, d.workspace, d.status, d.reversed_name, w.id AS org_id, w.name AS label,
         (SELECT user_id FROM memberships WHERE workspace = w.number AND role = 'owner' ORDER BY created_at LIMIT 1) AS user_id
    FROM domains d JOIN workspaces w ON w.number = d.workspace WHERE d.id = ?1`;

async function getAnyDomain(ctx: CallerCtx, id: string): Promise<AnyDomain> {
  const uuid = parseUuid(id);
  return requireFound(uuid === null ? null : await ctx.db.findRow<AnyDomain>(FIND_DOMAIN, uuid), "Domain");
}

interface Target {
  userId: string;
  email: string;
  key: string;
  workspace: { number: number; id: string };
}

async function findTarget(ctx: CallerCtx, email: string): Promise<Target> {
  const address = parseAddress(email.trim());
  if (!address) throw invalidField("target_email", "target_email must be a valid email address");
  const find = ctx.db.prepare("SELECT id FROM users WHERE email_key = ?1").bind(address.key);
  const user = await find.first<{ id: string }>();
  if (!user) throw transferError("target_not_found");
  const [workspace] = await listManagedWorkspaces(ctx, user.id);
  if (!workspace) throw transferError("target_without_workspace");
  return { userId: user.id, email: address.address, key: address.key, workspace };
}

function toForced(
  ctx: CallerCtx,
  domain: AnyDomain,
  active: TransferRow | null,
  target: Target,
): Completion["transfer"] {
  const now = ctx.now();
  return {
    id: active?.id ?? ctx.newId(),
    domainId: domain.id,
    domainName: domain.name,
    reversedName: domain.reversed_name,
    status: "completed",
    sourceUserId: active?.sourceUserId ?? domain.user_id ?? ctx.actor.userId,
    sourceWorkspace: domain.workspace,
    sourceOrgId: domain.org_id,
    sourceLabel: active?.sourceLabel ?? domain.label,
    targetEmail: target.email,
    targetEmailKey: target.key,
    targetUserId: target.userId,
    targetWorkspace: target.workspace.number,
    targetOrgId: target.workspace.id,
    note: active?.note ?? null,
    initiatedAt: active?.initiatedAt ?? now,
    expiresAt: active?.expiresAt ?? now,
    acceptedAt: active?.acceptedAt ?? null,
    cooloffUntil: active?.cooloffUntil ?? null,
    completedAt: now,
  };
}

const INSERT = `
  INSERT INTO domain_transfers (id, domain_id, domain_name, reversed_name, status, source_user_id, source_workspace,
    source_org_id, source_label, initiated_at, expires_at, target_email, target_email_key)
  VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`;

// Changes nothing when the domain or the target's membership was changed since it was read.
const COMPLETE = `
  UPDATE domain_transfers SET status = 'completed', completed_at = ?2, target_email = ?3, target_email_key = ?4,
    target_user_id = ?5, target_workspace = ?6, target_org_id = ?7
   WHERE id = ?1 AND status IN ('pending', 'accepted')
     AND EXISTS (SELECT 1 FROM domains d WHERE d.id = domain_id AND d.workspace = source_workspace AND d.status = 'verified')
     AND EXISTS (SELECT 1 FROM memberships WHERE workspace = ?6 AND user_id = ?5 AND role IN ('owner', 'admin'))`;

/** Returns the statements that complete the active transfer, or insert a completed one. */
function saveStatements({ db }: CallerCtx, row: TransferRow, active: TransferRow | null): MainStatement[] {
  const target = [row.targetEmail, row.targetEmailKey];
  const source = [row.id, row.domainId, row.domainName, row.reversedName, row.sourceUserId, row.sourceWorkspace];
  const insert = [...source, row.sourceOrgId, row.sourceLabel, row.initiatedAt, row.expiresAt, ...target];
  return [
    ...(active ? [] : [db.prepare(INSERT).bind(...insert)]),
    db
      .prepare(COMPLETE)
      .bind(row.id, row.completedAt, ...target, row.targetUserId, row.targetWorkspace, row.targetOrgId),
    expectChanges(db, 1),
  ];
}
