import { parseIso } from "../../../lib/time.ts";
import { limits } from "../rules.ts";

/** Parses a `send_at` (docs/contract/requests.md#ids-and-times): its time, or why it is refused. Times in ms since 1970. */
export function readSendAt(sendAt: unknown, now: number): { at: number } | { error: string } {
  const at = typeof sendAt === "string" ? parseIso(sendAt) : null;
  if (at === null) {
    return { error: "send_at must be an ISO 8601 time with an offset, such as 2026-01-31T09:00:00Z" };
  }
  if (at < now + limits.scheduleMinMs || at > now + limits.scheduleMaxMs) {
    return { error: "send_at must be between 1 minute and 30 days in the future" };
  }
  return { at };
}
