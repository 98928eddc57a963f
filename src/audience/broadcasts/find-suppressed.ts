import type { Ctx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { findLeftStatement } from "../../sending/topics/index.ts";

// An address with soft bounces gets bulk mail again when one of its emails is delivered.
const FIND = `
  SELECT email, reason FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))
  UNION ALL
  SELECT email, 'soft_bounces' FROM soft_bounces
   WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND listed_at IS NOT NULL`;

/** Why a contact gets no email of a broadcast. */
export type SkipReason = "suppressed" | "unsubscribed" | "invalid" | "pending";

/**
 * Returns the reasons of those canonical addresses that the suppression list of a workspace has, or who get no mail of the topic (its
 * number, null: none), in one D1 call.
 */
export async function findSuppressed(
  ctx: Ctx,
  { workspace, topic }: { workspace: number; topic: number | null },
  keys: readonly string[],
): Promise<ReadonlyMap<string, SkipReason>> {
  if (keys.length === 0) return new Map();
  const chunks = jsonChunks(keys.map((key) => JSON.stringify(key)));
  const statement = ctx.db.prepare(FIND);
  const results = await ctx.db.batch<{ email: string; reason?: string }>([
    ...(topic === null ? [] : chunks.map((chunk) => findLeftStatement(ctx, workspace, topic, chunk))),
    ...chunks.map((chunk) => statement.bind(workspace, chunk)),
  ]);
  const rows = results.flatMap(({ results: found }) =>
    found.map(({ email, reason = "unsubscribe" }) => ({ email, reason })),
  );
  // Of two reasons of an address, the one of the suppression list counts, which comes last.
  const ordered = rows.toSorted((a, b) => Number(a.reason !== "soft_bounces") - Number(b.reason !== "soft_bounces"));
  return new Map(ordered.map(({ email, reason }) => [email, reason === "unsubscribe" ? "unsubscribed" : "suppressed"]));
}
