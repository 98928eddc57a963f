import type { CallerCtx } from "../../access/caller.ts";
import type { MailCtx } from "../../platform/context.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { type EvaluatedPage, evaluatePage, toEvaluator } from "./evaluate-page.ts";
import { type CountState, getSegment, type SegmentRow } from "./queries.ts";
import { isShown, limits } from "./rules.ts";
import { type SegmentCountOut, toCount, toSegmentContact } from "./schema.ts";

const SAVE = "UPDATE segments SET count = ?3, count_step = count_step + 1 WHERE n = ?1 AND count_step = ?2";

/** Returns the statement that stores a count, unless the conditions changed or another run stored it. */
export const saveCountStatement = (ctx: MailCtx, { n, countStep }: SegmentRow, count: CountState) =>
  ctx.mail.prepare(SAVE).bind(n, countStep, JSON.stringify(count));

// The row of a count that ended may be claimed still: it finds nothing to do.
const INSERT_ROW = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref) SELECT ?1, ?2, 'segment', ?3 WHERE changes() > 0`;

const TOTAL = "SELECT coalesce(sum(contact_count), 0) AS total FROM contact_lists WHERE workspace = ?1";

/** Returns a count with a page of people. `now` in milliseconds since 1970. */
export function addPage(count: CountState, { matching, evaluated, last }: EvaluatedPage, now: number): CountState {
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
  const total = (await ctx.mail.prepare(TOTAL).bind(segment.workspace).first<number>("total")) ?? 0;
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
  const [saved] = await ctx.mail.batch([
    saveCountStatement(ctx, segment, next),
    ctx.mail.prepare(INSERT_ROW).bind(now, segment.id, JSON.stringify([segment.n])),
  ]);
  if (saved?.meta.changes === 1) await wakeAfterResponse(ctx, [{ dueAt: now, id: segment.id, kind: "segment" }]);
  return toCount(next);
}
