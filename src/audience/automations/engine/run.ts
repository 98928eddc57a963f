import { nextTurn } from "../../../lib/yielding-steps.ts";
import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import { ConcurrencyError, guardedBatch } from "../../../platform/db/batch.ts";
import { mayExecute } from "../../../platform/db/count-statements.ts";
import { RefusedBatchError } from "../../../platform/db/refuse.ts";
import { HalvedPages } from "../../../platform/outbox/halves.ts";
import { wakeAutomations } from "../../../platform/person-events/wake.ts";
import { wakeForResults } from "../../../platform/webhook-events/wake.ts";
import { addedHistorySql, toHistory } from "../history.ts";
import { runEndedStatements } from "../webhook-events.ts";
import { EVENTS_PER_PAGE, enterRuns, postponeEvent } from "./enter.ts";
import { claimEngine, type EngineLease, releaseEngine, renewStatements } from "./lease.ts";
import { movePage } from "./move-page.ts";
import { type PlaceOfPage, postponeRun, RUNS_PER_PAGE } from "./read-due.ts";

/** No page begins later than this after the start, in milliseconds: a wake-up continues. */
const RUN_MS = 20_000;
/** D1 statements that a page may need. An invocation has 1,000. */
const PAGE_STATEMENTS = 250;
/** A next move that is due within this time gets a wake-up of its own, in milliseconds; the sweep finds later ones. */
const SOON_MS = 60_000;
/** Pages that may fail in a row because a run was changed meanwhile, before the sweep tries again. */
const MAX_CONFLICTS = 5;

/**
 * Moves the runs of automations of a mail database that are due: reads new events, which begin runs and end waits, and does the steps,
 * page by page, until nothing is due or the limits of the invocation are reached; then a wake-up continues. While another run works,
 * this does nothing and returns false: that one looks again before it ends.
 */
export async function runAutomations(ctx: MailCtx): Promise<boolean> {
  const lease = await claimEngine(ctx);
  if (lease === null) return false;
  let isDone = false;
  try {
    await work(ctx, lease);
    isDone = true;
  } finally {
    const next = await releaseEngine(ctx, lease);
    const wait = next === null ? null : next - ctx.now();
    // After an error the sweep tries again.
    if (isDone && wait !== null && wait < SOON_MS) await wakeAutomations(ctx, Math.max(0, Math.ceil(wait / 1_000)));
  }
  return true;
}

async function work(ctx: MailCtx, lease: EngineLease): Promise<void> {
  const started = ctx.now();
  const nextEvents = pagesOf(ctx, lease, EVENT_PAGES);
  const nextMoves = pagesOf(ctx, lease, RUN_PAGES);
  while (ctx.now() - started < RUN_MS && mayExecute(ctx, PAGE_STATEMENTS)) {
    const hasWork = [await nextEvents(), await sweepRuns(ctx, lease), await nextMoves()];
    await nextTurn();
    if (!hasWork.includes(true)) return;
  }
}

/** Work of the engine, page by page. */
interface Paged {
  name: "events" | "runs";
  /** Rows of a full page. */
  full: number;
  /** Does a page. Returns whether others may follow. */
  page: (ctx: MailCtx, lease: EngineLease, place: PlaceOfPage) => Promise<boolean>;
  /** Makes the first row of a page wait, after a page of it alone failed by its content, so that it holds up no other. */
  postpone: (ctx: MailCtx, place: PlaceOfPage) => MailStatement;
}

/**
 * Returns a function that does the next page, in halves from the same place after one that failed, and lets what fails alone wait. It returns
 * false when nothing is left to do, and throws ConcurrencyError when the lease was lost.
 */
function pagesOf(ctx: MailCtx, lease: EngineLease, { name, full, page, postpone }: Paged): () => Promise<boolean> {
  const sizes = new HalvedPages(full);
  let conflicts = 0;
  let start = Math.random();
  return async () => {
    const place = { size: sizes.size, start };
    try {
      const hasMore = await page(ctx, lease, place);
      conflicts = 0;
      start = Math.random();
      return hasMore;
    } catch (error) {
      // A run was taken out or erased meanwhile, another run has the engine, or the emails of a workspace reached its limit.
      const isConflict = error instanceof ConcurrencyError || error instanceof RefusedBatchError;
      if (isConflict && ++conflicts > MAX_CONFLICTS) throw error;
      if (isConflict) return true;
      ctx.log("automations.page_failed", { shard: ctx.shard, [name]: place.size, error: String(error) });
      if (sizes.isAlone(error)) await guardedBatch(ctx.mail, [...renewStatements(ctx, lease), postpone(ctx, place)]);
      return true;
    }
  };
}

