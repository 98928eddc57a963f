import type { CallerCtx } from "../../access/caller.ts";
import { isTimeZone } from "../../lib/local-time.ts";

/** Contacts whose metadata is read, the newest first. */
const SAMPLED = 200;

// The names of nearly all zones have a slash.
const FIND = `
  SELECT m.key AS field, max(m.value) AS zone
    FROM (SELECT metadata FROM contacts WHERE workspace = ?1 ORDER BY id DESC LIMIT ${SAMPLED}) c CROSS JOIN json_each(c.metadata) m
   WHERE m.type = 'text' AND m.value LIKE '%/%' GROUP BY m.key`;

/** Returns the metadata that names a time zone in the newest contacts of the workspace. */
export async function findZoneFields(ctx: CallerCtx): Promise<string[]> {
  const results = await ctx.mail.listRows<{ field: string; zone: string }>(FIND, ctx.workspace.number);
  return results.filter(({ zone }) => isTimeZone(zone.trim())).map(({ field }) => field);
}
