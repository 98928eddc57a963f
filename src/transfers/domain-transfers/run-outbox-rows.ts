import { nullIfMissing } from "../../lib/errors.ts";
import type { OutboxCtx, WakeUp } from "../../platform/context.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { cleanUp } from "./clean-up.ts";
import { transferObject } from "./object.ts";
import type { TransferRef } from "./outbox-rows.ts";
import { getTransfer } from "./queries.ts";
import { sendAcceptLink, sendStopLink, sendWithdrawal } from "./send-links.ts";

/** No further row is started after this many ms: half a lease. */
const RUN_MS = 60_000;

/**
 * Processes outbox rows of kind `transfer`. Every row may be repeated, so the claim only avoids double work. One that fails does
 * not keep the others from running; its lease then expires and the sweep finds it again. Throws the first error at the end.
 */
export async function runTransfers(ctx: OutboxCtx<"main">, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref }) => ((await runRow(ctx, JSON.parse(ref) as TransferRef)) ? "done" : { dueAt: ctx.now() }),
    () => ctx.now() < until,
  );
}

/** Does what a row is for. Returns false when it has to continue. */
async function runRow(ctx: OutboxCtx<"main">, ref: TransferRef): Promise<boolean> {
  if ("cleanUp" in ref) return cleanUp(ctx, ref.cleanUp);
  if ("deadline" in ref) {
    await transferObject(ctx, ref.deadline).runDeadline(ref.deadline, ctx.now());
    // While transfers are switched off nothing was done.
    return ctx.settings.domainTransfers;
  }
  const id = "acceptLink" in ref ? ref.acceptLink : "stopLink" in ref ? ref.stopLink : ref.withdrawn;
  const found = await getTransfer(ctx, { id }).catch(nullIfMissing);
  if (!found) return true;
  const { transfer } = found;
  if ("acceptLink" in ref) await sendAcceptLink(ctx, transfer);
  else if ("withdrawn" in ref) await sendWithdrawal(ctx, transfer);
  else await sendStopLink(ctx, transfer, ref.owner);
  return true;
}
