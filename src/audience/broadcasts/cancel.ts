import type { CallerCtx } from "../../access/caller.ts";
import { notifyOwners } from "../../notices/notifications/index.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { changeBroadcast, outboxRowStatement, requireTransition } from "./change.ts";
import type { BroadcastOut } from "./schema.ts";

/**
 * Cancels a scheduled or sending broadcast. Emails that were not given to the egress yet are cancelled at dispatch; those in
 * flight still leave (docs/contract/broadcasts.md#pause-and-cancel). Throws 404, and 409 in any other status.
 */
export async function cancelBroadcast(ctx: CallerCtx, id: string): Promise<BroadcastOut> {
  const response = await changeBroadcast(ctx, id, (broadcast) => ({
    changes: { status: requireTransition(broadcast, "cancel"), paused_at: null },
    // The row of one that is sending may wait for the next time zone. It deletes the members now.
    statements: [outboxRowStatement(ctx, broadcast.row, broadcast.row.status === "scheduled" ? null : ctx.now())],
  }));
  await notifyOwners(ctx, ctx.workspace.number, {
    category: "sends",
    severity: "warning",
    href: `/broadcasts/${response.id}`,
    title: `The broadcast ${response.name} was cancelled`,
    body: `${ctx.actor.email} has cancelled it. Emails that had left by then are delivered.`,
    key: `broadcast-cancelled ${response.id}`,
  });
  // A run that finds the waiting emails cancels them.
  await wakeAfterResponse(ctx, [{ dueAt: ctx.now(), id: ctx.newId(), kind: "bulk" }]);
  return response;
}
