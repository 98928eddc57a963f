import type { CallerCtx } from "../../access/caller.ts";
import { codes } from "./rules.ts";
import type { EligibilityOut } from "./schema.ts";
import { listTargets } from "./targets.ts";

/** Domains of an account are not limited (docs/contract/transfers.md#eligibility). */
const UNLIMITED = -1;

const COUNT = "SELECT count(*) AS domains FROM domains WHERE workspace = ?1";

/** Returns whether the caller could accept a transfer: whether it is owner or admin of a workspace. */
export async function findEligibility(ctx: CallerCtx): Promise<EligibilityOut> {
  const [targets, count] = await Promise.all([
    ctx.actor.domainIds ? [] : listTargets(ctx),
    ctx.db.findValue<number>(COUNT, ctx.workspace.number),
  ]);
  const isRefused = targets.length === 0;
  return {
    can_accept: !isRefused,
    code: isRefused ? "org_access_lost" : null,
    message: isRefused ? codes.org_access_lost[1] : null,
    current_domains: count ?? 0,
    domain_limit: UNLIMITED,
  };
}
