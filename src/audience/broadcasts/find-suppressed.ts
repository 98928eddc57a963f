import type { Ctx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { AddressForms } from "../../platform/erased-addresses/forms.ts";
import { findLeftStatements } from "../../sending/topics/index.ts";
import type { SkipCause } from "./skip-reasons.ts";

// An address with soft bounces gets bulk mail again when one of its emails is delivered.
const FIND = `
  SELECT email, reason FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2))
  UNION ALL
  SELECT email, 'soft_bounces' FROM soft_bounces
   WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) AND listed_at IS NOT NULL`;

/** Of several causes, the last one counts. */
const ORDER: readonly SkipCause[] = ["soft_bounces", "topic", "unsubscribe", "manual", "bounce", "complaint"];

/** Returns why addresses are suppressed, or get no mail of the topic (its number, null: none), by address. One D1 call. */
export async function findSuppressed(
  ctx: Ctx,
  { workspace, topic }: { workspace: number; topic: number | null },
  keys: readonly string[],
): Promise<ReadonlyMap<string, SkipCause>> {
  if (keys.length === 0) return new Map();
  const forms = new AddressForms(keys);
  const chunks = jsonChunks(forms.all.map((key) => JSON.stringify(key)));
  const statement = ctx.db.prepare(FIND);
  const results = await ctx.db.batch<{ email: string; reason?: SkipCause }>([
    ...(topic === null ? [] : findLeftStatements(ctx, workspace, topic, keys)),
    ...chunks.map((chunk) => statement.bind(workspace, chunk)),
  ]);
  const rows = results.flatMap(({ results: found }) =>
    found.map(({ email, reason = "topic" }) => ({ email: forms.addressOf(email), reason })),
  );
  const ordered = rows.toSorted((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason));
  return new Map(ordered.map(({ email, reason }) => [email, reason]));
}
