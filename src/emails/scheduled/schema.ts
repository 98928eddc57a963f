import { z } from "zod";
import { formatMailbox } from "../../lib/addresses.ts";
import { iso } from "../../lib/time.ts";
import type { RecordRow } from "../queries.ts";
import type { RecipientEntry } from "../timeline/index.ts";

const timestamp = z.string().meta({ format: "date-time" });

/** An email that waits for its time (specification: Scheduled email record). */
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
  .meta({ ref: "ScheduledEmail" });
export type ScheduledOut = z.output<typeof ScheduledOut>;

export const RescheduleIn = z
  .object({
    send_at: z.unknown().optional().meta({
      type: "string",
      format: "date-time",
      description: "ISO 8601 with an offset, from 1 minute to 30 days ahead. Any fault is a 400.",
    }),
  })
  .meta({ ref: "EmailReschedule" });

/** What a move has made of an email. */
export const MovedOut = z.object({ id: z.uuid(), status: z.enum(["cancelled", "queued"]) }).meta({ ref: "EmailMoved" });
export type MovedOut = z.output<typeof MovedOut>;

export function toScheduled(row: RecordRow, now: number): ScheduledOut {
  const recipients = JSON.parse(row.recipients) as RecipientEntry[];
  const at = row.scheduledAt ?? 0;
  return {
    id: row.id,
    from_address: formatMailbox({ email: row.fromEmail, name: row.fromName }),
    to_addresses: recipients.filter(({ kind }) => kind === "to").map(({ email }) => email),
    subject: row.subject,
    status: "scheduled",
    tags: row.tags === null ? null : (JSON.parse(row.tags) as string[]),
    scheduled_at: iso(at),
    seconds_until_send: Math.max(0, Math.ceil((at - now) / 1000)),
    created_at: iso(row.createdAt),
  };
}
