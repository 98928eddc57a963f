import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, guardedBatch, isUniqueViolation } from "../db/batch.ts";
import { conflict } from "../errors.ts";
import { checkDns } from "./check-dns.ts";
import { getDomainWithKeys } from "./queries.ts";
import { isTaken, saveDnsCheck } from "./save-dns-check.ts";
import { type DomainOut, toDomain } from "./schema.ts";

/**
 * Looks a domain up in DNS and verifies it when all required records are there (decisions 5). Without them a pending
 * domain stays pending and a verified one stays verified: only the daily check takes that away. Throws 404, and 409
 * when another workspace holds the name, or one above or below it, verified, or its keys were changed at that moment.
 */
export async function verifyDomain(ctx: CallerCtx, id: string): Promise<DomainOut> {
  const before = await getDomainWithKeys(ctx, id);
  const look = await checkDns(ctx, before);
  if (look.verdict === "unknown") return toDomain(ctx.settings, before);
  try {
    await guardedBatch(ctx.db, saveDnsCheck(ctx, before.domain, look));
  } catch (error) {
    if (!(error instanceof ConcurrencyError) && !isUniqueViolation(error)) throw error;
    // Deleted meanwhile: 404. Verified meanwhile by another look: that is what was asked for.
    const after = await getDomainWithKeys(ctx, id);
    if (after.domain.status === "verified") return toDomain(ctx.settings, after);
    throw conflict((await isTaken(ctx, after.domain)) ? TAKEN : CHANGED);
  }
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}

const TAKEN = "Another workspace has verified this domain, or one above or below it";
const CHANGED = "The domain was changed at the same moment; try again";
