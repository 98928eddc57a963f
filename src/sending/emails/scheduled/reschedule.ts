import type { CallerCtx } from "../../../access/caller.ts";
import { badRequest } from "../../../lib/errors.ts";
import { iso } from "../../../lib/time.ts";
import { getEmail } from "../queries.ts";
import { limits } from "../rules.ts";
import { readSendAt } from "../send/index.ts";
import { changeScheduled } from "./change-scheduled.ts";
import { type ScheduledOut, toScheduledRecord } from "./schema.ts";

const SCHEDULED_EVENTS = "SELECT count(*) FROM json_each(events) v WHERE v.value->>'type' = 'scheduled'";

/** Changes the send time. Throws 400 for an invalid one, 404 unless it is scheduled, 409 after `limits.moves` changes. */
export async function reschedule(ctx: CallerCtx, emailId: string, sendAt: unknown): Promise<ScheduledOut> {
  const id = emailId.toLowerCase();
  const now = ctx.now();
  const read = readSendAt(sendAt, now);
  if ("error" in read) throw badRequest(read.error);
  const { at } = read;
  await changeScheduled(ctx, id, {
    action: "rescheduled",
    set: "scheduled_at = ?3",
    condition: `(${SCHEDULED_EVENTS}) <= ${limits.moves}`,
    dueAt: at,
    event: { id: ctx.newId(), type: "scheduled", at: now, metadata: { scheduled_at: iso(at) } },
  });
  return toScheduledRecord({ ...(await getEmail(ctx, id)), scheduledAt: at }, now);
}
