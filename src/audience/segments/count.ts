import type { CallerCtx } from "../../access/caller.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import type { MailCtx, WakeUp } from "../../platform/context.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { type EvaluatedPage, evaluatePage, toEvaluator } from "./evaluate-page.ts";
import { type CountState, findSegmentByNumber, getSegment, type SegmentRow } from "./queries.ts";
import { isShown, limits } from "./rules.ts";
import { type SegmentCountOut, toCount, toSegmentContact } from "./schema.ts";

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
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref }) => {
      const [n = 0] = JSON.parse(ref) as number[];
      return (await advance(ctx, n, until)) ? "done" : { dueAt: ctx.now(), wakes: true };
    },
    () => ctx.now() < until && mayExecute(ctx, STATEMENTS),
  );
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

const SAVE = "UPDATE segments SET count = ?3, count_step = count_step + 1 WHERE n = ?1 AND count_step = ?2";

/** Returns the statement that stores a count, unless the conditions changed or another run stored it. */
const saveCountStatement = (ctx: MailCtx, { n, countStep }: SegmentRow, count: CountState) =>
  ctx.mail.prepare(SAVE).bind(n, countStep, JSON.stringify(count));

// The row of a count that ended may be claimed still, and finds nothing to do: this count has a row of its own.
const INSERT_ROW = `
  INSERT INTO outbox (due_at, id, kind, ref, workspace) SELECT ?1, ?2, 'segment', ?3, ?4 WHERE changes() > 0`;

const TOTAL = "SELECT coalesce(sum(contact_count), 0) AS total FROM contact_lists WHERE workspace = ?1";

/** Returns a count with a page of people. `now` in milliseconds since 1970. */
function addPage(count: CountState, { matching, evaluated, last }: EvaluatedPage, now: number): CountState {
  const sample = [...count.sample, ...matching.flatMap(toSegmentContact)].slice(0, limits.sample);
  const added = { count: count.count + matching.length, evaluated: count.evaluated + evaluated, sample };
  return last === null
    ? { ...count, ...added, status: "done", at: now }
    : { ...count, ...added, status: "counting", after: last };
}

/**
 * Returns the count of a segment: one that ended within the last minute, the progress of one that runs, or the first page of a new one,
 * which the outbox continues. Throws 404.
 */
export async function countSegment(ctx: CallerCtx, id: string): Promise<SegmentCountOut> {
  const segment = await getSegment(ctx, id);
  const { count } = segment;
  if (count && isShown(count, ctx.now())) return toCount(count);
  const now = ctx.now();
  const total = (await ctx.mail.findValue<number>(TOTAL, segment.workspace)) ?? 0;
  const evaluator = await toEvaluator(ctx, segment.workspace, segment.conditions, now);
  const page = await evaluatePage(ctx, ctx.workspace.number, evaluator, { after: "", limit: limits.peoplePerPage });
  const started: CountState = {
    status: "counting",
    after: "",
    count: 0,
    evaluated: 0,
    total,
    at: now,
    sample: [],
  };
  const next = addPage(started, page, now);
  if (next.status === "done") {
    await saveCountStatement(ctx, segment, next).run();
    return toCount(next);
  }
  // Of two calls at once, one starts a count.
  const row = ctx.newId();
  const [saved] = await ctx.mail.batch([
    saveCountStatement(ctx, segment, next),
    ctx.mail.prepare(INSERT_ROW).bind(now, row, JSON.stringify([segment.n]), segment.workspace),
  ]);
  if (saved?.meta.changes === 1) await wakeAfterResponse(ctx, [{ dueAt: now, id: row, kind: "segment" }]);
  return toCount(next);
}
