import { auditIfChangedStatement } from "../audit/index.ts";
import type { CallerCtx, Ctx } from "../context.ts";
import type { MainStatement } from "../db/database.ts";
import { getSmtpCredential } from "./queries.ts";

const DEACTIVATE = "UPDATE smtp_credentials SET deactivated_at = ?2, hash = NULL WHERE deactivated_at IS NULL AND";

/**
 * Deactivates an SMTP credential for good. Connections that use it are refused at their next MAIL FROM or message.
 * Deactivating again changes nothing. Throws 404.
 */
export async function deactivateSmtpCredential(ctx: CallerCtx, id: string): Promise<void> {
  const { id: target, username } = await getSmtpCredential(ctx, id);
  await ctx.db.batch([
    ctx.db.prepare(`${DEACTIVATE} id = ?1`).bind(target, ctx.now()),
    auditIfChangedStatement(ctx, { action: "smtp_credential.deactivated", target, detail: { username } }),
  ]);
}

/** Returns the statement that deactivates the SMTP credential of a domain, for the batch that changes its owner. */
export function deactivateOfDomainStatement({ db, now }: Ctx, domainId: string): MainStatement {
  return db.prepare(`${DEACTIVATE} domain_id = ?1`).bind(domainId, now());
}
