import { nextTurn } from "../../lib/yielding-steps.ts";
import type { MailCtx, WakeUp } from "../../platform/context.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { claimRows } from "../../platform/outbox/claim-rows.ts";
import { finishStatement, newLease, releaseStatement } from "../../platform/outbox/lease.ts";
import { addPage, saveCountStatement } from "./count.ts";
import { evaluatePage, toEvaluator } from "./evaluate-page.ts";
import { findSegmentByNumber, type SegmentRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** A run starts no further page after this many milliseconds: half a lease. */
const RUN_MS = 60_000;
/** Pages whose progress is stored together. */
const PAGES_PER_SAVE = 5;
/** D1 statements of these pages at most, with the claim. */
const STATEMENTS = 60;

/**
 * Continues counts of segments, page after page. A page is one short read of each table; requests get their turn before each. A run that
 * is killed repeats the pages that it has not stored.
 */
export async function runCounts(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  for (const wakeUp of wakeUps) {
    if (ctx.now() >= until || !mayExecute(ctx, STATEMENTS)) return;
    const lease = newLease(ctx);
    const [row] = await claimRows(ctx, [wakeUp], lease);
    if (!row) continue;
    const [n = 0] = JSON.parse(row.ref) as number[];
    if (await advance(ctx, n, until)) {
      await finishStatement(ctx, lease, [row.id]).run();
      continue;
    }
    const dueAt = ctx.now();
    await releaseStatement(ctx, lease, [row.id], dueAt).run();
    await ctx.wake([{ dueAt, id: row.id, kind: "segment" }]);
  }
}

/** Advances the count of a segment as far as a run may. Returns true when nothing is left to do. */
async function advance(ctx: MailCtx, n: number, until: number): Promise<boolean> {
  let segment = await findSegmentByNumber(ctx, n);
  if (segment?.count?.status !== "counting") return true;
  const { workspace } = segment;
  const evaluator = await toEvaluator(ctx, workspace, segment.conditions, segment.count.at);
  do {
    segment = await countPages(ctx, segment, (after) =>
      evaluatePage(ctx, workspace, evaluator, { after, limit: limits.peoplePerPage }),
    );
    if (segment?.count?.status !== "counting") return true;
  } while (ctx.now() < until && mayExecute(ctx, STATEMENTS));
  return false;
}

/** Counts some pages and stores them. Returns the segment then, or null when its conditions changed or it was deleted. */
async function countPages(
  ctx: MailCtx,
  segment: SegmentRow,
  read: (after: string) => ReturnType<typeof evaluatePage>,
): Promise<SegmentRow | null> {
  let { count } = segment;
  for (let page = 0; page < PAGES_PER_SAVE && count?.status === "counting"; page++) {
    await nextTurn();
    count = addPage(count, await read(count.after), ctx.now());
  }
  if (count === null) return null;
  const { meta } = await saveCountStatement(ctx, segment, count).run();
  return meta.changes === 0 ? null : { ...segment, count, countStep: segment.countStep + 1 };
}
