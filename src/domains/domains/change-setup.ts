import type { CallerCtx } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";
import { removeRecordsStatement } from "../zones/index.ts";
import { generateSlotKeys, orderRecordsStatements, requireDelegation } from "./delegate.ts";
import { generateDkimKeys, insertKeysStatement } from "./dkim-keys.ts";
import type { DomainRow, DomainWithKeys } from "./queries.ts";
import { dkimState } from "./rules.ts";

// Matches what was read, so that of two calls at once one changes the domain.
const SET = `
  UPDATE domains SET setup = ?3, zone = ?4, zone_token = ?5 WHERE id = ?1 AND workspace = ?2 AND setup = ?6 AND zone_token IS ?7`;
const DELETE_PENDING = `
  DELETE FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL AND (slot IS NOT NULL) = ?2`;

/**
 * Returns the statements that change who publishes the records of a domain, and its row after them; none when it has that set-up. The keys
 * of today sign until a DNS check (verify, or the daily check) has found those of the new set-up
 * (docs/contract/domains.md#delegated-set-up). A change back before that keeps the keys that sign. Throws as `requireDelegation` does.
 */
export async function setupStatements(
  ctx: CallerCtx,
  before: DomainWithKeys,
  setup: DomainRow["setup"],
): Promise<Change> {
  const { domain } = before;
  if (domain.setup === setup) return { after: domain, statements: [] };
  const { after, statements } =
    setup === "delegated" ? await delegateStatements(ctx, before) : await undelegateStatements(ctx, before);
  const detail = { name: domain.name, setup };
  const audit = auditStatement(ctx, { action: "domain.setup_changed", target: domain.id, detail });
  return { after, statements: [...statements, audit] };
}

interface Change {
  after: DomainRow;
  statements: readonly MainStatement[];
}

async function delegateStatements(ctx: CallerCtx, { domain, keys }: DomainWithKeys): Promise<Change> {
  const dropPending = ctx.db.prepare(DELETE_PENDING).bind(domain.id, 0);
  // The change to manual was not completed: both slots are as they were.
  if (keys.some((key) => key.slot !== null && dkimState(key) === "active")) {
    const back = { ...domain, setup: "delegated" as const };
    return { after: back, statements: [...set(ctx, domain, back), dropPending] };
  }
  const { zone, token: zoneToken } = await requireDelegation(ctx);
  const after = { ...domain, setup: "delegated" as const, zone, zoneToken };
  const slotKeys = await generateSlotKeys(ctx, domain.id, { zone, token: zoneToken });
  return {
    after,
    statements: [
      ...set(ctx, domain, after),
      dropPending,
      removeRecordsStatement(ctx, domain.id),
      insertKeysStatement(ctx, slotKeys),
      ...orderRecordsStatements(ctx, { domain: after, keys: slotKeys }),
    ],
  };
}

async function undelegateStatements(ctx: CallerCtx, { domain, keys }: DomainWithKeys): Promise<Change> {
  const after = { ...domain, setup: "manual" as const };
  const hasManual = keys.some((key) => key.slot === null && dkimState(key) === "active");
  const hasSlot = keys.some((key) => key.slot !== null && dkimState(key) === "active");
  const drop = () => [ctx.db.prepare(DELETE_PENDING).bind(domain.id, 1), removeRecordsStatement(ctx, domain.id)];
  return {
    after,
    statements: [
      ...set(ctx, domain, after),
      // Keys in slots that have never signed are needed only for a way back.
      ...(hasSlot ? [] : drop()),
      ...(hasManual ? [] : [insertKeysStatement(ctx, await generateDkimKeys(ctx, domain.id))]),
    ],
  };
}

function set({ db }: CallerCtx, before: DomainRow, after: DomainRow): MainStatement[] {
  const { id, workspace, setup, zoneToken } = before;
  const change = db.prepare(SET).bind(id, workspace, after.setup, after.zone, after.zoneToken, setup, zoneToken);
  return [change, expectChanges(db, 1)];
}
