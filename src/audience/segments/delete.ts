import type { CallerCtx } from "../../access/caller.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { endActivity } from "../conditions/index.ts";
import { findSegmentLinks, getSegment, type SegmentRow } from "./queries.ts";

// The index broadcasts_by_segment has those of the segment only.
const BROADCASTS =
  "SELECT name FROM broadcasts b WHERE b.workspace = ?2 AND b.segment_id = ?3 AND b.status IN ('scheduled', 'sending')";

// A definition is JSON without spaces, so that a text with these characters has a backslash before each quotation mark.
const AUTOMATIONS = `
  SELECT name FROM automations a WHERE a.workspace = ?2 AND a.status <> 'archived' AND instr(a.definition, '"segment":"' || ?3 || '"') > 0`;

const DELETE = `
  DELETE FROM segments WHERE n = ?1
     AND NOT EXISTS (SELECT 1 FROM segments s, json_each(s.segments) j WHERE s.workspace = ?2 AND j.value = ?3)
     AND NOT EXISTS (${BROADCASTS}) AND NOT EXISTS (${AUTOMATIONS})`;

/** Deletes a segment, and ends keeping activity that nothing asks for. Throws 404, 409 while a segment or broadcast needs it. */
export async function deleteSegment(ctx: CallerCtx, id: string): Promise<void> {
  const segment = await getSegment(ctx, id);
  await requireUnused(ctx, segment);
  const { meta } = await ctx.mail.execute(DELETE, segment.n, segment.workspace, segment.id);
  if (meta.changes === 0) {
    await requireUnused(ctx, segment);
    throw notFound("Segment");
  }
  await endActivity(ctx);
}

/** Throws 409 for a segment in another one, of a broadcast that is scheduled or sending, or in an automation that is not archived. */
async function requireUnused(ctx: CallerCtx, { n, workspace, id }: SegmentRow): Promise<void> {
  const using = (await findSegmentLinks(ctx)).filter(({ segments }) => segments.includes(id)).map(({ name }) => name);
  if (using.length > 0) throw conflict(`The segment is in the conditions of other segments: ${using.join(", ")}`);
  const db = ctx.mail;
  const [broadcasts, automations] = await db.batch<{ name: string }>(
    [BROADCASTS, AUTOMATIONS].map((sql) => db.prepare(`${sql} AND ?1 IS NOT NULL LIMIT 10`).bind(n, workspace, id)),
  );
  const names = (found: D1Result<{ name: string }> | undefined) => found?.results.map(({ name }) => name).join(", ");
  if (broadcasts?.results.length)
    throw conflict(`Broadcasts that are scheduled or sending use the segment: ${names(broadcasts)}`);
  if (automations?.results.length) throw conflict(`Automations use the segment: ${names(automations)}`);
}
