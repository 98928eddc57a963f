import type { CallerCtx } from "../../../access/caller.ts";
import { notFound } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import type { OutboxCtx } from "../../../platform/context.ts";
import { onMain, onShard, shardNumbers } from "../../../platform/jobs/shards.ts";

/** Returns the context with the outbox of `main`, or of the mail database of a number. Throws 404 for one that the deployment does not have. */
export function outboxOf(ctx: CallerCtx, database: string): OutboxCtx {
  if (database === "main") return onMain(ctx);
  const number = shardNumbers(ctx).find((known) => String(known) === database);
  if (number === undefined) throw notFound("Database");
  return onShard(ctx, number);
}

/** Records a change of rows of an outbox before it is made: the mail databases are not part of the transaction. */
export async function recordChange(
  ctx: CallerCtx,
  action: "outbox.requeued" | "quarantine.retried" | "quarantine.dropped",
  database: string,
  ids: readonly string[],
): Promise<void> {
  await auditStatement({ ...ctx, workspace: null }, { action, target: database, detail: { ids } }).run();
}
