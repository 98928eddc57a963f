import type { CallerCtx } from "../../access/caller.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { getRule } from "./queries.ts";

/** Deletes a forwarding rule. What it has forwarded already, and has not left yet, is not sent. Throws 404. */
export async function deleteRule(ctx: CallerCtx, id: string): Promise<void> {
  const { id: target } = await getRule(ctx, id);
  await ctx.db.batch([
    ctx.db.prepare("DELETE FROM forwarding_rules WHERE id = ?1 AND workspace = ?2").bind(target, ctx.workspace.number),
    auditIfChangedStatement(ctx, { action: "forwarding_rule.deleted", target }),
  ]);
}
