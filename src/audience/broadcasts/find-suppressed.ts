import type { Ctx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { AddressForms } from "../../platform/erased-addresses/forms.ts";
import { findLeftStatements } from "../../sending/topics/index.ts";

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
  const forms = new AddressForms(keys);
  const chunks = jsonChunks(forms.all.map((key) => JSON.stringify(key)));
  const statement = ctx.db.prepare(FIND);
  const results = await ctx.db.batch<{ email: string; reason?: string }>([
    ...(topic === null ? [] : findLeftStatements(ctx, workspace, topic, keys)),
    ...chunks.map((chunk) => statement.bind(workspace, chunk)),
  ]);
  const rows = results.flatMap(({ results: found }) =>
    found.map(({ email, reason = "unsubscribe" }) => ({ email: forms.addressOf(email), reason })),
  );
  // Of several reasons of an address, the strongest of the suppression list counts, which comes last.
  const rank = (reason: string) => (reason === "soft_bounces" ? 0 : reason === "unsubscribe" ? 1 : 2);
  const ordered = rows.toSorted((a, b) => rank(a.reason) - rank(b.reason));
  return new Map(ordered.map(({ email, reason }) => [email, reason === "unsubscribe" ? "unsubscribed" : "suppressed"]));
}
