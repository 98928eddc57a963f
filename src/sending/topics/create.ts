import type { CallerCtx } from "../../access/caller.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { type TopicIn, type TopicOut, toTopic } from "./schema.ts";

const INSERT = `
  INSERT INTO topics (workspace, id, name, description, default_choice, is_public, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ${hasRoom("topics", "?1")}`;

/** Creates a topic. Throws 409 when the workspace has as many as it may. */
export async function createTopic(ctx: CallerCtx, input: TopicIn): Promise<TopicOut> {
  const row = {
    id: ctx.newId(),
    name: input.name,
    description: input.description || null,
    defaultChoice: input.default,
    isPublic: input.is_public ? (1 as const) : (0 as const),
    createdAt: ctx.now(),
  };
  const response = toTopic(row);
  const values = [row.id, row.name, row.description, row.defaultChoice, row.isPublic, row.createdAt];
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT).bind(ctx.workspace.number, ...values),
    expectChanges(ctx.db, 1),
    ...(await storeResponse(ctx, response)),
  ]);
  return response;
}
