import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { keepActivityStatement } from "../../platform/db/shard-workspaces.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { keepActivity } from "../conditions/index.ts";
import { checkConditions } from "./check-conditions.ts";
import type { SegmentRow } from "./queries.ts";
import { limits } from "./rules.ts";
import { type SegmentIn, type SegmentOut, toSegment } from "./schema.ts";

// Reads at most the greatest number of segments of a workspace.
const INSERT = `
  INSERT INTO segments (workspace, id, name, conditions, segments, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6 WHERE (SELECT count(*) FROM segments WHERE workspace = ?1) < ?7`;

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
  // A concurrent call with the same Idempotency-Key ends in the 409 too, after which it replays.
  await guardedBatch(ctx.mail, [
    ctx.mail.prepare(INSERT).bind(...values, limits.segmentsPerWorkspace),
    expectChanges(ctx.mail, 1),
    // Again: the deletion of the last segment may have ended it meanwhile.
    keepActivityStatement(ctx, ctx.workspace),
    ...(await storeMailResponse(ctx, response)),
  ]).catch(
    onConcurrency(() => conflict(`The workspace has ${limits.segmentsPerWorkspace} segments, which is the limit`)),
  );
  return response;
}
