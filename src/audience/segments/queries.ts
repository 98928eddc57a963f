import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { MOST_COUNTED } from "../../platform/budgets/budget.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { segments } from "../../platform/db/schema/mail/index.ts";
import type { Condition } from "../conditions/index.ts";

/** A contact that a count shows, as the API has it. */
interface SampledContact {
  id: string;
  list_id: string;
  email: string;
  name: string | null;
  status: "pending" | "active";
}

/** The last count of a segment, or the progress of one. */
export interface CountState {
  status: "counting" | "done";
  /** Address to continue after. */
  after: string;
  count: number;
  evaluated: number;
  total: number;
  /** When it began; when it is done, when it ended. Milliseconds since 1970. */
  at: number;
  sample: readonly SampledContact[];
}

/** A segment. Times in milliseconds since 1970. */
export interface SegmentRow extends Omit<typeof segments.$inferSelect, "conditions" | "segments" | "count"> {
  conditions: Condition;
  count: CountState | null;
  /** Since when the workspace keeps activity; null: it does not. */
  activitySince: number | null;
}

type StoredRow = Omit<SegmentRow, "conditions" | "count"> & { conditions: string; count: string | null };

const SELECT = `
  SELECT s.n, s.workspace, s.id, s.name, s.conditions, s.count, s.count_step AS countStep, s.created_at AS createdAt,
         s.updated_at AS updatedAt, (SELECT activity_since FROM shard_workspaces w WHERE w.number = s.workspace) AS activitySince
    FROM segments s`;

const toRow = ({ conditions, count, ...row }: StoredRow): SegmentRow => ({
  ...row,
  conditions: JSON.parse(conditions) as Condition,
  count: count === null ? null : (JSON.parse(count) as CountState),
});

/** Returns a segment of the caller's workspace. Throws 404. */
export async function getSegment(ctx: CallerCtx, id: string): Promise<SegmentRow> {
  return requireFound(await findSegment(ctx, ctx.workspace.number, id), "Segment");
}

/** Returns a segment of a workspace, or null. */
export async function findSegment(ctx: MailCtx, workspace: number, id: string): Promise<SegmentRow | null> {
  const uuid = parseUuid(id);
  if (uuid === null) return null;
  const row = await ctx.mail.findRow<StoredRow>(`${SELECT} WHERE s.workspace = ?1 AND s.id = ?2`, workspace, uuid);
  return row && toRow(row);
}

/** Returns a segment by its number, or null. For background work. */
export async function findSegmentByNumber(ctx: MailCtx, n: number): Promise<SegmentRow | null> {
  const row = await ctx.mail.findRow<StoredRow>(`${SELECT} WHERE s.n = ?1`, n);
  return row && toRow(row);
}

/** Returns segments of the caller's workspace, oldest first, after one. */
export async function listSegments(ctx: CallerCtx, { after, limit }: ListRange): Promise<SegmentRow[]> {
  const sql = `${SELECT} WHERE s.workspace = ?1 AND s.id > ?2 ORDER BY s.id LIMIT ?3`;
  const results = await ctx.mail.listRows<StoredRow>(sql, ctx.workspace.number, after ?? "", limit);
  return results.map(toRow);
}

/** Returns all segments of the caller's workspace with the segments in them. */
export async function findSegmentLinks(ctx: CallerCtx): Promise<{ id: string; name: string; segments: string[] }[]> {
  const results = await ctx.mail.listRows<{ id: string; name: string; segments: string }>(
    "SELECT id, name, segments FROM segments WHERE workspace = ?1 ORDER BY id LIMIT ?2",
    ctx.workspace.number,
    MOST_COUNTED,
  );
  return results.map(({ segments, ...row }) => ({ ...row, segments: JSON.parse(segments) as string[] }));
}
