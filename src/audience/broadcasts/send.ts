import type { CallerCtx } from "../../access/caller.ts";
import { invalidField, unprocessable } from "../../lib/errors.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { requireSendingAllowed } from "../../sending/emails/index.ts";
import { changeBroadcast, outboxRowStatement, requireTransition } from "./change.ts";
import { checkStart } from "./check-start.ts";
import { serializeFanOut } from "./fan-out.ts";
import type { BroadcastOut } from "./schema.ts";

const SCHEDULED_ONLY =
  "A broadcast with local_time_field is sent by scheduled_at; set the field to null to send it now";

/**
 * Sends a draft or scheduled broadcast: fixes its audience and hands it to the fan-out (docs/contract/broadcasts.md#audience).
 * Throws 403 when the account or workspace may not send, 404, 409 in any other status, 422 for what it lacks.
 */
export async function sendBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  requireSendingAllowed(ctx, "broadcast");
  const now = ctx.now();
  let rowId = "";
  const response = await changeBroadcast(ctx, id, async (broadcast) => {
    const status = requireTransition(broadcast, "send");
    const { row } = broadcast;
    if (row.local_time_field !== null) throw invalidField("local_time_field", SCHEDULED_ONLY);
    const checked = await checkStart(ctx, broadcast, ctx.actor.domainIds);
    if ("errors" in checked) throw unprocessable(checked.errors);
    rowId = row.id;
    return {
      changes: { status, fan_out: serializeFanOut(checked.fanOut), fan_out_step: row.fan_out_step + 1 },
      statements: [outboxRowStatement(ctx, row, now)],
    };
  });
  await wakeAfterResponse(ctx, [{ dueAt: now, id: rowId, kind: "broadcast" }]);
  return response;
}
