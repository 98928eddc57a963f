import type { CallerCtx } from "../../access/caller.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { nextPolicy, policyOf, setPolicyStatement } from "../hosts/index.ts";
import { bumpPolicyIdStatement, publishRecords, replaceDmarcStatement } from "../zones/index.ts";
import { setupStatements } from "./change-setup.ts";
import { delegationOf } from "./delegated-records.ts";
import { type DomainRow, type DomainWithKeys, getDomain, getDomainWithKeys } from "./queries.ts";
import { dmarcValue } from "./records.ts";
import { type DomainOut, type DomainPatch, toDomain } from "./schema.ts";

/**
 * Changes who publishes the records of a domain, whether it receives mail here, the DMARC policy of a delegated one, or the mode of its MTA-STS policy, in one transaction. Throws 404, 409 for a test domain of the service and when the
 * domain was changed at the same moment, 422 for the policy of a domain whose record is the customer's own, and as `setupStatements` and `modeStatements` do.
 */
export async function updateDomain(ctx: CallerCtx, id: string, patch: DomainPatch): Promise<DomainOut> {
  const before = await getDomainWithKeys(ctx, id);
  const { domain } = before;
  if (domain.isSandbox) throw conflict("A test domain of the service cannot be changed");
  const { after, statements } = await setupStatements(ctx, before, patch.setup ?? domain.setup);
  const all = [
    ...statements,
    ...policyStatements(ctx, after, patch.dmarc_policy),
    ...receivesStatements(ctx, domain, patch.receives),
    ...modeStatements(ctx, before, patch.mta_sts),
  ];
  if (all.length === 0) return toDomain(ctx.settings, before);
  try {
    await guardedBatch(ctx.db, all);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    await getDomain(ctx, id);
    throw conflict("The domain was changed by another request at the same moment; try again");
  }
  if (after.setup === "delegated") ctx.waitUntil?.(publishRecords(ctx, id));
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}

/** Returns the statements that store whether mail shall be received here. */
function receivesStatements(
  ctx: CallerCtx,
  { id, name, workspace, receives: before }: DomainRow,
  receives: DomainPatch["receives"],
): readonly MainStatement[] {
  if (receives === undefined || receives === before) return [];
  return [
    ctx.db
      .prepare("UPDATE domains SET receives = ?3 WHERE id = ?1 AND workspace = ?2")
      .bind(id, workspace, receives === null ? null : Number(receives)),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "domain.receives_changed", target: id, detail: { name, receives } }),
  ];
}

// Matches what was read, so that of two calls at once one changes the policy.
const SET_POLICY = `
  UPDATE domains SET dmarc_policy = ?3 WHERE id = ?1 AND workspace = ?2 AND setup = 'delegated' AND dmarc_policy = ?4`;

/** Returns the statements that publish another DMARC policy in the zone of a domain. */
function policyStatements(ctx: CallerCtx, domain: DomainRow, policy: DomainPatch["dmarc_policy"]) {
  if (policy === undefined) return [];
  const delegation = delegationOf(domain);
  if (domain.setup !== "delegated" || !delegation) {
    const problem = `dmarc_policy is for delegated domains; change the record at _dmarc.${domain.name} yourself`;
    throw invalidField("dmarc_policy", problem);
  }
  if (policy === domain.dmarcPolicy) return [];
  const { db, settings } = ctx;
  const { id, name, workspace, dmarcPolicy } = domain;
  return [
    db.prepare(SET_POLICY).bind(id, workspace, policy, dmarcPolicy),
    expectChanges(db, 1),
    replaceDmarcStatement(ctx, id, delegation, dmarcValue(settings, { id, dmarcPolicy: policy })),
    auditStatement(ctx, {
      action: "domain.dmarc_policy_changed",
      target: id,
      detail: { name, dmarc_policy: policy, before: dmarcPolicy },
    }),
  ];
}

/**
 * Returns the statements that change the mode of the MTA-STS policy of a domain (docs/contract/domains.md#mta-sts); none when it has this
 * mode. Throws 409 when the domain has no policy, or no host that serves it.
 */
function modeStatements(ctx: CallerCtx, { domain, hosts }: DomainWithKeys, mode: "testing" | "enforce" | undefined) {
  if (mode === undefined) return [];
  const found = policyOf(hosts);
  if (!found) throw conflict("The domain has no MTA-STS policy yet; publish its MTA-STS records and check them first");
  const { host, state: from } = found;
  const to = nextPolicy(from, mode);
  if (!to) throw conflict("The MX records of the domain do not lead here; correct them and check the records first");
  if (to.mode === from.mode && to.isHeld === from.isHeld) return [];
  if (mode === "enforce" && host.status !== "active")
    throw conflict(`The host ${host.name} is not active, so no mail system can fetch the policy`);
  const detail = { name: domain.name, from: from.mode, to: to.mode };
  return [
    setPolicyStatement(ctx, domain, { host, from, to }),
    expectChanges(ctx.db, 1),
    ...(to.mode === from.mode ? [] : [bumpPolicyIdStatement(ctx, domain.id)]),
    auditStatement(ctx, { action: "domain.mta_sts_changed", target: domain.id, detail }),
  ];
}
