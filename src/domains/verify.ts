import type { CallerCtx } from "../context.ts";
import { guardedBatch, isUniqueViolation, LostRace } from "../db/batch.ts";
import { conflict } from "../errors.ts";
import { keepLook } from "./keep-look.ts";
import { lookAtDomain } from "./look.ts";
import { getDomainWithKeys } from "./queries.ts";
import { type DomainOut, toDomain } from "./schema.ts";

/**
 * Looks a domain up in DNS and verifies it when all required records are there (decisions 5). Without them a pending
 * domain stays pending and a verified one stays verified: only the daily check takes that away. Throws 404, and 409
 * when another workspace holds the name, or one above or below it, verified.
 */
export async function verifyDomain(ctx: CallerCtx, id: string): Promise<DomainOut> {
  const before = await getDomainWithKeys(ctx, id);
  const look = await lookAtDomain(ctx, before);
  if (look.verdict === "unknown") return toDomain(ctx.settings, before);
  try {
    await guardedBatch(ctx.db, keepLook(ctx, before.domain, look));
  } catch (error) {
    if (!(error instanceof LostRace) && !isUniqueViolation(error)) throw error;
    // Deleted meanwhile: 404. Keys or status changed meanwhile, or somebody else owns the name: 409.
    const { domain } = await getDomainWithKeys(ctx, id);
    const isOwners = domain.status === "verified";
    throw conflict(isOwners ? "The domain was changed at the same moment; try again" : TAKEN);
  }
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}

const TAKEN = "Another workspace has verified this domain, or one above or below it";
