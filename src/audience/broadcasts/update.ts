import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { type BroadcastChanges, changeBroadcast, givenIn, outboxRowStatement, requireTransition } from "./change.ts";
import { checkReferences, checkScheduledAt, checkTexts, domainOfSender } from "./check-references.ts";
import { type Broadcast, toMoreLists } from "./queries.ts";
import type { BroadcastOut, BroadcastPatch } from "./schema.ts";

/**
 * Changes the given fields of a draft or scheduled broadcast; null is a value. `scheduled_at` schedules it, or makes it a draft
 * (docs/contract/broadcasts.md#broadcast-statuses). Throws 404, 403 without `broadcasts:send` for one that is scheduled afterwards, 409 in any other status, 422 for a time that is not in the
 * future, 413 when it becomes too large, 422 with the place of a mistake in its texts.
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
    const changes = toChanges(patch);
    if (Object.keys(changes).length === 0) return null;
    await checkTexts(ctx, { ...broadcast.row, ...changes });
    if (patch.scheduled_at === undefined) return { changes };
    const { row } = broadcast;
    const status = requireTransition(broadcast, patch.scheduled_at === null ? "unschedule" : "schedule");
    return {
      changes: { ...changes, status },
      statements: [outboxRowStatement(ctx, row, patch.scheduled_at)],
    };
  });
}

/** Returns whether a change decides what is sent: the broadcast is scheduled afterwards. */
const isSent = ({ row }: Broadcast, { scheduled_at: at }: BroadcastPatch) =>
  at === undefined ? row.status === "scheduled" : at !== null;

/** Returns the columns of the fields that a patch has. Fields that the schema does not have are not in it. */
function toChanges(patch: BroadcastPatch): BroadcastChanges {
  const { from_address, more_contact_list_ids: more, ab_auto_promote: auto, ...fields } = patch;
  const given = {
    ...fields,
    ab_auto_promote: auto ? JSON.stringify(auto) : auto,
    more_lists: more === undefined ? more : toMoreLists(more),
  };
  const sender = from_address === undefined ? {} : { from_address, from_domain: domainOfSender(from_address) };
  return { ...givenIn(given), ...sender };
}
