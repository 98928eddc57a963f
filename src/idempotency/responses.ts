import type { CallerCtx } from "../context.ts";
import { expectChanges } from "../db/batch.ts";
import { conflict } from "../errors.ts";
import { dayOf, KEPT_MS } from "./rules.ts";
import { isSealed, openResponse, sealResponse } from "./seal.ts";

/**
 * What a caller's Idempotency-Key stands for. All are hashes: the key itself is kept nowhere. `keys`: one for
 * each master key, newest first; answers are kept under the first and found under any.
 */
export interface Idempotency {
  keys: readonly string[];
  /** Of method, path and body. */
  fingerprint: string;
  /** Keys that only the raw Idempotency-Key and a master key together give, newest first, made when asked for. */
  sealingKeys: () => Promise<readonly string[]>;
}

const FIND = `
  SELECT fingerprint, answer FROM idempotency_keys
   WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3)) AND created_at > ?4`;

/** An answer as it is replayed. */
export interface StoredResponse {
  /** JSON text. */
  body: string;
  /** Null: the one success status of its route. */
  status: number | null;
}

/**
 * The answer that was kept under this key in the last 24 hours; null when there is none.
 * Throws 409 when the key was used for another request, or by another credential for an answer that holds a secret.
 */
export async function findResponse(ctx: CallerCtx, idempotency: Idempotency): Promise<StoredResponse | null> {
  const { keys } = idempotency;
  const now = ctx.now();
  const row = await ctx.db
    .prepare(FIND)
    .bind(dayOf(now), ctx.workspace.number, JSON.stringify(keys), now - KEPT_MS)
    .first<{ fingerprint: string; answer: string }>();
  if (!row) return null;
  if (row.fingerprint !== printOf(ctx, idempotency))
    throw conflict("This Idempotency-Key was used for another request");
  if (isSealed(row.answer)) return { body: await openResponse(ctx, idempotency, row.answer), status: null };
  // No JSON of ours is a bare number: digits in front are the status.
  const [, status, body = ""] = /^(?:(\d{3}) )?(.*)$/s.exec(row.answer) ?? [];
  return { body, status: status === undefined ? null : Number(status) };
}

// Nothing is written when a fresh answer is there already, whichever day it was kept on.
const KEEP = `
  INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
    SELECT 1 FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key = ?3 AND created_at > ?7)`;

/**
 * Statements that keep an answer in the same batch as what it tells of. When somebody was first with this
 * key the batch rolls back (LostRace): what they did counts, and their answer is replayed. None without a key.
 * `status` where a route has more than one success.
 */
export function storeResponse(ctx: CallerCtx, answer: unknown, status?: number): D1PreparedStatement[] {
  const text = `${status === undefined ? "" : `${status} `}${JSON.stringify(answer)}`;
  return ctx.idempotency ? keep(ctx, ctx.idempotency, text) : [];
}

/**
 * The same for an answer that holds a secret: it is kept so that only the Idempotency-Key itself opens it, and is
 * replayed to the credential that asked for it alone.
 */
export async function storeSecretResponse(ctx: CallerCtx, answer: unknown): Promise<D1PreparedStatement[]> {
  const { idempotency } = ctx;
  return idempotency ? keep(ctx, idempotency, await sealResponse(ctx, idempotency, JSON.stringify(answer))) : [];
}

function keep(ctx: CallerCtx, idempotency: Idempotency, answer: string): D1PreparedStatement[] {
  const now = ctx.now();
  const row = [
    dayOf(now),
    ctx.workspace.number,
    idempotency.keys[0],
    printOf(ctx, idempotency),
    answer,
    now,
    now - KEPT_MS,
  ];
  return [ctx.db.prepare(KEEP).bind(...row), expectChanges(ctx.db, 1)];
}

/** The request as this credential makes it: what a key that is for certain domains asks is not what others ask. */
function printOf({ actor: { domainIds } }: CallerCtx, { fingerprint }: Idempotency): string {
  return domainIds ? [fingerprint, ...[...domainIds].sort()].join(" ") : fingerprint;
}
