import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import type { MailStatement } from "../../platform/context.ts";
import { guardedBatch } from "../../platform/db/batch.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { checkSize } from "./change.ts";
import { checkReferences, checkScheduledAt, checkTexts } from "./check-references.ts";
import { zeroCounts } from "./counts.ts";
import { checkLocalTime, firstLookAt } from "./local-times.ts";
import { insertStatements, newRow, toColumns } from "./new-row.ts";
import { type BroadcastRow, toRecord } from "./queries.ts";
import type { BroadcastIn, BroadcastOut } from "./schema.ts";

/**
 * Creates a broadcast: a draft, or scheduled when it has a time. Throws 404 for its list, mailbox, topic or segment, 422 for a time that is
 * not in the future, 403 for a time without `broadcasts:send`, 413 when it is too large, 422 with the place of a mistake in its texts.
 */
export async function createBroadcast(ctx: CallerCtx, input: BroadcastIn): Promise<BroadcastOut> {
  checkScheduledAt(ctx, input.scheduled_at);
  if (input.scheduled_at) requireScopes(ctx.actor, "broadcasts:send");
  await checkReferences(ctx, input);
  const status = input.scheduled_at ? "scheduled" : "draft";
  return insertBroadcast(ctx, newRow(ctx, { text_from_html: 1, ...toColumns(input), status }));
}

/** Checks and inserts the row of a new broadcast, before the `further` statements of the same transaction. Throws as `createBroadcast` does. */
export async function insertBroadcast(
  ctx: CallerCtx,
  row: BroadcastRow,
  further: readonly MailStatement[] = [],
): Promise<BroadcastOut> {
  requireMailSpace(ctx);
  checkLocalTime(row);
  const response = toRecord(ctx.workspace.id, { row, fanOut: null, counts: zeroCounts });
  const size = checkSize(response);
  await checkTexts(ctx, row);
  await guardedBatch(ctx.mail, [
    ...insertStatements(ctx, { ...row, size }, firstLookAt(row)),
    ...further,
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}
