import { hex } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { FULL_ZONE_MS, RECORDS_PER_DOMAIN, RESERVED_RECORDS } from "./rules.ts";
import type { Delegation } from "./targets.ts";

/**
 * Returns the names that a new delegated domain gets: those of the first of the zones with room, and a new token. Null: no zone has
 * room, or there is none. One read of at most MAX_ZONES rows.
 */
export async function newDelegation(ctx: Ctx, zones = ctx.settings.delegatedZones): Promise<Delegation | null> {
  const find = "SELECT name, records, full_at FROM zones";
  const results = await ctx.db.listRows<{ name: string; records: number; full_at: number | null }>(find);
  const used = new Map(results.map((row) => [row.name, row]));
  const zone = zones.find(({ name, maxRecords }) => {
    const { records, full_at: fullAt } = used.get(name) ?? { records: 0, full_at: null };
    const wasFull = fullAt !== null && fullAt > ctx.now() - FULL_ZONE_MS;
    return !wasFull && records + RECORDS_PER_DOMAIN + RESERVED_RECORDS <= maxRecords;
  });
  return zone ? { zone: zone.name, token: hex(crypto.getRandomValues(new Uint8Array(20))) } : null;
}
