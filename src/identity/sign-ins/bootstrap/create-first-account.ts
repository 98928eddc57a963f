import type { Address } from "../../../lib/addresses.ts";
import { conflict } from "../../../lib/errors.ts";
import { auditInNewWorkspaceStatement } from "../../../platform/audit/record.ts";
import type { Ctx } from "../../../platform/context.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../../platform/db/batch.ts";
import { newWorkspace } from "../../workspaces/index.ts";
import { FIND_USER } from "../complete.ts";
import { createMagicLink } from "../magic-links/index.ts";

const INSERT_USER = "INSERT OR IGNORE INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?3, ?4)";
const MAKE_ADMIN = `
  UPDATE users SET is_platform_admin = 1
   WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM users WHERE is_platform_admin = 1)`;

/**
 * Makes the first platform admin of a deployment, with an account and a workspace if it has none. Returns a sign-in link.
 * Throws 409 when the deployment has a platform admin; of concurrent calls one succeeds.
 */
export async function createFirstAccount(ctx: Ctx, address: Address): Promise<string> {
  const found = await ctx.db.findRow<{ id: string; workspace_id: string | null }>(FIND_USER, address.key);
  const userId = found?.id ?? ctx.newId();
  const name = address.domain;
  const workspace = found?.workspace_id ? null : await newWorkspace(ctx, { name, ownerId: userId });
  const byService = { ...ctx, actor: null, workspace: null, clientIp: null };
  const created = workspace && ({ action: "workspace.created", target: workspace.id, detail: { name } } as const);
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT_USER).bind(userId, address.address, address.key, ctx.now()),
    ctx.db.prepare(MAKE_ADMIN).bind(userId),
    expectChanges(ctx.db, 1),
    ...(workspace?.statements ?? []),
    ...(created ? [auditInNewWorkspaceStatement(byService, created)] : []),
  ]).catch(
    onConcurrency(() =>
      conflict("This deployment already has its first account; npm run admin -- sign-in-link makes a new link for it"),
    ),
  );
  return createMagicLink(ctx, { email: address.address, next: "/app", method: "bootstrap" });
}
