import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { notFound } from "../../lib/errors.ts";
import { auditIfChangedStatement } from "../../platform/audit/index.ts";
import { copyToContacts } from "./copy-to-contacts.ts";

/** Removes an address from the suppression list of the workspace. Throws 404 when it is not listed. */
export async function removeSuppression(ctx: CallerCtx, email: string): Promise<void> {
  const key = parseAddress(email)?.key;
  if (key === undefined) throw notFound("Suppression");
  const [removed] = await ctx.db.batch([
    ctx.db.prepare("DELETE FROM suppressions WHERE workspace = ?1 AND email = ?2").bind(ctx.workspace.number, key),
    auditIfChangedStatement(ctx, { action: "suppression.removed", target: key }),
  ]);
  if (removed?.meta.changes !== 1) throw notFound("Suppression");
  await copyToContacts(ctx, ctx.workspace.number, [key]);
}
