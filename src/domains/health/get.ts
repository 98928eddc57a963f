import type { CallerCtx } from "../../access/caller.ts";
import {
  type DomainOut,
  type DomainRow,
  getDomain,
  getDomainWithKeys,
  toDomain,
  verifyDomain,
} from "../domains/index.ts";
import { evaluateHealth } from "./evaluate.ts";
import { type HealthOut, toHealth } from "./schema.ts";

/** Returns what is wrong with a domain of the caller's workspace, as the last evaluation found it. Throws 404. */
export async function getHealth(ctx: CallerCtx, id: string): Promise<HealthOut> {
  return toHealth(await getDomain(ctx, id));
}

/** Verifies a domain as `verifyDomain` does, and examines it. Throws as `verifyDomain` does. */
export async function verifyAndExamine(ctx: CallerCtx, id: string): Promise<DomainOut> {
  const before: DomainRow = await getDomain(ctx, id);
  await verifyDomain(ctx, id);
  await evaluateHealth(ctx, await getDomainWithKeys(ctx, id), before.status !== "pending");
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}
