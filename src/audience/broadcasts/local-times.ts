import { invalidField } from "../../lib/errors.ts";
import { firstZone, fromLocalMinute, toLocalMinute } from "../../lib/local-time.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { metadataOf, type PageContact } from "./new-email.ts";
import type { BroadcastRow } from "./queries.ts";

/** The time of day at which each contact gets a broadcast, by its own clock (docs/contract/broadcasts.md#local-time). */
export interface LocalTime {
  /** Key of the metadata that names the zone of a contact. */
  field: string;
  /** `scheduled_at`, in ms since 1970. */
  at: number;
  /** Zone whose clock shows this time of day at `at`, and of contacts without a zone of their own. */
  zone: string;
}

/** Greatest offsets of a zone from UTC, east and west. */
const EAST_MS = 14 * HOUR_MS;
const WEST_MS = 12 * HOUR_MS;

type Scheduled = Pick<BroadcastRow, "scheduled_at" | "local_time_field">;

/** Returns the local time of a broadcast, or null when all contacts get it at once. `zone`: that of its workspace, if it has one. Pure. */
export function localTimeOf(
  { scheduled_at: at, local_time_field: field }: Scheduled,
  zone: string | null,
): LocalTime | null {
  return at === null || field === null ? null : { field, at, zone: firstZone(zone) };
}

/** Returns the function that tells when a contact gets its email, in ms since 1970: at its local time if that is later than `now`. Pure. */
export function localTimes(
  localTime: LocalTime | undefined,
  now: number,
): (contact: Pick<PageContact, "metadata">) => number {
  if (!localTime) return () => now;
  const { field, at, zone } = localTime;
  const wallTime = toLocalMinute(new Date(at), zone);
  const known = new Map([[zone, at]]);
  return (contact) => {
    const own = firstZone(metadataOf(contact)[field], zone);
    const time = known.get(own) ?? (fromLocalMinute(wallTime, own)?.getTime() ?? at) + (at % MINUTE_MS);
    known.set(own, time);
    return Math.max(now, time);
  };
}

/** Returns when a broadcast begins, in ms since 1970: at its time, or when the easternmost clock shows that. `zone`: that of its workspace. Pure. */
export function startOf(row: Scheduled, zone: string | null): number | null {
  const local = localTimeOf(row, zone);
  return local ? Date.parse(`${toLocalMinute(new Date(local.at), local.zone)}Z`) - EAST_MS : row.scheduled_at;
}

/** Returns when a scheduled broadcast is first looked at: no later than its start, whatever the zone of its workspace is then. Pure. */
export const firstLookAt = ({ scheduled_at: at, local_time_field: field }: Scheduled): number | null =>
  at === null || field === null ? at : at - EAST_MS - WEST_MS;

/** Throws 422 for a broadcast with a sample, which is compared before the last zone has it. */
export function checkLocalTime({ local_time_field: field, ab_test_pct: pct }: BroadcastRow): void {
  if (field !== null && pct !== null)
    throw invalidField("local_time_field", "local_time_field cannot be combined with ab_test_pct");
}
