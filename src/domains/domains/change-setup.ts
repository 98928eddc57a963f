import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import type { MainStatement } from "../../platform/db/database.ts";
import { publishRecords, removeRecordsStatement } from "../zones/index.ts";
import { generateSlotKeys, orderRecordsStatements, requireDelegation } from "./delegate.ts";
import { generateDkimKeys, insertKeysStatement } from "./dkim-keys.ts";
import { type DomainRow, type DomainWithKeys, getDomain, getDomainWithKeys } from "./queries.ts";
import { dkimState } from "./rules.ts";
import { type DomainOut, type DomainPatch, toDomain } from "./schema.ts";

// Matches what was read, so that of two calls at once one changes the domain.
const SET = `
  UPDATE domains SET setup = ?3, zone = ?4, zone_token = ?5 WHERE id = ?1 AND workspace = ?2 AND setup = ?6 AND zone_token IS ?7`;
const DELETE_PENDING = `
  DELETE FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL AND (slot IS NOT NULL) = ?2`;

/**
 * Changes who publishes the records of a domain. The keys of today sign until a DNS check (verify, or the daily check) has found those
 * of the new set-up (docs/contract/domains.md#delegated-set-up). A change back before that keeps the keys that sign. Throws 404, 409 when
 * the domain was changed at the same moment, and as `requireDelegation` does.
 */
export async function changeSetup(ctx: CallerCtx, id: string, { setup }: DomainPatch): Promise<DomainOut> {
  const before = await getDomainWithKeys(ctx, id);
  if (before.domain.setup === setup) return toDomain(ctx.settings, before);
  const statements =
    setup === "delegated" ? await delegateStatements(ctx, before) : await undelegateStatements(ctx, before);
  try {
    await guardedBatch(ctx.db, [
      ...statements,
      auditStatement(ctx, { action: "domain.setup_changed", target: id, detail: { name: before.domain.name, setup } }),
    ]);
  } catch (error) {
    if (!(error instanceof ConcurrencyError)) throw error;
    await getDomain(ctx, id);
    throw conflict("The domain was changed by another request at the same moment; try again");
  }
  if (setup === "delegated") ctx.waitUntil?.(publishRecords(ctx, id));
  return toDomain(ctx.settings, await getDomainWithKeys(ctx, id));
}

async function delegateStatements(ctx: CallerCtx, { domain, keys }: DomainWithKeys): Promise<MainStatement[]> {
  const dropPending = ctx.db.prepare(DELETE_PENDING).bind(domain.id, 0);
  // The change to manual was not completed: both slots are as they were.
  if (keys.some((key) => key.slot !== null && dkimState(key) === "active"))
    return [...set(ctx, domain, { ...domain, setup: "delegated" }), dropPending];
  const { zone, token: zoneToken } = await requireDelegation(ctx);
  const after = { ...domain, setup: "delegated" as const, zone, zoneToken };
  const slotKeys = await generateSlotKeys(ctx, domain.id, { zone, token: zoneToken });
  return [
    ...set(ctx, domain, after),
    dropPending,
    removeRecordsStatement(ctx, domain.id),
    insertKeysStatement(ctx, slotKeys),
    ...orderRecordsStatements(ctx, { domain: after, keys: slotKeys }),
  ];
}

async function undelegateStatements(ctx: CallerCtx, { domain, keys }: DomainWithKeys): Promise<MainStatement[]> {
  const after = { ...domain, setup: "manual" as const };
  const hasManual = keys.some((key) => key.slot === null && dkimState(key) === "active");
  const hasSlot = keys.some((key) => key.slot !== null && dkimState(key) === "active");
  return [
    ...set(ctx, domain, after),
    // Keys in slots that have never signed are needed only for a way back.
    ...(hasSlot ? [] : [ctx.db.prepare(DELETE_PENDING).bind(domain.id, 1), removeRecordsStatement(ctx, domain.id)]),
    ...(hasManual ? [] : [insertKeysStatement(ctx, await generateDkimKeys(ctx, domain.id))]),
  ];
}

function set({ db }: CallerCtx, before: DomainRow, after: DomainRow): MainStatement[] {
  const { id, workspace, setup, zoneToken } = before;
  const change = db.prepare(SET).bind(id, workspace, after.setup, after.zone, after.zoneToken, setup, zoneToken);
  return [change, expectChanges(db, 1)];
}
