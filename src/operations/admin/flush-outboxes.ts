import type { CallerCtx } from "../../access/caller.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { forEachShard } from "../../platform/jobs/shards.ts";
import { flushOutbox } from "../../sending/delivery/index.ts";

/**
 * Makes the oldest emails that wait after an outage of the egress due now: 500 in each mail database, whose successes release
 * the rest (docs/contract/operations.md#outbox-and-dead-letters). Returns their number. Safe to repeat.
 */
export async function flushOutboxes(ctx: CallerCtx): Promise<number> {
  // Recorded first: the mail databases are not part of the transaction.
  await auditStatement({ ...ctx, workspace: null }, { action: "outbox.flushed", target: "all" }).run();
  let released = 0;
  await forEachShard(ctx, async (mailCtx) => {
    released += await flushOutbox(mailCtx);
  });
  return released;
}
