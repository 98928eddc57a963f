import type { CallerCtx } from "../../../access/caller.ts";
import { findDomainWithKeys } from "../../../domains/domains/index.ts";
import { ownPolicyStatements } from "../../../domains/hosts/index.ts";
import { notFound } from "../../../lib/errors.ts";
import { notifyOwnersStatements } from "../../../notices/notifications/index.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../../platform/db/batch.ts";
import { listDomainClaims } from "./queries.ts";

const END = "UPDATE domains SET status = 'failed', next_check_at = NULL WHERE id = ?1 AND status = 'verified'";

/**
 * Ends the verification of a domain: it becomes `failed`, sends nothing more, and another workspace can verify the name. The workspace that
 * loses it is notified, and can verify it again only with its records in the DNS. Its MTA-STS policy ends with it, since its MX records are
 * not checked any more. Throws 404 when no workspace has verified this name.
 */
export async function endDomainClaim(ctx: CallerCtx, name: string): Promise<void> {
  const claim = (await listDomainClaims(ctx, name)).find((found) => found.name === name);
  if (!claim) throw notFound("Verified domain");
  const { domain_id: target, workspace: number } = claim;
  const notice = {
    category: "alerts",
    severity: "error",
    title: `${name} can no longer send`,
    body: "The platform ended its verification. Verify the domain again if it is yours.",
    href: `/domains/${target}`,
  } as const;
  const found = await findDomainWithKeys(ctx, target);
  await guardedBatch(ctx.db, [
    ctx.db.prepare(END).bind(target),
    expectChanges(ctx.db, 1),
    auditStatement({ ...ctx, workspace: { number } }, { action: "domain.claim_ended", target, detail: { name } }),
    ...(found ? ownPolicyStatements(ctx, found.domain, { hosts: found.hosts, event: "mx_lost" }) : []),
    ...notifyOwnersStatements(ctx, number, notice),
  ]).catch(onConcurrency(() => notFound("Verified domain")));
}
