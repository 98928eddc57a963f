import { invalidField, unavailable } from "../../lib/errors.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { addRecordsStatements, type Delegation, newDelegation, SLOTS } from "../zones/index.ts";
import { slotKeysOf } from "./advance-rotations.ts";
import { delegationOf } from "./delegated-records.ts";
import { generateSlotKey, type SlotKey, toSlotRecord } from "./dkim-keys.ts";
import type { DomainWithKeys } from "./queries.ts";
import { dmarcValue } from "./records.ts";

/** Seconds after which an operator may have added a zone. */
const RETRY_AFTER = 3_600;

/** Returns the names of a new delegated domain. Throws 422 when the deployment has no zones, 503 when none has room. */
export async function requireDelegation(ctx: Ctx): Promise<Delegation> {
  if (ctx.settings.delegatedZones.length === 0)
    throw invalidField("setup", "setup delegated is not offered by this service; use manual");
  const delegation = await newDelegation(ctx);
  if (!delegation) throw unavailable("No zone of the service has room for another delegated domain", RETRY_AFTER);
  return delegation;
}

/** Generates the keys of both slots, one after the other. */
export async function generateSlotKeys(ctx: Ctx, domainId: string, delegation: Delegation): Promise<SlotKey[]> {
  const keys: SlotKey[] = [];
  for (const slot of SLOTS) keys.push(await generateSlotKey(ctx, domainId, delegation, slot));
  return keys;
}

/** Returns the statements that order the records of a delegated domain in its zone; none for another domain. */
export function orderRecordsStatements(
  ctx: Ctx,
  { domain, keys }: Pick<DomainWithKeys, "domain" | "keys">,
): MainStatement[] {
  const delegation = delegationOf(domain);
  if (!delegation) return [];
  const records = slotKeysOf(keys).map(toSlotRecord);
  const dmarc = dmarcValue(ctx.settings, domain);
  return addRecordsStatements(ctx, { domainId: domain.id, delegation, keys: records, dmarc });
}
