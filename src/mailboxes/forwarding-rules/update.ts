import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { newWebhookSecret, sealSecret } from "../../notices/webhooks/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { checkMatch, checkTarget } from "./check.ts";
import { getRule } from "./queries.ts";
import { requestConfirmation } from "./request-confirmation.ts";
import { type RuleOut, type RulePatch, toRule } from "./schema.ts";

// A rule of a domain that has moved to another workspace stays disabled (docs/contract/inbound.md#forwarding-rules).
const UPDATE = `
  UPDATE forwarding_rules SET match = ?3, action = ?4, target = ?5, target_key = ?6, is_active = ?7, position = ?8, updated_at = ?9,
    secret = CASE WHEN ?4 = 'webhook' THEN coalesce(?10, secret) END, user_id = ?11
   WHERE id = ?1 AND workspace = ?2
     AND (?7 = 0 OR EXISTS (SELECT 1 FROM domains d WHERE d.id = forwarding_rules.domain_id AND d.workspace = ?2))`;

/**
 * Changes the given fields of a forwarding rule. An outside address that has not confirmed is asked again when the last email
 * to it is older than an hour. Throws 404, 409 when the domain belongs to another workspace by now, and as `createRule`.
 */
export async function updateRule(ctx: CallerCtx, id: string, patch: RulePatch): Promise<RuleOut> {
  const row = await getRule(ctx, id);
  if (patch.match) checkMatch(patch.match);
  const { action, target, target_key: targetKey } = row;
  const checked = patch.action ? await checkTarget(ctx, patch.action) : { action, target, targetKey };
  const confirmation = await requestConfirmation(ctx, checked);
  const isActive = patch.is_active === undefined ? row.is_active : Number(patch.is_active);
  const match = patch.match ? JSON.stringify(patch.match) : row.match;
  const secret = checked.action === "webhook" && action !== "webhook" ? newWebhookSecret() : null;
  const sealed = secret === null ? null : await sealSecret(ctx, row.id, secret);
  const values = [match, checked.action, checked.target, checked.targetKey, isActive, patch.position ?? row.position];
  const toError = async () => {
    await getRule(ctx, id);
    return conflict("The domain of this rule belongs to another workspace");
  };
  await guardedBatch(ctx.db, [
    ctx.db.prepare(UPDATE).bind(row.id, ctx.workspace.number, ...values, ctx.now(), sealed, ctx.actor.userId),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "forwarding_rule.updated", target: row.id, detail: { ...patch } }),
    ...confirmation.statements,
  ]).catch(onConcurrency(toError));
  await confirmation.send();
  return toRule(await getRule(ctx, row.id), secret);
}
