import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import { nextPolicy, policyOf, setPolicyStatement } from "../hosts/index.ts";
import { bumpPolicyIdStatement } from "../zones/index.ts";
import type { DomainWithKeys } from "./queries.ts";

/**
 * Returns the statements that change the mode of the MTA-STS policy of a domain (docs/contract/domains.md#mta-sts); none when it has this
 * mode. Throws 409 when the domain has no policy, or no host that serves it.
 */
export function modeStatements(
  ctx: CallerCtx,
  { domain, hosts }: DomainWithKeys,
  mode: "testing" | "enforce" | undefined,
): readonly MainStatement[] {
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
