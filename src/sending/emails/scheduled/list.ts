import type { CallerCtx } from "../../../access/caller.ts";
import { findScheduledPositions, listScheduled, type ScheduledPosition } from "../queries.ts";
import { toScheduledRecord } from "./schema.ts";

/** Scheduled emails in one response (docs/contract/paging.md#scheduled-list). */
export const MAX_SCHEDULED = 10_000;
/** Emails read at once, so that a response of large rows (50 recipients each) fits into memory. */
const EMAILS_PER_READ = 500;

/** Form of the cursor: the send time in milliseconds and the id of the last email of a page. */
export const SCHEDULED_CURSOR = /^\d{1,15}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const START: ScheduledPosition = { scheduledAt: -1, n: 0 };
const END: ScheduledPosition = { scheduledAt: Number.MAX_SAFE_INTEGER, n: 0 };

/** Characters of one response. Together with the rows of a read it stays far below the 128 MB of an isolate. */
const MAX_CHARACTERS = 16_000_000;

export interface ScheduledPage {
  /** JSON array of scheduled email records, soonest first. */
  json: string;
  /** Cursor of the next page; null at the end of the list. */
  next: string | null;
}

/**
 * Returns a page of scheduled emails, soonest first. A page covers the next `limit` scheduled emails of the workspace; a
 * key restricted to domains gets those that it may see among them. A page of long records ends at MAX_CHARACTERS.
 */
export async function pageOfScheduled(
  ctx: CallerCtx,
  { after, page, limit }: { after?: string | undefined; page: number; limit: number },
): Promise<ScheduledPage> {
  const start = await skipPages(ctx, after === undefined ? START : await findPosition(ctx, after), page * limit);
  if (start === null) return { json: "[]", next: null };
  const [last, following] = await findScheduledPositions(ctx, start, limit - 1);
  const { records, cutAt } = await readRecords(ctx, start, last ?? END);
  const end = cutAt ?? (last && following ? last : null);
  return { json: `[${records.join()}]`, next: end && `${end.scheduledAt}.${end.id}` };
}

/** Reads the emails after one position and up to another as JSON. `cutAt` is set when MAX_CHARACTERS ended it early. */
async function readRecords(ctx: CallerCtx, start: ScheduledPosition, upTo: ScheduledPosition) {
  const records: string[] = [];
  let characters = 0;
  for (let after = start; ; ) {
    const rows = await listScheduled(ctx, { after, upTo }, EMAILS_PER_READ);
    for (const row of rows) {
      const record = JSON.stringify(toScheduledRecord(row, ctx.now()));
      records.push(record);
      characters += record.length;
      after = { scheduledAt: row.scheduledAt ?? 0, n: row.n };
      if (characters > MAX_CHARACTERS) return { records, cutAt: { ...after, id: row.id } };
    }
    if (rows.length < EMAILS_PER_READ) return { records, cutAt: null };
  }
}

/** Returns the position `rows` further on; null when the list ends before. */
async function skipPages(ctx: CallerCtx, start: ScheduledPosition, rows: number): Promise<ScheduledPosition | null> {
  if (rows === 0) return start;
  const [last] = await findScheduledPositions(ctx, start, rows - 1);
  return last ?? null;
}

/** Returns the position that a cursor names. A deleted email is placed before all emails of its send time. */
async function findPosition(ctx: CallerCtx, cursor: string): Promise<ScheduledPosition> {
  const dot = cursor.indexOf(".");
  const values = [ctx.workspace.number, cursor.slice(dot + 1).toLowerCase()];
  const row = await ctx.mail.findRow<{ n: number }>("SELECT n FROM emails WHERE workspace = ?1 AND id = ?2", ...values);
  return { scheduledAt: Number(cursor.slice(0, dot)), n: row?.n ?? 0 };
}
