import type { MailCtx, MailStatement } from "../../platform/context.ts";
import type { StoredInboundEvent } from "./get.ts";

/** Events of an inbound email, and their bytes: everyone who gets a forward can write to its return path, and D1 takes no row of 2 MB. */
const MAX_EVENTS = 500;
const MAX_BYTES = 600_000;

const APPEND = `
  UPDATE inbound_emails SET events = json_insert(events, '$[#]', json(?3))
   WHERE workspace = ?1 AND id = ?2 AND json_array_length(events) < ${MAX_EVENTS} AND octet_length(events) < ${MAX_BYTES}
     AND NOT EXISTS (SELECT 1 FROM json_each(events) e WHERE e.value->>'report_id' = json(?3)->>'report_id')`;

/** Returns the statement that adds an event to an inbound email. A report that has a `report_id` is added once. */
export function appendEventStatement(
  ctx: MailCtx,
  { workspace, id }: { workspace: number; id: string },
  event: StoredInboundEvent,
): MailStatement {
  return ctx.mail.prepare(APPEND).bind(workspace, id, JSON.stringify(event));
}
