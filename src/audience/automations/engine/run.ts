import { nextTurn } from "../../../lib/yielding-steps.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { ConcurrencyError, RefusedBatchError } from "../../../platform/db/batch.ts";
import { wakeAutomations } from "../../../platform/person-events/index.ts";
import { EVENTS_PER_PAGE, enterRuns } from "./enter.ts";
import { claimEngine, type EngineLease, releaseEngine } from "./lease.ts";
import { movePage } from "./move-page.ts";
import { sweepRuns } from "./sweep.ts";

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
 * this does nothing: that one looks again before it ends.
 */
export async function runAutomations(ctx: MailCtx): Promise<void> {
  const lease = await claimEngine(ctx);
  if (lease === null) return;
  try {
    await work(ctx, lease);
  } finally {
    const { hasWork, next } = await releaseEngine(ctx, lease);
    const wait = hasWork ? 0 : next === null ? null : next - ctx.now();
    if (wait !== null && wait < SOON_MS) await wakeAutomations(ctx, Math.max(0, Math.ceil(wait / 1_000)));
  }
}

async function work(ctx: MailCtx, lease: EngineLease): Promise<void> {
  const started = ctx.now();
  let conflicts = 0;
  while (ctx.now() - started < RUN_MS && mayStart(ctx)) {
    try {
      const events = await enterRuns(ctx, lease);
      const swept = await sweepRuns(ctx, lease);
      const { moved, hasMore } = await movePage(ctx, lease);
      ctx.counts?.set("automation_moves", (ctx.counts.get("automation_moves") ?? 0) + moved);
      if (moved === 0 && !hasMore && !swept && events < EVENTS_PER_PAGE) return;
      conflicts = 0;
    } catch (error) {
      // A run was taken out or erased meanwhile, another run has the engine, or the emails of a workspace reached its limit.
      const isConflict = error instanceof ConcurrencyError || error instanceof RefusedBatchError;
      if (!isConflict || ++conflicts > MAX_CONFLICTS) throw error;
    }
    await nextTurn();
  }
}

const mayStart = ({ limits }: MailCtx): boolean => limits === undefined || limits.statements >= PAGE_STATEMENTS;
