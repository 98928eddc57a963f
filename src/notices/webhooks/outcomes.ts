import type { MailCtx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import type { Outcome } from "./attempt.ts";
import type { Lease } from "./claim.ts";

// Only while the run holds the lease, and once: the attempt follows the one of the row.
const WRITE = `
  WITH j AS MATERIALIZED (SELECT value FROM json_each(?1))
  UPDATE webhook_deliveries SET status = j.value->>'status', attempt = j.value->>'attempt', due_at = j.value->>'dueAt',
    url = j.value->>'url', response_status = j.value->>'responseStatus', response_body = j.value->>'responseBody',
    error = j.value->>'error'
  FROM j WHERE webhook_deliveries.n = j.value->>'n' AND webhook_deliveries.attempt = j.value->>'attempt' - 1
   AND EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.id = webhook_deliveries.endpoint AND w.token = ?2)`;

// Writes no row while a healthy endpoint stays healthy.
const WRITE_HEALTH = `
  UPDATE webhook_endpoints SET failing_since = CASE WHEN ?3 THEN coalesce(failing_since, ?5) END,
    gave_up_at = CASE WHEN ?4 THEN coalesce(gave_up_at, ?5) ELSE gave_up_at END
   WHERE id = ?1 AND token = ?2 AND ((?3 AND failing_since IS NULL) OR (NOT ?3 AND failing_since IS NOT NULL)
     OR (?4 AND gave_up_at IS NULL))`;

/** Waits before each retry of a failed write, in milliseconds. */
const RETRY_MS = [50, 200, 800];

/** Writes the outcomes of one endpoint in the order of the attempts, each batch with those that came during the last. */
export class OutcomeLog {
  readonly #ctx: MailCtx;
  readonly #lease: Lease;
  readonly #endpoint: string;
  #waiting: Outcome[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(ctx: MailCtx, lease: Lease, endpoint: string) {
    this.#ctx = ctx;
    this.#lease = lease;
    this.#endpoint = endpoint;
  }

  add(outcome: Outcome): void {
    this.#waiting.push(outcome);
    this.#writing = this.#writing.then(() => this.#write(this.#waiting.splice(0)));
    // `end` throws the error.
    this.#writing.catch(() => {});
  }

  /** Resolves when every outcome is written. Throws when a write failed; the deliveries are then sent again. */
  end(): Promise<void> {
    return this.#writing;
  }

  async #write(outcomes: readonly Outcome[]): Promise<void> {
    const last = outcomes.at(-1);
    if (!last) return;
    const db = this.#ctx.mail;
    const gaveUp = outcomes.some(({ status }) => status === "failed");
    const isFailing = last.status !== "delivered";
    const health = [this.#endpoint, this.#lease.token, Number(isFailing), Number(gaveUp), this.#ctx.now()];
    const statements = [
      ...jsonChunks(outcomes.map((outcome) => JSON.stringify(outcome))).map((rows) =>
        db.prepare(WRITE).bind(rows, this.#lease.token),
      ),
      db.prepare(WRITE_HEALTH).bind(...health),
    ];
    for (const wait of RETRY_MS) {
      try {
        await db.batch(statements);
        return;
      } catch (error) {
        this.#ctx.log("webhooks.write.retried", { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    await db.batch(statements);
  }
}
