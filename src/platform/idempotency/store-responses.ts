import type { MailStatement, WorkspaceCtx } from "../context.ts";
import { expectChanges } from "../db/batch.ts";
import type { Idempotency } from "./key.ts";
import { fingerprintOf } from "./responses.ts";
import { dayOf, RESPONSE_TTL_MS } from "./rules.ts";

/** The response to one of several requests that are committed together. */
export interface KeyedResponse {
  idempotency: Idempotency;
  response: unknown;
}

// As DELETE_RESPONSE of responses.ts, for each item that has a connection.
const DELETE_RESPONSES = `
  DELETE FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2
    AND key IN (SELECT k.value FROM json_each(?3) i, json_each(i.value, '$.keys') k WHERE i.value->>'connection' IS NOT NULL)
    AND EXISTS (
      SELECT 1 FROM json_each(?3) i, json_each(i.value, '$.keys') k
       WHERE k.value = idempotency_keys.key AND i.value->>'connection' IS NOT NULL
         AND (created_at <= i.value->>'expired'
           OR (answer->>'connection' = i.value->>'connection' AND answer->>'sequence' < i.value->>'sequence')
           OR EXISTS (SELECT 1 FROM json_each(idempotency_keys.answer, '$.receipts') r
                       WHERE r.value->>'connection' = i.value->>'connection'
                         AND r.value->>'sequence' < i.value->>'sequence')))`;

// As INSERT_RESPONSE. Two items with one key are one row, so the count of the changes fails.
const INSERT_RESPONSES = `
  INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at)
  SELECT ?1, ?2, i.value->>'$.keys[0]', i.value->>'fingerprint', i.value->>'answer', ?4 FROM json_each(?3) i
   WHERE NOT EXISTS (
    SELECT 1 FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2
       AND key IN (SELECT value FROM json_each(i.value, '$.keys')) AND created_at > i.value->>'expired')
  ON CONFLICT DO NOTHING`;

/**
 * Returns the statements that store the responses of several requests of one caller, as `storeMailResponse` does for one,
 * for the batch of the writes to the mail database that they report. When a key was used before, or twice among them, the
 * batch rolls back with ConcurrencyError. The number of statements does not depend on the number of requests.
 */
export function storeMailResponses(ctx: WorkspaceCtx, responses: readonly KeyedResponse[]): MailStatement[] {
  const [db, now] = [ctx.mail, ctx.now()];
  const items = responses.map(({ idempotency, response }) => ({
    keys: idempotency.keys,
    fingerprint: fingerprintOf(ctx, idempotency),
    answer: JSON.stringify(response),
    expired: now - (idempotency.repeats?.ttlMs ?? RESPONSE_TTL_MS),
    connection: idempotency.repeats?.connection,
    sequence: idempotency.repeats?.sequence,
  }));
  const values = [dayOf(now), ctx.workspace.number, JSON.stringify(items)];
  return [
    db.prepare(DELETE_RESPONSES).bind(...values),
    db.prepare(INSERT_RESPONSES).bind(...values, now),
    expectChanges(db, items.length),
  ];
}
