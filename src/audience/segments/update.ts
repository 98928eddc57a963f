import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { checkConditions } from "./check-conditions.ts";
import { getSegment } from "./queries.ts";
import { type SegmentOut, type SegmentPatch, toSegment } from "./schema.ts";

// New conditions end a count, and the next step of one that runs finds another step.
const UPDATE = `
  UPDATE segments SET name = coalesce(?2, name), conditions = coalesce(?3, conditions), segments = coalesce(?4, segments),
    count = iif(?3 IS NULL, count, NULL), count_step = count_step + (?3 IS NOT NULL), updated_at = ?5 WHERE n = ?1`;

/** Changes the given fields of a segment. New conditions need a new count. Throws 404, 422 for its conditions. */
export async function updateSegment(ctx: CallerCtx, id: string, patch: SegmentPatch): Promise<SegmentOut> {
  const segment = await getSegment(ctx, id);
  if (patch.name === undefined && patch.conditions === undefined) return toSegment(segment);
  const references = patch.conditions && (await checkConditions(ctx, patch.conditions, segment.id));
  const { meta } = await ctx.mail.execute(
    UPDATE,
    segment.n,
    patch.name ?? null,
    patch.conditions ? JSON.stringify(patch.conditions) : null,
    references ? JSON.stringify(references.segments) : null,
    ctx.now(),
  );
  if (meta.changes === 0) throw notFound("Segment");
  return toSegment(await getSegment(ctx, id));
}
