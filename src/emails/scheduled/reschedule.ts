import type { CallerCtx } from "../../context.ts";
import { badRequest } from "../../errors.ts";
import { iso } from "../../lib/time.ts";
import { getEmail } from "../queries.ts";
import { readSendAt } from "../send/index.ts";
import { moveScheduled } from "./move.ts";
import { type ScheduledOut, toScheduled } from "./schema.ts";

/** Gives a scheduled email another time. Throws 400 for a bad send_at, 404 for one that is not scheduled (any more). */
export async function reschedule(ctx: CallerCtx, id: string, sendAt: unknown): Promise<ScheduledOut> {
  const now = ctx.now();
  const read = readSendAt(sendAt, now);
  if ("error" in read) throw badRequest(read.error);
  const { at } = read;
  await moveScheduled(ctx, id, {
    set: "scheduled_at = ?3, due_at = ?3",
    outboxChange: "UPDATE outbox SET due_at = ?3 WHERE",
    at,
    event: { id: ctx.newId(), type: "scheduled", at: now, metadata: { scheduled_at: iso(at) } },
  });
  return toScheduled({ ...(await getEmail(ctx, id)), scheduledAt: at }, now);
}
