import { invalidField } from "../../lib/errors.ts";
import { firstZone, fromLocalMinute, toLocalMinute } from "../../lib/local-time.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { metadataOf, type PageContact } from "./new-email.ts";
import type { BroadcastRow } from "./queries.ts";

/** The time of day at which each contact gets a broadcast, by its own clock (docs/contract/broadcasts.md#local-time). Times are in ms since 1970. */

/** Greatest offsets of a zone from UTC, east and west. */
const EAST_MS = 14 * HOUR_MS;
const WEST_MS = 12 * HOUR_MS;

type Scheduled = Pick<BroadcastRow, "scheduled_at" | "local_time_field">;

/** Returns when a contact gets its email: `now`, or the later local time of the broadcast. `zone`: of the workspace. Pure. */
export function localTimes(
  { scheduled_at: at, local_time_field: field }: Scheduled,
  zone: string,
  now: number,
): (contact: Pick<PageContact, "metadata">) => number {
  if (at === null || field === null) return () => now;
  const wallTime = toLocalMinute(new Date(at), zone);
  const known = new Map([[zone, at]]);
  return (contact) => {
    const own = firstZone(metadataOf(contact)[field], zone);
    const time = known.get(own) ?? (fromLocalMinute(wallTime, own)?.getTime() ?? at) + (at % MINUTE_MS);
    known.set(own, time);
    return Math.max(now, time);
  };
}

/** Returns when a broadcast begins: at its time, or when the easternmost clock shows that. `zone`: that of its workspace. Pure. */
export const startOf = ({ scheduled_at: at, local_time_field: field }: Scheduled, zone: string): number | null =>
  at === null || field === null ? at : Date.parse(`${toLocalMinute(new Date(at), zone)}Z`) - EAST_MS;

/** Returns when a scheduled broadcast is first looked at: no later than its start, whatever the zone of its workspace is then. Pure. */
export const firstLookAt = ({ scheduled_at: at, local_time_field: field }: Scheduled): number | null =>
  at === null || field === null ? at : at - EAST_MS - WEST_MS;

/** Throws 422 for a broadcast with a sample, which is compared before the last zone has it. */
export function checkLocalTime({ local_time_field: field, ab_test_pct: pct }: BroadcastRow): void {
  if (field !== null && pct !== null)
    throw invalidField("local_time_field", "local_time_field cannot be combined with ab_test_pct");
}
