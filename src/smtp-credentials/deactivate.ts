import { auditIfChangedStatement } from "../audit/index.ts";
import type { CallerCtx } from "../context.ts";
import { getSmtpCredential } from "./queries.ts";

const DEACTIVATE =
  "UPDATE smtp_credentials SET deactivated_at = ?2, hash = NULL WHERE deactivated_at IS NULL AND id = ?1";

/**
 * Deactivates an SMTP credential for good. Connections that use it are refused at their next MAIL FROM or message.
 * Deactivating again changes nothing. Throws 404.
 */
export async function deactivateSmtpCredential(ctx: CallerCtx, id: string): Promise<void> {
  const { id: target, username } = await getSmtpCredential(ctx, id);
  await ctx.db.batch([
    ctx.db.prepare(DEACTIVATE).bind(target, ctx.now()),
    auditIfChangedStatement(ctx, { action: "smtp_credential.deactivated", target, detail: { username } }),
  ]);
}
