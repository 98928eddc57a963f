import { AppError } from "../../lib/errors.ts";
import type { WorkCtx } from "../../platform/context.ts";
import {
  CLAIM_ROWS,
  type ClaimedRow,
  claimStatement,
  finishStatement,
  newLease,
  releaseStatement,
  type WakeUp,
} from "../../platform/outbox/index.ts";
import { cleanUp } from "./clean-up.ts";
import { transferObject } from "./object.ts";
import { getTransfer, type TransferRow } from "./queries.ts";
import { sendAcceptLink, sendStopLink } from "./send-links.ts";
import type { TransferTask } from "./tasks.ts";

/** No further task is started after this many ms: half a lease. */
const RUN_MS = 60_000;

/**
 * Runs background work of transfers. Every task may be repeated, so the claim only avoids double work. One that fails does
 * not keep the others from running; its lease then expires and the sweep finds it again. Throws the first error at the end.
 */
export async function runTransferTasks(ctx: WorkCtx<"main">, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  const errors: unknown[] = [];
  for (const wakeUp of wakeUps.slice(0, CLAIM_ROWS)) {
    if (ctx.now() >= until) break;
    try {
      await runOne(ctx, wakeUp);
    } catch (error) {
      ctx.log("transfer.task.failed", { task: wakeUp.id, error: String(error) });
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function runOne(ctx: WorkCtx<"main">, wakeUp: WakeUp): Promise<void> {
  const lease = newLease(ctx);
  const { results } = await claimStatement(ctx, [wakeUp], lease).all<ClaimedRow>();
  const [row] = results;
  if (!row) return;
  const isDone = await runTask(ctx, JSON.parse(row.ref) as TransferTask);
  const finishOrRelease = isDone ? finishStatement : releaseStatement;
  await finishOrRelease(ctx, lease, [row.id]).run();
}

/** Runs a task. Returns false when it has to continue. */
async function runTask(ctx: WorkCtx<"main">, task: TransferTask): Promise<boolean> {
  if ("cleanUp" in task) return cleanUp(ctx, task.cleanUp);
  if ("deadline" in task) {
    await transferObject(ctx, task.deadline).runDeadline(task.deadline, ctx.now());
    // While transfers are switched off nothing was done.
    return ctx.settings.domainTransfers;
  }
  const transfer = await findTransfer(ctx, "acceptLink" in task ? task.acceptLink : task.stopLink);
  if (!transfer) return true;
  if ("acceptLink" in task) await sendAcceptLink(ctx, transfer);
  else await sendStopLink(ctx, transfer, task.owner);
  return true;
}

async function findTransfer(ctx: WorkCtx<"main">, id: string): Promise<TransferRow | null> {
  try {
    return (await getTransfer(ctx, { id })).transfer;
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}
