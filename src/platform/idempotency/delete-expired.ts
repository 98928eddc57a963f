import { dayOf } from "../../lib/time.ts";
import type { OutboxCtx } from "../context.ts";
import { deletePage } from "../db/byte-pages.ts";
import type { Steps } from "../jobs/turns.ts";
import { deleteExpiredObjects } from "./large-responses.ts";

/** Rows that one step deletes, and steps of one run on a database. The next run continues. */
const ROWS_PER_STEP = 5_000;
const MAX_STEPS = 200;

const DELETE = deletePage("idempotency_keys", "day, workspace, key", "WHERE day < ?1 - 1 LIMIT ?2");

/** Deletes stored responses older than 24 hours from the database of `ctx.outbox`. */
export async function* deleteExpiredResponses(ctx: OutboxCtx): Steps {
  for (let step = 0; step < MAX_STEPS; step++) {
    const { meta } = await ctx.outbox.execute(DELETE, dayOf(ctx.now()), ROWS_PER_STEP);
    if (meta.changes === 0) return;
    yield;
  }
}

/** Deletes the same from the main database, and the objects of responses of all databases. */
export async function* deleteExpiredMainResponses(ctx: OutboxCtx<"main">): Steps {
  yield* deleteExpiredResponses(ctx);
  yield* deleteExpiredObjects(ctx);
}
