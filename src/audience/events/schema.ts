import * as z from "zod";
import { addressField } from "../../lib/address-field.ts";
import { objectField } from "../../lib/object-field.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { eventLimits, eventNameIssue } from "../../platform/person-events/rules.ts";
import type { PersonEventRow } from "./queries.ts";

const Name = z
  .string()
  .superRefine((name, context) => {
    const issue = eventNameIssue(name);
    if (issue) context.addIssue({ code: "custom", message: issue });
  })
  .meta({ minLength: 1, maxLength: eventLimits.nameCharacters, pattern: "^[A-Za-z0-9._-]+$" })
  .describe(
    "Letters, digits, dots, hyphens and underscores. Names that begin with contact., topic. or email. are those of the service.",
  );

const Data = objectField("data", eventLimits.dataBytes).meta({
  type: "object",
  additionalProperties: true,
  description: `At most ${eventLimits.dataBytes} bytes of JSON; numbers up to 2^53 - 1.`,
});

const Email = addressField
  .transform(({ key }) => key)
  .meta({ minLength: 3, maxLength: 254, pattern: "@" })
  .describe("The address of the person. It need not be a contact.");

const example = {
  name: "order.paid",
  email: "ada@example.org",
  data: { order_id: "A-1001", total: 42.5 },
  occurred_at: "2026-11-21T14:00:00.000Z",
};

export const EventIn = z
  .object({
    name: Name,
    contact_id: z.uuid().toLowerCase().nullish().describe("The contact whose event it is, of any list."),
    email: Email.nullish(),
    data: Data.default({}),
    occurred_at: z.iso
      .datetime({ offset: true })
      .transform((text) => Date.parse(text))
      .nullish()
      .meta({ type: ["string", "null"], format: "date-time" })
      .describe("When it happened: at most 90 days ago, and 5 minutes ahead. Absent: now."),
  })
  .superRefine(({ contact_id: contact, email }, context) => {
    const isOne = (contact ?? null) === null ? (email ?? null) !== null : (email ?? null) === null;
    if (!isOne) context.addIssue({ code: "custom", message: "Give either contact_id or email" });
  })
  .meta({ ref: "EventSend", example });
export type EventIn = z.output<typeof EventIn>;

export const EventSentOut = z
  .object({ id: z.uuid() })
  .meta(named("EventSent", { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30" }));
export type EventSentOut = z.output<typeof EventSentOut>;

export const EventBatchOut = z
  .object({ total: z.int(), ids: z.array(z.uuid()).describe("In the order of the items.") })
  .meta(named("EventBatchSent", { total: 1, ids: ["019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30"] }));
export type EventBatchOut = z.output<typeof EventBatchOut>;

export const PersonEventOut = z
  .object({
    id: z.uuid(),
    name: z.string(),
    data: z.record(z.string(), z.unknown()),
    occurred_at: timestamp,
    created_at: timestamp.describe("When it was recorded."),
  })
  .meta(
    named("PersonEvent", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30",
      name: example.name,
      data: example.data,
      occurred_at: example.occurred_at,
      created_at: "2026-11-21T14:00:01.120Z",
    }),
  );
export type PersonEventOut = z.output<typeof PersonEventOut>;

/** Serializes an event of a person. */
export const toPersonEvent = (row: PersonEventRow): PersonEventOut =>
  serialize(PersonEventOut, { ...row, data: JSON.parse(row.data) as Record<string, unknown> });
