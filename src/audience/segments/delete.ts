import type { CallerCtx } from "../../access/caller.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { mailDb } from "../../platform/db/client.ts";
import { endActivity } from "../conditions/index.ts";
import { findSegmentLinks, getSegment, onSegments, type SegmentRow } from "./queries.ts";

const DELETE = `
  DELETE FROM segments WHERE n = ?1
     AND NOT EXISTS (SELECT 1 FROM segments s, json_each(s.segments) j WHERE s.workspace = ?2 AND j.value = ?3)`;

/**
 * Deletes a segment. Activity is kept no longer when nothing can ask for it. Throws 404, and 409 while a segment or a broadcast that was not
 * sent yet needs it.
 */
export async function deleteSegment(ctx: CallerCtx, id: string): Promise<void> {
  const segment = await getSegment(ctx, id);
  await requireUnused(ctx, segment);
  const db = mailDb(onSegments(ctx));
  const { meta } = await db.prepare(DELETE).bind(segment.n, segment.workspace, segment.id).run();
  if (meta.changes === 0) {
    await requireUnused(ctx, segment);
    throw notFound("Segment");
  }
  await endActivity(ctx);
}

/** Throws 409 for a segment in another one. */
async function requireUnused(ctx: CallerCtx, { id }: SegmentRow): Promise<void> {
  const using = (await findSegmentLinks(ctx)).filter(({ segments }) => segments.includes(id)).map(({ name }) => name);
  if (using.length > 0) throw conflict(`The segment is in the conditions of other segments: ${using.join(", ")}`);
}
