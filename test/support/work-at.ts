import type { WakeUp } from "../../src/context.ts";
import { sweep } from "../../src/outbox/index.ts";
import { work } from "../../src/queue.ts";
import { quietContext } from "./workspace.ts";

/** Does all work that is due at a moment, as the sweep and the queue would; of some kinds only, if asked. */
export async function workAt(
  now: number,
  settings: Record<string, unknown> = {},
  kinds: WakeUp["kind"][] = ["deliver", "purge"],
): Promise<void> {
  const { ctx, woken } = quietContext(settings, () => now);
  await sweep(ctx);
  await work(
    ctx,
    woken.filter(({ dueAt, kind }) => dueAt <= now && kinds.includes(kind)),
  );
}
