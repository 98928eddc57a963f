import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";

/** Records queue messages that failed every retry. Safe to run twice. */
export async function recordDeadLetters(
  ctx: Ctx,
  queue: string,
  letters: readonly { id: string; body: string }[],
): Promise<void> {
  ctx.log("queue.dead_letters", { queue, letters: letters.length });
  await mailDb(ctx)
    .prepare(
      `INSERT OR IGNORE INTO dead_letters (id, queue, body, recorded_at)
       SELECT value->>'id', ?2, value->>'body', ?3 FROM json_each(?1)`,
    )
    .bind(JSON.stringify(letters), queue, ctx.now())
    .run();
}
