import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { auditWhereStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { ConcurrencyError, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { advanceHostsOf, hostStatements } from "../hosts/index.ts";
import { publishRecords } from "../zones/index.ts";
import { checkDns } from "./check-dns.ts";
import { isTaken, overtakeStatements } from "./overtake.ts";
import { type DomainRow, type DomainWithKeys, getDomainWithKeys } from "./queries.ts";
import type { Examine } from "./recheck.ts";
import { isReservedName } from "./sandbox.ts";
import { hasConflict, saveDnsCheck } from "./save-dns-check.ts";
import { type DomainOut, toDomain } from "./schema.ts";
import { becomes, statusEventStatements } from "./webhook-events.ts";

/**
 * Checks the DNS records of a domain and verifies it when all required records are correct
 * (docs/contract/domains.md#verification). `examine` runs after a check that DNS responded to. Otherwise the status does not change: only the daily check ends a verification.
 * Names below it that other workspaces have verified become `failed`. A test domain of the service is not checked. Throws 404, and 409 when another workspace has verified
 * the name or one above it, or when the domain's keys were changed at the same moment.
 */
export async function verifyDomain(ctx: CallerCtx, id: string, examine: Examine): Promise<DomainOut> {
  const before = await getPublished(ctx, id);
  if (before.domain.isSandbox) return toDomain(ctx.settings, before);
  if (isReservedName(ctx.settings, before.domain.name)) throw conflict(TAKEN);
  const check = await checkDns(ctx, before);
  if (check.verdict === "temperror") return toDomain(ctx.settings, before);
  const isPassed = check.verdict === "pass";
  const isVerified = isPassed || before.domain.status === "verified";
  const save = (statements: MainStatement[] = []) =>
    guardedBatch(ctx.db, [
      ...statements,
      ...(isPassed ? [auditVerification(ctx, before.domain)] : []),
      ...(isPassed ? statusEventStatements(ctx, "verified", null, becomes(before.domain, "verified")) : []),
      ...saveDnsCheck(ctx, before.domain, check),
      ...hostStatements(ctx, before.domain, { statuses: check.statuses, hosts: before.hosts, isVerified }),
    ]);
  try {
    await save();
  } catch (error) {
    if (!(error instanceof ConcurrencyError) && !isUniqueViolation(error)) throw error;
    // Throws 404 when the domain was deleted meanwhile. When a concurrent call verified it, this call succeeds too.
    const after = await getDomainWithKeys(ctx, id);
    if (after.domain.status === "verified") return toDomain(ctx.settings, after);
    if (await isTaken(ctx, after.domain)) throw conflict(TAKEN);
    if (!(await hasConflict(ctx, after.domain))) throw conflict(CHANGED);
    await overtake(() => save(overtakeStatements(ctx, after.domain)));
  }
  await advanceHostsOf(ctx, before.domain.id);
  await examine(ctx, await getDomainWithKeys(ctx, id), before.domain.status !== "pending");
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}

/** Returns a domain; publishes its keys, without waiting for the DNS API, when the run after its registration did not. */
async function getPublished(ctx: CallerCtx, id: string): Promise<DomainWithKeys> {
  const found = await getDomainWithKeys(ctx, id);
  const { setup } = found.domain;
  if (setup === "delegated" && found.keys.some(({ slot, publishedAt }) => slot !== null && publishedAt === null))
    ctx.waitUntil?.(publishRecords(ctx, found.domain.id));
  return found;
}

/** Runs a batch that overtakes names below. Throws 409 when the domain was changed at the same moment. */
async function overtake(save: () => Promise<unknown>): Promise<void> {
  try {
    await save();
  } catch (error) {
    if (error instanceof ConcurrencyError || isUniqueViolation(error)) throw conflict(CHANGED);
    throw error;
  }
}

/** Runs before the status changes, so that of several calls at once only the one that verifies the domain is recorded. */
function auditVerification(ctx: CallerCtx, { id, name }: DomainRow): MainStatement {
  const isPending = "EXISTS (SELECT 1 FROM domains WHERE id = ?10 AND status <> 'verified')";
  return auditWhereStatement(ctx, { action: "domain.verified", target: id, detail: { name } }, isPending);
}

const TAKEN = "Another workspace has verified this domain, or one above it";
const CHANGED = "The domain was changed by another request at the same moment; try again";
