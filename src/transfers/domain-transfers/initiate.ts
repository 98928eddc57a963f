import type { CallerCtx } from "../../access/caller.ts";
import { ancestors, type DomainRow, getDomain, reversedRange } from "../../domains/domains/index.ts";
import { addressKey, parseAddress } from "../../lib/addresses.ts";
import { AppError, conflict, forbidden, invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { requireAll } from "../../platform/rate-limits/exact.ts";
import { offersPolicy, readerOf } from "../../platform/service-mail/rules.ts";
import { canSendSystemEmails } from "../../sending/system-emails/index.ts";
import { expireOverdue } from "./deadline.ts";
import { transferError } from "./errors.ts";
import { countMoves } from "./moves.ts";
import type { Performed } from "./object.ts";
import { addOutboxRows, wakeDue } from "./outbox-rows.ts";
import type { TransferRow } from "./queries.ts";
import { type MovedDomain, requireMovable, requireNothingScheduled } from "./requirements.ts";
import { REPAIR_DELAY_MS, REQUEST_WINDOW_MS } from "./rules.ts";
import { type TransferIn, toTransfer } from "./schema.ts";

// Inserts nothing when the domain or the role of the caller was changed meanwhile, or while a transfer of a name above or below it is active.
const INSERT = `
  INSERT INTO domain_transfers (id, domain_id, domain_name, reversed_name, status, source_user_id, source_workspace,
    source_org_id, source_label, target_email, target_email_key, note, initiated_at, expires_at)
  SELECT ?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
   WHERE EXISTS (SELECT 1 FROM domains WHERE id = ?2 AND workspace = ?6 AND status = 'verified')
     AND EXISTS (SELECT 1 FROM memberships WHERE workspace = ?6 AND user_id = ?5 AND role <> 'member')`;

// A pending one whose time has passed is shown as expired and can no longer be accepted.
const FIND_ACTIVE = `
  SELECT 1 FROM domain_transfers WHERE source_workspace = ?1 AND status IN ('pending', 'accepted')
     AND (status = 'accepted' OR expires_at > ?5)
     AND (reversed_name IN (SELECT value FROM json_each(?2)) OR (reversed_name >= ?3 AND reversed_name < ?4))`;

const REFUSE_ACTIVE = `SELECT CASE WHEN EXISTS (${FIND_ACTIVE}) THEN json('lost race') END`;

/**
 * Offers a domain of the caller's workspace, with its sub-domains, to another account. The outbox mails the accept link. Throws 404 for the
 * domain and for the account, 422 for an invalid address, 409 for a domain that cannot move at present
 * (docs/contract/errors.md#codes-of-transfers), 403 for a restricted account, 429 beyond the offers of a day to one person, 503 when the
 * service cannot send emails of its own.
 */
export async function initiateTransfer(ctx: CallerCtx, domainId: string, input: TransferIn): Promise<Performed> {
  const domain = await getDomain(ctx, domainId);
  if (domain.isSandbox) throw conflict("A test domain of the service cannot be transferred");
  if (ctx.actor.restricted) throw forbidden("This account is restricted and cannot transfer domains");
  const target = await findTarget(ctx, input.target_email);
  await expireOverdue(ctx, domain.id);
  await requireNoActiveTransfer(ctx, domain);
  const moved = await requireMovable(ctx, { domainId: domain.id, ...domain });
  requirePermitted(ctx, moved);
  await requireNothingScheduled(ctx, ctx.workspace.number, moved);
  await requireMailbox(ctx);
  const offers = [offersPolicy, `${ctx.workspace.id} ${readerOf(target.key)}`] as const;
  await requireAll(ctx, [offers], "This workspace has offered this person as many domains as it may in a day");
  return insertTransfer(ctx, toRow(ctx, domain, target, input.note ?? null), moved);
}

/** Throws 503 when the links of a transfer cannot be mailed. */
export async function requireMailbox(ctx: CallerCtx): Promise<void> {
  if (!(await canSendSystemEmails(ctx)))
    throw new AppError(503, "Transfers are not possible: this service has no mailbox for its own emails");
}

async function findTarget(ctx: CallerCtx, email: string): Promise<{ email: string; key: string }> {
  const address = parseAddress(email.trim());
  if (!address) throw invalidField("target_email", "target_email must be a valid email address");
  if (address.key === addressKey(ctx.actor.email)) throw transferError("self_transfer");
  const user = await ctx.db.findRow("SELECT email FROM users WHERE email_key = ?1", address.key);
  if (!user) throw transferError("target_not_found");
  return { email: address.address, key: address.key };
}

type NameInWorkspace = Pick<DomainRow, "workspace" | "reversedName">;

const treeParameters = (ctx: CallerCtx, { workspace, reversedName }: NameInWorkspace) => [
  workspace,
  JSON.stringify(ancestors(reversedName)),
  ...reversedRange(reversedName),
  ctx.now(),
];

async function requireNoActiveTransfer(ctx: CallerCtx, domain: NameInWorkspace): Promise<void> {
  const active = ctx.db.prepare(FIND_ACTIVE).bind(...treeParameters(ctx, domain));
  if ((await active.first()) !== null) throw transferError("transfer_active");
}

/** Throws 403 for an API key that is restricted to domains and does not permit each domain that moves. */
function requirePermitted({ actor }: CallerCtx, moved: readonly MovedDomain[]): void {
  const missing = moved.find(({ id }) => actor.domainIds && !actor.domainIds.has(id));
  if (missing) throw forbidden(`This API key may not transfer ${missing.name}, which moves with the domain`);
}

function toRow(
  ctx: CallerCtx,
  domain: DomainRow,
  target: { email: string; key: string },
  note: string | null,
): TransferRow {
  const now = ctx.now();
  return {
    id: ctx.newId(),
    domainId: domain.id,
    domainName: domain.name,
    reversedName: domain.reversedName,
    status: "pending",
    sourceUserId: ctx.actor.userId,
    sourceWorkspace: ctx.workspace.number,
    sourceOrgId: ctx.workspace.id,
    sourceLabel: ctx.workspace.name,
    targetEmail: target.email,
    targetEmailKey: target.key,
    targetUserId: null,
    targetWorkspace: null,
    targetOrgId: null,
    note,
    initiatedAt: now,
    expiresAt: now + REQUEST_WINDOW_MS,
    acceptedAt: null,
    cooloffUntil: null,
    completedAt: null,
  };
}

async function insertTransfer(ctx: CallerCtx, row: TransferRow, moved: readonly MovedDomain[]): Promise<Performed> {
  const { db } = ctx;
  const response = { ...toTransfer(row, ctx.now()), moves: await countMoves(ctx, moved) };
  const { statement, wakeUps } = addOutboxRows(ctx, [
    { dueAt: ctx.now(), ref: { acceptLink: row.id } },
    { dueAt: row.expiresAt + REPAIR_DELAY_MS, ref: { deadline: row.domainId } },
  ]);
  const domain = { workspace: row.sourceWorkspace, reversedName: row.reversedName };
  const values = [
    ...[row.id, row.domainId, row.domainName, row.reversedName, row.sourceUserId, row.sourceWorkspace, row.sourceOrgId],
    ...[row.sourceLabel, row.targetEmail, row.targetEmailKey, row.note, row.initiatedAt, row.expiresAt],
  ];
  try {
    await guardedBatch(db, [
      db.prepare(REFUSE_ACTIVE).bind(...treeParameters(ctx, domain)),
      db.prepare(INSERT).bind(...values),
      expectChanges(db, 1),
      auditStatement(ctx, {
        action: "transfer.initiated",
        target: row.id,
        detail: { name: row.domainName, target_email: row.targetEmail },
      }),
      statement,
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    if (!(error instanceof ConcurrencyError) && !isUniqueViolation(error)) throw error;
    await requireNoActiveTransfer(ctx, domain);
    throw error;
  }
  await wakeDue(onMain(ctx), wakeUps);
  return { response, transfer: row };
}
