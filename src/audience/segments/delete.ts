import type { CallerCtx } from "../../access/caller.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { mailDb } from "../../platform/db/client.ts";
import { endActivityStatement } from "../../platform/db/shard-workspaces.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import { findSegmentLinks, getSegment, onSegments, type SegmentRow } from "./queries.ts";

const DELETE = `
  DELETE FROM segments WHERE n = ?1
     AND NOT EXISTS (SELECT 1 FROM segments s, json_each(s.segments) j WHERE s.workspace = ?2 AND j.value = ?3)`;

const COUNT = "SELECT count(*) AS segments FROM segments WHERE workspace = ?1";

/**
 * Deletes a segment. After the last one, no activity is kept any more. Throws 404, and 409 while a segment or a broadcast that was not
 * sent yet needs it.
 */
export async function deleteSegment(ctx: CallerCtx, id: string): Promise<void> {
  const segment = await getSegment(ctx, id);
  await requireUnused(ctx, segment);
  const mailCtx = onSegments(ctx);
  const db = mailDb(mailCtx);
  const [deleted, count] = await db.batch<{ segments: number }>([
    db.prepare(DELETE).bind(segment.n, segment.workspace, segment.id),
    db.prepare(COUNT).bind(segment.workspace),
    endActivityStatement(mailCtx, segment.workspace),
  ]);
  if (deleted?.meta.changes === 0) {
    await requireUnused(ctx, segment);
    throw notFound("Segment");
  }
  if (count?.results[0]?.segments !== 0) return;
  const [, ...others] = ctx.workspace.mailShards.toReversed();
  await Promise.all(others.map((shard) => endActivityStatement(onShard(ctx, shard), segment.workspace).run()));
}

/** Throws 409 for a segment in another one. */
async function requireUnused(ctx: CallerCtx, { id }: SegmentRow): Promise<void> {
  const using = (await findSegmentLinks(ctx)).filter(({ segments }) => segments.includes(id)).map(({ name }) => name);
  if (using.length > 0) throw conflict(`The segment is in the conditions of other segments: ${using.join(", ")}`);
}
