import { addressKey } from "../../../lib/addresses.ts";
import { notFound } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import type { Ctx } from "../../../platform/context.ts";
import { issueMagicLink } from "../magic-links/index.ts";
import { ANY_ADMIN } from "./start.ts";

// Reads accounts in the order of their ids until the first administrator, who usually is the first account. For operators only.
const FIND_ADMIN = `
  SELECT id, email FROM users
   WHERE is_platform_admin = 1 AND restricted_at IS NULL AND (?1 IS NULL OR email_key = ?1) ORDER BY id LIMIT 1`;

/**
 * Stores a sign-in link of the platform administrator with this address, or of the first one for ANY_ADMIN, with an entry in the audit log
 * of the platform. The caller has proved that it has a master key. The link works once, within 15 minutes, and asks for the second factor
 * like any other. Throws the same 404 when there is no such account, it is no platform administrator, or it is restricted.
 */
export async function createOperatorLink(
  ctx: Ctx,
  address: string,
  clientIp: string | null,
): Promise<{ email: string; url: string }> {
  const key = address === ANY_ADMIN ? null : addressKey(address);
  const admin = await ctx.db.findRow<{ id: string; email: string }>(FIND_ADMIN, key);
  if (!admin) throw notFound("Platform administrator");
  const { email } = admin;
  const { url, statement } = await issueMagicLink(ctx, { email, next: "/app", method: "operator" });
  const byOperator = { ...ctx, actor: null, workspace: null, clientIp };
  const entry = { action: "sign_in_link.created", target: admin.id, detail: { email } } as const;
  await ctx.db.batch([statement, auditStatement(byOperator, entry)]);
  return { email, url };
}
