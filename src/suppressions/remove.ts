import type { CallerCtx } from "../context.ts";
import { notFound } from "../errors.ts";
import { parseAddress } from "../lib/addresses.ts";
import { copyToContacts } from "./copy-to-contacts.ts";

/** Removes an address from the suppression list of the workspace. Throws 404 when it is not listed. */
export async function removeSuppression(ctx: CallerCtx, email: string): Promise<void> {
  const key = parseAddress(email)?.key ?? "";
  const { meta } = await ctx.db
    .prepare("DELETE FROM suppressions WHERE workspace = ?1 AND email = ?2")
    .bind(ctx.workspace.number, key)
    .run();
  if (meta.changes === 0) throw notFound("Suppression");
  await copyToContacts(ctx, ctx.workspace.number, [key]);
}
