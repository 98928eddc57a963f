import type { WakeUp } from "../../src/outbox/index.ts";
import { sweep } from "../../src/outbox/index.ts";
import { runWork } from "../../src/queue.ts";
import { recordingContext } from "./workspace.ts";

/** Processes the outbox rows of these kinds that are due at `now`, as the sweep and the queue consumer do. */
export async function runWorkAt(
  now: number,
  settings: Record<string, unknown> = {},
  kinds: WakeUp["kind"][] = ["deliver", "purge", "release"],
): Promise<void> {
  const { ctx, woken } = recordingContext(settings, () => now);
  const takeDue = () => woken.splice(0).filter(({ dueAt, kind }) => dueAt <= now && kinds.includes(kind));
  await sweep(ctx);
  for (let rows = takeDue(); rows.length > 0; rows = takeDue()) await runWork(ctx, rows);
}
