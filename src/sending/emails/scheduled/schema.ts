import * as z from "zod";
import { formatMailbox } from "../../../lib/addresses.ts";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import type { RecordRow } from "../queries.ts";
import { addressesOf } from "../serialize.ts";

/** A scheduled email. */
export const ScheduledOut = z
  .object({
    id: z.uuid(),
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    status: z.literal("scheduled"),
    tags: z.array(z.string()).nullable(),
    scheduled_at: timestamp,
    seconds_until_send: z.int().min(0),
    created_at: timestamp,
  })
  .meta(
    named("ScheduledEmail", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      from_address: "Example Shop <hello@example.com>",
      to_addresses: ["ada@example.org"],
      subject: "Your receipt",
      status: "scheduled",
      tags: ["receipt"],
      scheduled_at: "2026-12-01T09:00:00.000Z",
      seconds_until_send: 845232,
      created_at: "2026-11-21T14:12:48.000Z",
    }),
  );
export type ScheduledOut = z.output<typeof ScheduledOut>;

export const RescheduleIn = z
  .object({
    send_at: z.unknown().optional().meta({
      type: "string",
      format: "date-time",
      description: "ISO 8601 with an offset, from 1 minute to 30 days ahead. Any other value is a 400.",
    }),
  })
  .meta({ ref: "EmailReschedule", required: ["send_at"], examples: [{ send_at: "2026-12-01T09:00:00Z" }] });

/** The new status of a scheduled email. */
export const StatusOut = z
  .object({ id: z.uuid(), status: z.enum(["cancelled", "queued"]) })
  .meta(named("EmailMoved", { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01", status: "cancelled" }));
export type StatusOut = z.output<typeof StatusOut>;

/** Serializes a scheduled email; `now` in milliseconds since 1970. */
export function toScheduledRecord(row: RecordRow, now: number): ScheduledOut {
  const at = row.scheduledAt ?? 0;
  return serialize(ScheduledOut, {
    ...row,
    fromAddress: formatMailbox({ email: row.fromEmail, name: row.fromName }),
    toAddresses: addressesOf(row, "to"),
    status: "scheduled",
    scheduledAt: at,
    secondsUntilSend: Math.max(0, Math.ceil((at - now) / 1000)),
  });
}
