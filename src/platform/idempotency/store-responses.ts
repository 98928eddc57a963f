import { dayOf } from "../../lib/time.ts";
import type { MailCtx, MailStatement, WorkspaceCtx } from "../context.ts";
import { toStored } from "./large-responses.ts";
import { fingerprintOf } from "./responses.ts";
import { RESPONSE_TTL_MS } from "./rules.ts";

/** The response to a request that accepts emails, as its row will have it. Times in ms since 1970. */
export interface KeyedResponse {
  keys: readonly string[];
  fingerprint: string;
  answer: string;
  day: number;
  createdAt: number;
  /** Responses that were stored until this time are no longer replayed. */
  expiredAt: number;
  /** As `repeats` of Idempotency. */
  connection?: string;
  sequence?: number;
}

/** A stored response with the first of the emails that it is about, as SQL has it in the JSON object `c.value`. */
export type KeyedEmail = Partial<KeyedResponse> & { workspace: number; email: string | undefined };

/** Returns the response of the caller's request, a large one after its object in R2; null without an Idempotency-Key. */
export async function toKeyedResponse(ctx: WorkspaceCtx, response: unknown): Promise<KeyedResponse | null> {
  const { idempotency } = ctx;
  if (!idempotency) return null;
  const { keys, repeats } = idempotency;
  const now = ctx.now();
  const answer = await toStored(ctx, JSON.stringify(response));
  return {
    keys,
    fingerprint: fingerprintOf(ctx, idempotency),
    answer,
    day: dayOf(now),
    createdAt: now,
    expiredAt: now - (repeats?.ttlMs ?? RESPONSE_TTL_MS),
    ...(repeats ? { connection: repeats.connection, sequence: repeats.sequence } : {}),
  };
}

const OF_KEY = `k.day IN (c.value->>'day', c.value->>'day' - 1) AND k.workspace = c.value->>'workspace'
  AND k.key IN (SELECT value FROM json_each(c.value, '$.keys'))`;

// A client that has received the response to a message, also as a replay, sends the same again on purpose. Other responses than those
// of messages need not be JSON.
const IS_PAST = `
  CASE WHEN k.created_at <= c.value->>'expiredAt' THEN 1 WHEN c.value->>'connection' IS NULL THEN 0
    WHEN k.answer->>'connection' = c.value->>'connection' AND k.answer->>'sequence' < c.value->>'sequence' THEN 1
    ELSE EXISTS (SELECT 1 FROM json_each(k.answer, '$.receipts') r WHERE r.value->>'connection' = c.value->>'connection'
      AND r.value->>'sequence' < c.value->>'sequence') END`;

/** SQL: whether no response is replayed to the request of a KeyedEmail in `c.value`. */
export const IS_UNUSED_KEY = `NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE ${OF_KEY} AND NOT ${IS_PAST})`;

const IS_WRITTEN = "EXISTS (SELECT 1 FROM emails WHERE workspace = c.value->>'workspace' AND id = c.value->>'email')";

const DELETE_PAST = `
  DELETE FROM idempotency_keys WHERE (day, workspace, key) IN (
    SELECT k.day, k.workspace, k.key FROM json_each(?1) c CROSS JOIN idempotency_keys k ON ${OF_KEY} WHERE ${IS_PAST} AND ${IS_WRITTEN})`;

const INSERT = `
  INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at)
  SELECT c.value->>'day', c.value->>'workspace', c.value->>'$.keys[0]', c.value->>'fingerprint', c.value->>'answer', c.value->>'createdAt'
    FROM json_each(?1) c WHERE ${IS_WRITTEN}`;

/**
 * Returns the statements that store the responses of those emails that the transaction has written, which it does when IS_UNUSED_KEY holds.
 * Their number does not depend on that of the emails.
 */
export function storeResponsesStatements({ mail: db }: MailCtx, responses: readonly KeyedEmail[]): MailStatement[] {
  const json = JSON.stringify(responses);
  const repeated = responses.filter(({ connection }) => connection !== undefined);
  return [
    ...(repeated.length > 0 ? [db.prepare(DELETE_PAST).bind(JSON.stringify(repeated))] : []),
    db.prepare(INSERT).bind(json),
  ];
}
