import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import type { CallerCtx } from "../../../access/caller.ts";
import { mailOrm } from "../../../platform/db/client.ts";
import { changes } from "../../../platform/db/schema/mail/index.ts";
import { findByNumbers, findVisibleNumbers, type RecordRow } from "../queries.ts";

/** Emails in one response (docs/contract/paging.md#feed-of-changes). */
const MAX_EMAILS = 50;
/** Change rows that one call reads, and those of the first read: as many as 50 emails need at least. */
const MAX_CHANGE_ROWS = 10_000;
const FIRST_READ = MAX_EMAILS + 2;
/** Change rows of each later read. A row names up to 500 emails, so a read holds at most 250,000 numbers. */
const ROWS_PER_READ = 500;

export interface Updates {
  rows: RecordRow[];
  /** Value of the next `since`, in microseconds since 1970. */
  nextUs: number;
  /** False when every change was read. */
  hasMore: boolean;
}

/**
 * Returns emails created or changed after `sinceUs` (microseconds since 1970), oldest change first, each once, at most 50
 * (docs/contract/paging.md#feed-of-changes). Fewer than 50 means that no more visible changes exist within MAX_CHANGE_ROWS. No
 * change is skipped between two calls that pass `nextUs` on.
 */
export async function listUpdates(ctx: CallerCtx, sinceUs: number): Promise<Updates> {
  if (ctx.actor.domainIds === null) {
    const updates = await readUpdates(ctx, sinceUs, () => null);
    if (updates) return updates;
  }
  const updates = await readUpdates(ctx, sinceUs, (first, last) => findVisibleNumbers(ctx, first, last));
  if (updates) return updates;
  // Emails were deleted between two reads of this call. The caller polls again.
  return { rows: [], nextUs: sinceUs, hasMore: true };
}

/** Returns the numbers that the caller may see among those of the change rows from `first` to `last`; null for all. */
type FindVisible = (first: number, last: number) => Promise<ReadonlySet<number>> | null;

/** Reads changes until 50 visible emails are found. Returns null when one of them was not visible after all. */
async function readUpdates(ctx: CallerCtx, sinceUs: number, findVisible: FindVisible): Promise<Updates | null> {
  const seen = new Set<number>();
  let nextUs = sinceUs;
  let from = startOf(ctx, sinceUs);
  // One row more: the first may end before `sinceUs`.
  for (let left = MAX_CHANGE_ROWS + 1, max = FIRST_READ; left > 0; left -= max, max = Math.min(ROWS_PER_READ, left)) {
    const found = await findChanges(ctx, from, max);
    from = sql`${(found.at(-1)?.atUs ?? 0) + 1}`;
    const visible = await findVisible(found[0]?.atUs ?? 0, found.at(-1)?.atUs ?? 0);
    for (const { at, n } of entriesAfter(found, nextUs)) {
      const isVisible = visible?.has(n) ?? true;
      if (isVisible && seen.size === MAX_EMAILS && !seen.has(n)) return toUpdates(ctx, seen, nextUs, true);
      // An email that changed twice takes the place of its last change.
      seen.delete(n);
      if (isVisible) seen.add(n);
      nextUs = at;
    }
    if (found.length < max) return toUpdates(ctx, seen, nextUs, false);
  }
  return toUpdates(ctx, seen, nextUs, true);
}

/** Yields the changes of change rows with their times: a row covers one microsecond per email. */
function* entriesAfter(rows: readonly { atUs: number; emails: number[] }[], afterUs: number) {
  for (const { atUs, emails } of rows) {
    for (const [index, n] of emails.entries()) if (atUs + index > afterUs) yield { at: atUs + index, n };
  }
}

/** Returns SQL for the time of the row that contains the first change after `sinceUs`: it may begin before. */
function startOf(ctx: CallerCtx, sinceUs: number): SQL {
  return sql`coalesce((SELECT max(at_us) FROM changes WHERE workspace = ${ctx.workspace.number} AND at_us <= ${sinceUs}), 0)`;
}

/** Returns at most `max` change rows from a time on, oldest first. */
function findChanges(ctx: CallerCtx, fromUs: SQL, max: number) {
  return mailOrm(ctx)
    .select({ atUs: changes.atUs, emails: changes.emails })
    .from(changes)
    .where(and(eq(changes.workspace, ctx.workspace.number), gte(changes.atUs, fromUs)))
    .orderBy(changes.atUs)
    .limit(max);
}

/** Returns the emails in the order of `numbers`; null when one of them is not visible. */
async function toUpdates(
  ctx: CallerCtx,
  numbers: ReadonlySet<number>,
  nextUs: number,
  hasMore: boolean,
): Promise<Updates | null> {
  const byNumber = new Map((await findByNumbers(ctx, [...numbers])).map((row) => [row.n, row]));
  const rows = [...numbers].flatMap((n) => byNumber.get(n) ?? []);
  return rows.length === numbers.size ? { rows, nextUs, hasMore } : null;
}
