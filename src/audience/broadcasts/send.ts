import type { CallerCtx } from "../../access/caller.ts";
import { invalidField, unprocessable } from "../../lib/errors.ts";
import { requireTransition, startFanOut } from "./change.ts";
import { checkStart } from "./check-start.ts";
import { serializeFanOut } from "./fan-out.ts";
import type { BroadcastOut } from "./schema.ts";

const SCHEDULED_ONLY =
  "A broadcast with local_time_field is sent by scheduled_at; set the field to null to send it now";

/**
 * Sends a draft or scheduled broadcast: fixes its audience and hands it to the fan-out (docs/contract/broadcasts.md#audience).
 * Throws 403 when the account or workspace may not send, 404, 409 in any other status, 422 for what it lacks.
 */
export function sendBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  return startFanOut(ctx, id, async (broadcast) => {
    const status = requireTransition(broadcast, "send");
    if (broadcast.row.local_time_field !== null) throw invalidField("local_time_field", SCHEDULED_ONLY);
    const checked = await checkStart(ctx, broadcast, ctx.actor.domainIds);
    if ("errors" in checked) throw unprocessable(checked.errors);
    return { status, fan_out: serializeFanOut(checked.fanOut) };
  });
}
