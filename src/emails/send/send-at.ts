import { parseIso } from "../../lib/time.ts";
import { limits } from "../rules.ts";

/** The moment that a send_at names, in milliseconds, or why it is refused; `now` in milliseconds (specification: send_at). */
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
