import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { iso } from "../../lib/time.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { checkKey, slotKeysOf, switchStatements } from "./advance-rotations.ts";
import type { DomainWithKeys } from "./queries.ts";
import { nextStep } from "./rotation-rules.ts";
import { type DomainOut, toDomain } from "./schema.ts";

/**
 * Lets the other key of a delegated domain sign from now on. Throws 409 when its record is not published long enough, or DNS does not
 * show it, and ConcurrencyError when the keys were changed at the same moment.
 */
export async function rotateDelegated(ctx: CallerCtx, { domain, keys, hosts }: DomainWithKeys): Promise<DomainOut> {
  const now = ctx.now();
  const step = nextStep(slotKeysOf(keys), now, true);
  if (step.kind === "none") throw conflict("No key of this domain signs yet; verify the domain first");
  if (step.kind === "wait") throw conflict(`The next key can sign from ${iso(step.until)} on, when resolvers know it`);
  if (step.kind === "replace") throw conflict("The next key is being made; try again in some days");
  if ((await checkKey(ctx, { domain, keys }, step.to)) !== "verified")
    throw conflict(`DNS does not have the key of ${step.to.selector}; publish its CNAME first`);
  const rotated = keys.map((key) => {
    if (key.id === step.to.id) return { ...key, activatedAt: now };
    return key.id === step.from.id ? { ...key, retiredAt: now } : key;
  });
  const response = toDomain(ctx.settings, { domain, keys: rotated, hosts });
  await guardedBatch(ctx.db, [
    ...switchStatements(ctx, domain, step),
    auditStatement(ctx, { action: "domain.dkim_rotated", target: domain.id, detail: { name: domain.name } }),
    ...(await storeResponse(ctx, response)),
  ]);
  return response;
}
