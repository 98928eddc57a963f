import type { Ctx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";

const FIND =
  "SELECT email, reason FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))";

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
  return new Map(rows.map(({ email, reason }) => [email, reason === "unsubscribe" ? "unsubscribed" : "suppressed"]));
}
