import { dayOf } from "../../lib/time.ts";
import type { WorkspaceCtx } from "../context.ts";
import { expectChanges, guardedBatch } from "../db/batch.ts";
import { mainRowBytes, toStored } from "./large-responses.ts";
import { insertResponse } from "./responses.ts";
import { runningResponse } from "./running.ts";

/**
 * Reserves the Idempotency-Key of work that spans several transactions (docs/contract/idempotency.md#concurrent-requests): a
 * row in the main database marks it as running until its lease ends. Another call with the key returns 409 meanwhile.
 */

/** How long a reservation lasts unless it is renewed. */
const RESERVATION_MS = 60_000;
/** A reservation is renewed when less than this is left. */
const RENEW_BELOW_MS = 30_000;

const DELETE_ABANDONED = `
  DELETE FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3))
    AND answer LIKE 'running.%' AND CAST(substr(answer, 9) AS INTEGER) <= ?4`;

const REPLACE = `
  UPDATE idempotency_keys SET answer = ?4 WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND answer = ?5
    AND key IN (SELECT value FROM json_each(?3))`;

const CANCEL = `
  DELETE FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND answer = ?4
    AND key IN (SELECT value FROM json_each(?3))`;

export class Reservation {
  readonly #ctx: WorkspaceCtx;
  #until: number;
  readonly #token: string;

  private constructor(ctx: WorkspaceCtx) {
    this.#ctx = ctx;
    this.#until = ctx.now() + RESERVATION_MS;
    this.#token = ctx.newId();
  }

  /** Reserves the key of the request. Returns null when it has none. Throws ConcurrencyError when the key is in use. */
  static async open(ctx: WorkspaceCtx): Promise<Reservation | null> {
    if (!ctx.idempotency) return null;
    const reservation = new Reservation(ctx);
    await guardedBatch(ctx.db, [
      ctx.db.prepare(DELETE_ABANDONED).bind(...reservation.#key, ctx.now()),
      ...insertResponse(ctx, reservation.#stored),
    ]);
    return reservation;
  }

  /** Extends a lease that ends soon. Throws ConcurrencyError when another call took the key over. */
  async renew(): Promise<void> {
    if (this.#until - this.#ctx.now() >= RENEW_BELOW_MS) return;
    const before = this.#stored;
    this.#until = this.#ctx.now() + RESERVATION_MS;
    await this.#replace(before, this.#stored);
  }

  /** Stores the response in place of the reservation. Throws ConcurrencyError when another call took the key over. */
  async finish(response: unknown): Promise<void> {
    const stored = await toStored(this.#ctx, JSON.stringify(response), mainRowBytes(this.#ctx));
    await this.#replace(this.#stored, stored);
  }

  /** Frees the key, after an error. */
  async cancel(): Promise<void> {
    const { db } = this.#ctx;
    await db.execute(CANCEL, ...this.#key, this.#stored);
  }

  async #replace(before: string, after: string): Promise<void> {
    const { db } = this.#ctx;
    await guardedBatch(db, [db.prepare(REPLACE).bind(...this.#key, after, before), expectChanges(db, 1)]);
  }

  get #stored(): string {
    return runningResponse(this.#until, this.#token);
  }

  get #key(): unknown[] {
    const { workspace, idempotency } = this.#ctx;
    return [dayOf(this.#ctx.now()), workspace.number, JSON.stringify(idempotency?.keys ?? [])];
  }
}
