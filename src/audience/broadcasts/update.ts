import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { changeBroadcast, outboxRowStatement, requireTransition } from "./change.ts";
import { checkReferences, checkScheduledAt, checkTexts } from "./check-references.ts";
import { checkLocalTime, firstLookAt } from "./local-times.ts";
import { toColumns } from "./new-row.ts";
import type { Broadcast } from "./queries.ts";
import type { BroadcastOut, BroadcastPatch } from "./schema.ts";

/**
 * Changes the given fields of a draft or scheduled broadcast; null is a value. `scheduled_at` schedules it, or makes it a draft
 * (docs/contract/broadcasts.md#broadcast-statuses). Throws 404, 403 without `broadcasts:send` for one that is scheduled afterwards, 409 in
 * any other status, 422 for a time that is not in the future, 413 when it becomes too large, 422 with the place of a mistake in its texts.
 */
export async function updateBroadcast(ctx: CallerCtx, id: string, patch: BroadcastPatch): Promise<BroadcastOut> {
  let isChecked = false;
  return changeBroadcast(ctx, id, async (broadcast) => {
    requireTransition(broadcast, "edit");
    if (isSent(broadcast, patch)) requireScopes(ctx.actor, "broadcasts:send");
    if (!isChecked) {
      checkScheduledAt(ctx, patch.scheduled_at);
      await checkReferences(ctx, patch);
      isChecked = true;
    }
    const changes = toColumns(patch);
    if (Object.keys(changes).length === 0) return null;
    const changed = { ...broadcast.row, ...changes };
    checkLocalTime(changed);
    await checkTexts(ctx, changed);
    if (patch.scheduled_at === undefined && patch.local_time_field === undefined) return { changes };
    const status = requireTransition(broadcast, changed.scheduled_at === null ? "unschedule" : "schedule");
    return {
      changes: { ...changes, status },
      statements: [outboxRowStatement(ctx, broadcast.row, firstLookAt(changed))],
    };
  });
}

/** Returns whether a change decides what is sent: the broadcast is scheduled afterwards. */
const isSent = ({ row }: Broadcast, { scheduled_at: at }: BroadcastPatch) =>
  at === undefined ? row.status === "scheduled" : at !== null;
