import type { CallerCtx } from "../../access/caller.ts";
import { type DomainOut, getDomain, verifyDomain } from "../domains/index.ts";
import { evaluateHealth } from "./evaluate.ts";
import { type HealthOut, toHealth } from "./schema.ts";

/** Returns what is wrong with a domain of the caller's workspace, as the last evaluation found it. Throws 404. */
export const getHealth = async (ctx: CallerCtx, id: string): Promise<HealthOut> => toHealth(await getDomain(ctx, id));

/** Verifies a domain, and examines it unless DNS did not respond for a required record. Throws as `verifyDomain` does. */
export function verifyAndExamine(ctx: CallerCtx, id: string): Promise<DomainOut> {
  return verifyDomain(ctx, id, evaluateHealth);
}
