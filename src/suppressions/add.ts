import type { CallerCtx } from "../context.ts";
import { guardedBatch } from "../db/batch.ts";
import { mailDb } from "../db/client.ts";
import { unprocessable } from "../errors.ts";
import { keepAnswer } from "../idempotency/index.ts";
import { parseAddress } from "../lib/addresses.ts";
import { listSuppressions } from "./queries.ts";
import { type SuppressionIn, type SuppressionOut, toSuppression } from "./schema.ts";
import { suppressStatement } from "./suppress.ts";

/**
 * Puts an address on the workspace's list. One that is there keeps its reason, unless that was an unsubscribe and
 * the new one binds all mail. `isNew` is false when it was there. Throws 422 for what is no address.
 */
export async function addSuppression(
  ctx: CallerCtx,
  { email, reason }: SuppressionIn,
): Promise<{ isNew: boolean; suppression: SuppressionOut }> {
  const parsed = parseAddress(email);
  if (!parsed) {
    throw unprocessable([{ loc: ["body", "email"], msg: "Not a valid email address", type: "value_error" }]);
  }
  const { number } = ctx.workspace;
  const [before] = await listSuppressions(ctx, { email: parsed.key, page: 0, limit: 1 });
  const isStronger = before?.reason === "unsubscribe" && reason !== "unsubscribe";
  const row = before && !isStronger ? before : { workspace: number, email: parsed.key, reason, createdAt: ctx.now() };
  const suppression = toSuppression(row);
  await guardedBatch(mailDb(ctx), [
    suppressStatement(ctx, [{ workspace: number, email: parsed.key, reason }]),
    ...keepAnswer(ctx, suppression),
  ]);
  return { isNew: !before, suppression };
}
