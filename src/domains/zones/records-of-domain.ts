import type { Ctx, MainStatement } from "../../platform/context.ts";
import { policyIdStatements } from "./policy-id.ts";
import { CLAIM_MS } from "./rules.ts";
import { sharedRecords } from "./shared-records.ts";
import { type Delegation, dkimTarget, dmarcTarget, type Slot } from "./targets.ts";

/** The key of a slot, and the record that publishes it. */
export interface SlotRecord {
  slot: Slot;
  keyId: string;
  value: string;
}

// A record that is shared has no domain. One that is as it was keeps its state. A run may still write the value before: its claim ends
// first, or the value before would come into the zone last, and stay.
const PUT = `
  INSERT INTO zone_records (name, type, zone, value, priority, is_proxied, domain_id, key_id, due_at)
  SELECT value->>'name', value->>'type', value->>'zone', value->>'value', value->>'priority', ifnull(value->>'isProxied', 0),
         value->>'domainId', value->>'keyId', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET value = excluded.value, priority = excluded.priority, is_proxied = excluded.is_proxied,
    key_id = excluded.key_id, due_at = max(excluded.due_at, min(ifnull(due_at, 0), excluded.due_at + ${CLAIM_MS})), written_at = NULL, confirmed_at = NULL, attempts = 0, is_removed = 0,
    remove_at = NULL
   WHERE value <> excluded.value OR priority IS NOT excluded.priority OR is_proxied <> excluded.is_proxied OR is_removed = 1`;

const COUNT = `
  INSERT INTO zones (name, records) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET records = records + ?2`;

const ORPHAN = `
  UPDATE zone_records SET domain_id = NULL, is_removed = 1, due_at = 0, attempts = 0 WHERE domain_id = ?1`;

/** Returns the statements that order the records of a new delegated domain, and the shared ones if they are not there. */
export function addRecordsStatements(
  ctx: Ctx,
  {
    domainId,
    delegation,
    keys,
    dmarc,
  }: { domainId: string; delegation: Delegation; keys: readonly SlotRecord[]; dmarc: string },
): MainStatement[] {
  const { zone } = delegation;
  const records = [
    ...keys.map((key) => slotRecord(domainId, delegation, key)),
    dmarcRecord(domainId, delegation, dmarc),
  ];
  return [put(ctx, records), ctx.db.prepare(COUNT).bind(zone, records.length), ...sharedRecordsStatements(ctx)];
}

/** Returns the statement that orders another key at the target of a slot. */
export const replaceKeyStatement = (ctx: Ctx, domainId: string, delegation: Delegation, key: SlotRecord) =>
  put(ctx, [slotRecord(domainId, delegation, key)]);

/** Returns the statement that orders another DMARC record of a domain. */
export const replaceDmarcStatement = (ctx: Ctx, domainId: string, delegation: Delegation, value: string) =>
  put(ctx, [dmarcRecord(domainId, delegation, value)]);

/** Returns the statements that order the shared records: upserts of a few rows, which change nothing when they are there. */
export function sharedRecordsStatements(ctx: Ctx): MainStatement[] {
  return [put(ctx, sharedRecords(ctx.settings)), ...policyIdStatements(ctx)];
}

/** Returns the statement that has the records of a domain removed after REMOVAL_MS. Deleting a domain does it by a trigger. */
export function removeRecordsStatement({ db }: Ctx, domainId: string): MainStatement {
  return db.prepare(ORPHAN).bind(domainId);
}

/** Returns the statement that has the records of a domain written again, as they are. */
export function republishStatement(ctx: Ctx, domainId: string): MainStatement {
  const again = "UPDATE zone_records SET due_at = ?2 WHERE domain_id = ?1 AND due_at IS NULL";
  return ctx.db.prepare(again).bind(domainId, ctx.now());
}

const put = ({ db, now }: Ctx, records: readonly object[]) => db.prepare(PUT).bind(JSON.stringify(records), now());

const textRecord = (domainId: string, { zone }: Delegation, name: string, value: string) => ({
  name,
  type: "TXT",
  zone,
  value,
  domainId,
});

const dmarcRecord = (domainId: string, delegation: Delegation, value: string) =>
  textRecord(domainId, delegation, dmarcTarget(delegation), value);

const slotRecord = (domainId: string, delegation: Delegation, { slot, keyId, value }: SlotRecord) => ({
  ...textRecord(domainId, delegation, dkimTarget(delegation, slot), value),
  keyId,
});
