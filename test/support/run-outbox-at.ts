import type { MailCtx, OutboxCtx, WakeUp } from "../../src/platform/context.ts";
import { onMain, onShard } from "../../src/platform/jobs/shards.ts";
import { sweep } from "../../src/platform/outbox/sweep.ts";
import { runOutboxRows } from "../../src/run-outbox.ts";
import { recordingContext } from "./workspace.ts";

/**
 * Processes the outbox rows of these kinds that are due at `now`, in the main database and in a mail database, without `shard` that
 * of the test file, as the sweep and the queue consumer do.
 */
export async function runOutboxAt(
  now: number,
  settings: Record<string, unknown> = {},
  kinds: WakeUp["kind"][] = ["deliver", "purge", "release"],
  shard?: number,
): Promise<void> {
  const { ctx, woken } = recordingContext(settings, () => now);
  await runDue({ ...onMain(ctx), wake: ctx.wake }, woken, kinds);
  await runDue(shard === undefined ? ctx : { ...onShard(ctx, shard), wake: ctx.wake }, woken, kinds);
}

async function runDue(ctx: MailCtx | OutboxCtx<"main">, woken: WakeUp[], kinds: WakeUp["kind"][]): Promise<void> {
  const takeDue = () => woken.splice(0).filter(({ dueAt, kind }) => dueAt <= ctx.now() && kinds.includes(kind));
  await sweep(ctx);
  for (let rows = takeDue(); rows.length > 0; rows = takeDue()) await runOutboxRows(ctx, rows);
}
