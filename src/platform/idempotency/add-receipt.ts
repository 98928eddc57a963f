import { dayOf } from "../../lib/time.ts";
import type { WorkspaceCtx } from "../context.ts";
import type { Idempotency } from "./key.ts";

/** Replays that a stored response remembers: the newest ones. */
const MAX_RECEIPTS = 16;

const ADD_RECEIPT = `
  UPDATE idempotency_keys SET answer = json_set(answer, '$.receipts', json_insert(
      CASE WHEN json_array_length(answer, '$.receipts') >= ?7 THEN json_remove(answer->'$.receipts', '$[0]')
           ELSE coalesce(answer->'$.receipts', '[]') END,
      '$[#]', json_object('connection', ?4, 'sequence', ?5)))
   WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3)) AND answer->>'id' = ?6`;

/**
 * Records that a stored response was replayed to the connection of `idempotency.repeats`. Once the client of that has received
 * it, the next equal request is a new one, as for the connection of the first response. `id` is that of the response: the row
 * of another one is left alone.
 */
export async function addReceipt(ctx: WorkspaceCtx, { keys, repeats }: Idempotency, id: string): Promise<void> {
  if (!repeats) return;
  const { connection, sequence } = repeats;
  const values = [dayOf(ctx.now()), ctx.workspace.number, JSON.stringify(keys), connection, sequence, id, MAX_RECEIPTS];
  await ctx.mail.execute(ADD_RECEIPT, ...values);
}
