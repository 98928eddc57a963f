import * as z from "zod";
import { named, timestamp } from "../../lib/serialize.ts";
import { storedStatuses } from "../../sending/emails/index.ts";
import { limits } from "./rules.ts";
import { Id } from "./schema.ts";
import { skipCauses, skipReasons } from "./skip-reasons.ts";

/** Schemas of the audience, the recipients, the links and the tests of a broadcast. */

export const AudienceOut = z
  .object({
    eligible: z.int(),
    skipped: z.object({
      suppressed: z.int(),
      unsubscribed: z.int(),
      invalid: z.int(),
      pending: z.int().describe("Contacts that have not confirmed."),
    }),
    sample: z.int().describe("Contacts that are mailed first."),
    remainder: z.int().describe("Contacts that get the promoted variant."),
    note: z
      .string()
      .optional()
      .describe("With a segment, until its people are stored after the send: where eligible comes from."),
  })
  .meta(
    named("BroadcastAudience", {
      eligible: 98,
      skipped: { suppressed: 1, unsubscribed: 1, invalid: 0, pending: 0 },
      sample: 20,
      remainder: 78,
    }),
  );
export type AudienceOut = z.output<typeof AudienceOut>;

export const TopLinksOut = z
  .object({
    total_clicks: z.int(),
    links: z.array(
      z.object({
        url: z.string().describe("The target as its author wrote it."),
        clicks: z.int(),
        pct_of_top: z.int().describe("The top link is 100."),
      }),
    ),
  })
  .meta(
    named("BroadcastTopLinks", {
      total_clicks: 12,
      links: [{ url: "https://example.com/news", clicks: 12, pct_of_top: 100 }],
    }),
  );
export type TopLinksOut = z.output<typeof TopLinksOut>;

export const recipientStatuses = storedStatuses;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** Activities of recipients, by which their list is filtered. */
export const activities = ["opened", "clicked", "left"] as const;
export type RecipientActivity = (typeof activities)[number];

export const RecipientOut = z
  .object({
    email_id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    status: z.enum(recipientStatuses),
    variant_id: z.uuid().nullable(),
    opened_count: z.int(),
    clicked_count: z.int(),
    left_by: z
      .enum(["unsubscribed", "complained"])
      .nullable()
      .describe("How the person left by this email. null: it did not."),
    created_at: timestamp,
    sent_at: timestamp.nullable(),
    delivered_at: timestamp.nullable(),
  })
  .meta(
    named("BroadcastRecipient", {
      email_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      email: "ada@example.org",
      name: "Ada",
      status: "delivered",
      variant_id: null,
      opened_count: 0,
      clicked_count: 0,
      left_by: null,
      created_at: "2026-11-21T14:12:48.000Z",
      sent_at: "2026-11-21T14:12:49.120Z",
      delivered_at: "2026-11-21T14:12:49.120Z",
    }),
  );
export type RecipientOut = z.output<typeof RecipientOut>;

export const SkippedOut = z
  .object({
    contact_id: z.uuid().nullable().describe("null: the contact was deleted since; its address is not kept."),
    list_id: z.uuid().nullable(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    reason: z
      .enum(skipReasons)
      .describe("`repeated`: the person is in an earlier list of the broadcast, and gets its email there."),
    cause: z
      .enum(skipCauses)
      .nullable()
      .describe("Of `suppressed` and `unsubscribed`: the entry of the suppression list, or the topic. null: not kept."),
  })
  .meta(
    named("BroadcastSkipped", {
      contact_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      email: "ada@example.org",
      name: "Ada",
      reason: "unsubscribed",
      cause: "topic",
    }),
  );
export type SkippedOut = z.output<typeof SkippedOut>;

/** The contact whose values fill a test. */
const SampleAddress = z
  .string()
  .max(1_000)
  .nullish()
  .describe("Address of a contact whose values fill the email. Takes contacts:view. Absent: fields are empty.");

export const TestIn = z
  .object({
    to: z
      .array(z.string().max(1000).meta({ format: "email" }))
      .min(1)
      .max(limits.testRecipients)
      .describe(`Addresses, at most ${limits.testRecipients}.`),
    variant_id: Id.describe("The variant to send. Absent: the oldest one, or the broadcast's own content."),
    contact: SampleAddress,
  })
  .meta(named("BroadcastTest", { to: ["ada@example.org"] }));
export type TestIn = z.output<typeof TestIn>;

export const TestOut = z.object({ emails: z.array(z.object({ id: z.uuid(), email: z.string() })) }).meta(
  named("BroadcastTestResult", {
    emails: [{ id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01", email: "ada@example.org" }],
  }),
);
export type TestOut = z.output<typeof TestOut>;
