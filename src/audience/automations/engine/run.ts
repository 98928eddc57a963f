import { nextTurn } from "../../../lib/yielding-steps.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { ConcurrencyError, RefusedBatchError } from "../../../platform/db/batch.ts";
import { wakeAutomations } from "../../../platform/person-events/wake.ts";
import { EVENTS_PER_PAGE, enterRuns } from "./enter.ts";
import { claimEngine, type EngineLease, releaseEngine } from "./lease.ts";
import { movePage } from "./move-page.ts";
import { postponeFirst } from "./postpone.ts";
import { RUNS_PER_PAGE } from "./read-due.ts";
import { sweepRuns } from "./sweep.ts";

/** No page begins later than this after the start, in milliseconds: a wake-up continues. */
const RUN_MS = 20_000;
/** D1 statements that a page may need. An invocation has 1,000. */
const PAGE_STATEMENTS = 250;
/** A next move that is due within this time gets a wake-up of its own, in milliseconds; the sweep finds later ones. */
const SOON_MS = 60_000;
/** Full pages of moves after which a page of events is read: who has entered goes before who enters. */
const PAGES_PER_EVENTS = 5;
/** Pages of one run after a page failed: the run that made it fail is probably among them. */
const SINGLE_PAGES = 20;
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
    const { hasWork, next } = await releaseEngine(ctx, lease);
    const wait = hasWork ? 0 : next === null ? null : next - ctx.now();
    // After an error the sweep tries again.
    if (isDone && wait !== null && wait < SOON_MS) await wakeAutomations(ctx, Math.max(0, Math.ceil(wait / 1_000)));
  }
  return true;
}

async function work(ctx: MailCtx, lease: EngineLease): Promise<void> {
  const started = ctx.now();
  const mover = new Mover(ctx, lease);
  while (ctx.now() - started < RUN_MS && mayStart(ctx)) {
    const events = await enterRuns(ctx, lease);
    const swept = await sweepRuns(ctx, lease);
    let hasMoved = true;
    for (let page = 0; hasMoved && page < PAGES_PER_EVENTS && mayStart(ctx); page++) {
      hasMoved = await mover.next();
      await nextTurn();
    }
    if (!hasMoved && !swept && events < EVENTS_PER_PAGE) return;
  }
}

const mayStart = ({ limits }: MailCtx): boolean => limits === undefined || limits.statements >= PAGE_STATEMENTS;

/** Moves page after page. After an error it moves runs one by one for a time, and lets one that fails alone wait. */
class Mover {
  readonly #ctx: MailCtx;
  readonly #lease: EngineLease;
  #conflicts = 0;
  /** Pages of one run that are left. */
  #single = 0;

  constructor(ctx: MailCtx, lease: EngineLease) {
    this.#ctx = ctx;
    this.#lease = lease;
  }

  /** Returns false when no run is due. Throws ConcurrencyError when the lease was lost. */
  async next(): Promise<boolean> {
    const isSingle = this.#single > 0;
    try {
      const { moved, hasMore } = await movePage(this.#ctx, this.#lease, isSingle ? 1 : RUNS_PER_PAGE);
      this.#conflicts = 0;
      if (isSingle) this.#single -= 1;
      this.#count(moved);
      return moved > 0 || hasMore;
    } catch (error) {
      // A run was taken out or erased meanwhile, another run has the engine, or the emails of a workspace reached its limit.
      const isConflict = error instanceof ConcurrencyError || error instanceof RefusedBatchError;
      if (isConflict && ++this.#conflicts > MAX_CONFLICTS) throw error;
      if (!isConflict) await this.#fail(error, isSingle);
      return true;
    }
  }

  async #fail(error: unknown, isSingle: boolean): Promise<void> {
    this.#ctx.log("automations.page_failed", { shard: this.#ctx.shard, single: isSingle, error: String(error) });
    if (isSingle) await postponeFirst(this.#ctx, this.#lease);
    else this.#single = SINGLE_PAGES;
  }

  #count(moved: number): void {
    const { counts } = this.#ctx;
    counts?.set("automation_moves", (counts.get("automation_moves") ?? 0) + moved);
  }
}
