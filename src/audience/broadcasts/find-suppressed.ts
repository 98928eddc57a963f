import type { Ctx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";

// An address with soft bounces gets bulk mail again when one of its emails is delivered.
const FIND = `
  SELECT email, reason FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))
  UNION ALL
  SELECT email, 'soft_bounces' FROM soft_bounces
   WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND listed_at IS NOT NULL`;

/** Why a contact gets no email of a broadcast. */
export type SkipReason = "suppressed" | "unsubscribed" | "invalid";

/** Returns the reasons of those canonical addresses that the suppression list of a workspace has, in one D1 call. */
export async function findSuppressed(
  ctx: Ctx,
  workspace: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, SkipReason>> {
  if (keys.length === 0) return new Map();
  const chunks = jsonChunks(keys.map((key) => JSON.stringify(key)));
  const statement = ctx.db.prepare(FIND);
  const results = await ctx.db.batch<{ email: string; reason: string }>(
    chunks.map((chunk) => statement.bind(workspace, chunk)),
  );
  const rows = results.flatMap(({ results: found }) => found);
  // Of two reasons of an address, the one of the suppression list counts.
  const ordered = rows.toSorted((a, b) => Number(a.reason !== "soft_bounces") - Number(b.reason !== "soft_bounces"));
  return new Map(ordered.map(({ email, reason }) => [email, reason === "unsubscribe" ? "unsubscribed" : "suppressed"]));
}
