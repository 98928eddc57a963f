import type { CallerCtx } from "../../access/caller.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { keepActivityStatement } from "../../platform/db/shard-workspaces.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { keepActivity } from "../conditions/index.ts";
import { checkConditions } from "./check-conditions.ts";
import type { SegmentRow } from "./queries.ts";
import { type SegmentIn, type SegmentOut, toSegment } from "./schema.ts";

const INSERT = `
  INSERT INTO segments (workspace, id, name, conditions, segments, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6 WHERE ${hasRoom("segments", "?1")}`;

/** Creates a segment. From the first on, the workspace keeps activity. Throws 409 beyond the limit, 422 for its conditions. */
export async function createSegment(ctx: CallerCtx, input: SegmentIn): Promise<SegmentOut> {
  const { segments } = await checkConditions(ctx, input.conditions);
  const now = ctx.now();
  const row: Omit<SegmentRow, "activitySince"> = {
    n: 0,
    workspace: ctx.workspace.number,
    id: ctx.newId(),
    name: input.name,
    conditions: input.conditions,
    count: null,
    countStep: 0,
    createdAt: now,
    updatedAt: now,
  };
  const response = toSegment({ ...row, activitySince: await keepActivity(ctx) });
  const values = [row.workspace, row.id, row.name, JSON.stringify(row.conditions), JSON.stringify(segments), now];
  await guardedBatch(ctx.mail, [
    ctx.mail.prepare(INSERT).bind(...values),
    expectChanges(ctx.mail, 1),
    // Again: the deletion of the last segment may have ended it meanwhile.
    keepActivityStatement(ctx, ctx.workspace),
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}
