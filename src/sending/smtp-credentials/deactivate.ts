import type { CallerCtx } from "../../access/caller.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { getSmtpCredential } from "./queries.ts";
import { LEASE_MS } from "./rules.ts";

const DEACTIVATE =
  "UPDATE smtp_credentials SET deactivated_at = ?2, hash = NULL WHERE deactivated_at IS NULL AND id = ?1";

/**
 * Deactivates an SMTP credential for good. Connections that use it are refused at their next MAIL FROM or message.
 * Returns when no gateway can still take it for active, half a second later. Deactivating again changes nothing. Throws 404.
 */
export async function deactivateSmtpCredential(ctx: CallerCtx, id: string): Promise<void> {
  const { id: target, username } = await getSmtpCredential(ctx, id);
  await ctx.db.batch([
    ctx.db.prepare(DEACTIVATE).bind(target, ctx.now()),
    auditIfChangedStatement(ctx, { action: "smtp_credential.deactivated", target, detail: { username } }),
  ]);
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
}