const EVENT_PAGES: Paged = { name: "events", full: EVENTS_PER_PAGE, page: enterRuns, postpone: postponeEvent };

const RUN_PAGES: Paged = {
  name: "runs",
  full: RUNS_PER_PAGE,
  page: async (ctx, lease, place) => {
    const { moved, hasMore } = await movePage(ctx, lease, place);
    const { counts } = ctx;
    counts?.set("automation_moves", (counts.get("automation_moves") ?? 0) + moved);
    return moved > 0 || hasMore;
  },
  postpone: postponeRun,
};

/** Active runs of an automation that one step resumes or ends. */
const RUNS_PER_STEP = 500;

const FIND = `
  SELECT a.n, a.workspace, a.sweep, a.sweep_after, (
    SELECT json_group_array(json_object('n', n, 'version', version)) FROM (
      SELECT r.n, r.version FROM automation_runs r
       WHERE r.automation = a.n AND r.status = 'active' AND r.n > a.sweep_after ORDER BY r.n LIMIT ?1)) AS runs
    FROM automations a WHERE a.sweep IS NOT NULL ORDER BY a.n LIMIT 1`;

// An event that a run waits for may have come while it was held.
const RESUME = `
  UPDATE automation_runs SET is_held = 0, due_at = iif(wait_event IS NULL, coalesce(wait_until, ?2), ?2)
   WHERE n IN (SELECT value FROM json_each(?1)) AND status = 'active' AND is_held = 1`;

const END = `
  UPDATE automation_runs SET status = 'exited', node = NULL, due_at = NULL, wait_until = NULL, wait_event = NULL, is_held = 0,
    history = ${addedHistorySql("?3")}, ended_at = ?2
   WHERE n IN (SELECT value FROM json_each(?1)) AND status = 'active' RETURNING version`;

const COUNT_EXITED = `
  INSERT INTO automation_counts (version, step, workspace, runs)
  SELECT r.version, 'exited', r.workspace, count(*) FROM automation_runs r
   WHERE r.n IN (SELECT value FROM json_each(?1)) AND r.status = 'active' GROUP BY r.version
  ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`;

const PASS = "UPDATE automations SET sweep_after = ?2, sweep = iif(?3, NULL, sweep) WHERE n = ?1 AND sweep = ?4";

interface Sweep {
  n: number;
  sweep: "resume" | "end";
  runs: string;
}

/**
 * Does the next part of what is to be done to all active runs of an automation: they go on once it is active again, or end when it is
 * archived. Returns false when no automation has such work. Throws ConcurrencyError when the lease was lost.
 */
async function sweepRuns(ctx: MailCtx, lease: EngineLease): Promise<boolean> {
  const db = ctx.mail;
  const found = await db.findRow<Sweep>(FIND, RUNS_PER_STEP);
  if (!found) return false;
  const numbers = (JSON.parse(found.runs) as { n: number }[]).map(({ n }) => n);
  const json = JSON.stringify(numbers);
  const line = toHistory([{ at: ctx.now(), step: null, text: "Left: the automation was archived." }]);
  const changes =
    found.sweep === "resume"
      ? [db.prepare(RESUME).bind(json, ctx.now())]
      : [db.prepare(COUNT_EXITED).bind(json), db.prepare(END).bind(json, ctx.now(), line)];
  const ends = found.sweep === "end" ? numbers.map((n) => ({ n, status: "exited" })) : [];
  const ended = runEndedStatements(ctx, ends);
  const isLast = numbers.length < RUNS_PER_STEP;
  const results = await guardedBatch(db, [
    ...ended,
    ...renewStatements(ctx, lease),
    ...(numbers.length > 0 ? changes : []),
    db.prepare(PASS).bind(found.n, isLast ? 0 : (numbers.at(-1) ?? 0), Number(isLast), found.sweep),
  ]);
  await wakeForResults(ctx, results.slice(0, ended.length));
  return true;
}
