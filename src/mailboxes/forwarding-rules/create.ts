import type { CallerCtx } from "../../access/caller.ts";
import { getDomain } from "../../domains/domains/index.ts";
import { newWebhookSecret, sealSecret } from "../../notices/webhooks/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeResponse, storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { getMailbox } from "../mailboxes/index.ts";
import { checkMatch, checkTarget, requireOneScope } from "./check.ts";
import { requestConfirmation } from "./request-confirmation.ts";
import { type RuleIn, type RuleOut, type RuleRow, toRule } from "./schema.ts";

const INSERT = `
  INSERT INTO forwarding_rules (id, workspace, domain_id, mailbox_id, match, action, target, target_key, is_active, position,
    secret, created_at, updated_at, user_id)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?12, ?11, ?11, ?13
   WHERE ${hasRoom("forwarding_rules", "?2")}`;

/**
 * Creates a forwarding rule. An outside address gets an email with a link and receives nothing before it has confirmed
 * (docs/contract/inbound.md#forwarding-rules). The secret of a rule that posts to a URL is in this response only. Throws 404
 * for the domain or mailbox, 409 beyond 200 rules, 422 for an invalid target or condition, and as `requestConfirmation`.
 */
export async function createRule(ctx: CallerCtx, input: RuleIn): Promise<RuleOut> {
  requireOneScope(input);
  checkMatch(input.match);
  const { domainId, mailboxId } = await findScope(ctx, input);
  const target = await checkTarget(ctx, input.action);
  const confirmation = await requestConfirmation(ctx, target);
  const now = ctx.now();
  const row: RuleRow = {
    id: ctx.newId(),
    domain_id: domainId,
    mailbox_id: mailboxId,
    match: JSON.stringify(input.match),
    action: target.action,
    target: target.target,
    target_key: target.targetKey,
    is_active: input.is_active ? 1 : 0,
    is_confirmed: confirmation.isConfirmed ? 1 : 0,
    position: input.position ?? (await nextPosition(ctx)),
    created_at: now,
    updated_at: now,
    user_id: ctx.actor.userId,
    maker: ctx.actor.email,
  };
  const values = [row.match, row.action, row.target, row.target_key, row.is_active, row.position];
  const secret = target.action === "webhook" ? newWebhookSecret() : null;
  const sealed = secret === null ? null : await sealSecret(ctx, row.id, secret);
  const response = toRule(row, secret);
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT).bind(row.id, ctx.workspace.number, domainId, mailboxId, ...values, now, sealed, row.user_id),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "forwarding_rule.created", target: row.id, detail: { ...input.action } }),
    ...confirmation.statements,
    ...(secret === null ? await storeResponse(ctx, response) : await storeSecretResponse(ctx, response)),
  ]);
  await confirmation.send();
  return response;
}

async function findScope(ctx: CallerCtx, { domain_id, mailbox_id }: RuleIn) {
  if (!mailbox_id) return { domainId: (await getDomain(ctx, domain_id ?? "")).id, mailboxId: null };
  const mailbox = await getMailbox(ctx, mailbox_id);
  return { domainId: mailbox.domainId, mailboxId: mailbox.id };
}

async function nextPosition({ db, workspace }: CallerCtx): Promise<number> {
  const sql = "SELECT coalesce(max(position) + 1, 0) AS next FROM forwarding_rules WHERE workspace = ?1";
  return (await db.findValue<number>(sql, workspace.number)) ?? 0;
}
