import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { getTopic } from "./queries.ts";

/**
 * Deletes a topic. Its mail that has not left is not sent any more (docs/contract/topics.md#deletion), from this call on; the
 * outbox deletes the choices afterwards, in steps. Throws 404.
 */
export async function deleteTopic(ctx: CallerCtx, id: string): Promise<void> {
  const topic = await getTopic(ctx, id);
  await guardedBatch(ctx.db, [
    ctx.db.prepare("DELETE FROM topics WHERE n = ?1").bind(topic.n),
    expectChanges(ctx.db, 1),
    purgeStatement(onMain(ctx), [{ id: topic.id, purge: { topic: topic.n } }]),
  ]).catch(onConcurrency(() => notFound("Topic")));
}
