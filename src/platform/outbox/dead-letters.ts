import type { Ctx } from "../context.ts";
import { jsonChunks } from "../db/json-chunks.ts";

/** Records queue messages that failed every retry. Safe to run twice. */
export async function recordDeadLetters(
  ctx: Ctx,
  queue: string,
  letters: readonly { id: string; body: string }[],
): Promise<void> {
  ctx.log("queue.dead_letters", { queue, letters: letters.length });
  const insert = ctx.db.prepare(
    `INSERT OR IGNORE INTO dead_letters (id, queue, body, recorded_at)
     SELECT value->>'id', ?2, value->>'body', ?3 FROM json_each(?1)`,
  );
  // 100 messages of 128 KB exceed the 2,000,000 bytes of one bound parameter of D1.
  const chunks = jsonChunks(letters.map((letter) => JSON.stringify(letter)));
  await ctx.db.batch(chunks.map((rows) => insert.bind(rows, queue, ctx.now())));
}
