import * as z from "zod";
import { utf8Length } from "../../lib/bytes.ts";
import { parseDisplayAddress } from "../../lib/display-address.ts";
import { isUuid } from "../../lib/ids.ts";
import { languages } from "../../lib/personal-text.ts";
import { timestamp } from "../../lib/serialize.ts";
import { limitedText, lineField } from "../../lib/text-fields.ts";
import { parseIso } from "../../lib/time.ts";
import { Blocks } from "../../sending/templates/index.ts";
import { clampSamplePct, limits, statuses } from "./rules.ts";

/** Request and response schemas of the broadcasts API. */

export const Subject = z
  .string()
  .refine((subject) => !/\p{Cc}/u.test(subject), "subject must not contain CR, LF or other control characters")
  .refine(
    (subject) => utf8Length(subject) <= limits.subjectBytes,
    `subject must have at most ${limits.subjectBytes} bytes`,
  )
  .meta({ maxLength: limits.subjectBytes, pattern: "^[^\\u0000-\\u001f\\u007f]*$" })
  .describe(`At most ${limits.subjectBytes} bytes. May contain placeholders such as {{name}}.`);

const WHOLE = `At most ${limits.contentBytes.toLocaleString("en")} bytes as JSON with all other fields.`;
export const Body = z
  .string()
  .nullish()
  .meta({ maxLength: limits.contentBytes })
  .describe(`With placeholders such as {{name}}. ${WHOLE}`);

const Preheader = limitedText("preheader", limits.preheaderCharacters)
  .nullish()
  .meta({ maxLength: limits.preheaderCharacters })
  .describe("Text that mail programs show after the subject. May contain placeholders.");

const MAX_ADDRESS = 1_000;
const address = (field: string) =>
  z
    .string()
    .max(MAX_ADDRESS)
    .refine(
      (text) => text.length > MAX_ADDRESS || parseDisplayAddress(text) !== null,
      `${field} must be an email address, or a name and an address: Name <a@example.com>`,
    )
    .meta({ minLength: 3, maxLength: MAX_ADDRESS, pattern: "@" });

export const Id = z.string().toLowerCase().refine(isUuid, "must be a UUID").nullish().meta({ format: "uuid" });

const ScheduledAt = z
  .string()
  .transform((text, context) => {
    const at = parseIso(text);
    if (at !== null) return at;
    const message = "scheduled_at must be an ISO 8601 time with an offset, such as 2026-12-01T09:00:00Z";
    context.addIssue({ code: "custom", message, input: text });
    return z.NEVER;
  })
  .nullish()
  .meta({ type: ["string", "null"], anyOf: undefined, format: "date-time" })
  .describe("ISO 8601 with an offset, in the future: when the broadcast is sent. null: it is a draft.");

const SamplePct = z
  .int()
  .min(1)
  .max(99)
  .transform(clampSamplePct)
  .nullish()
  .describe(
    "Percentage of the list that is mailed first, clamped into 5 to 90. Needs two or more variants. A promotion sends one of them to the rest.",
  );

const AutoPromoteIn = z
  .object({
    metric: z.enum(["clicks"]),
    after_hours: z.int().min(1).max(168).describe("Hours after the sample was sent."),
    min_lift: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe("Least difference of click rates: 0.02 is two percentage points."),
  })
  .nullish()
  .describe("Promotes a variant of a sampled test by itself (docs/contract/broadcasts.md#automatic-winner).");

const written = {
  name: "Newsletter of December",
  subject: "News for {{name}}",
  from_address: "Example Shop <hello@example.com>",
  preheader: "What is new in December",
  html_body: '<p>Hello {{name}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
  text_body: "Hello {{name}}",
};

export const BroadcastIn = z
  .object({
    name: lineField("name", limits.nameCharacters).describe("Internal name."),
    subject: Subject,
    from_address: address("from_address").describe(
      "Sender: an address, or `Name <address>`. At most 1,000 characters.",
    ),
    language: z
      .enum(languages)
      .optional()
      .describe("Language of subject, preheader and bodies (docs/contract/templates.md#languages).")
      .meta({ default: "placeholders" }),
    preheader: Preheader,
    html_body: Body,
    text_body: Body,
    text_from_html: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe(
        "Without text_body, emails leave with a text part that is made from their html. false: with html only.",
      ),
    blocks_json: Blocks,
    reply_to: address("reply_to").nullish(),
    contact_list_id: Id.describe("Contact list. This or segment_id is required before the broadcast is sent."),
    more_contact_list_ids: z
      .array(z.string().toLowerCase().refine(isUuid, "must be a UUID").meta({ format: "uuid" }))
      .max(limits.moreLists)
      .nullish()
      .describe(
        "Further contact lists. A person who is in several gets the broadcast once, as a contact of the first.",
      ),
    mailbox_id: Id.describe("Mailbox whose address from_address must be."),
    topic_id: Id.describe("Topic: contacts who are not subscribed to it are skipped. null: all bulk mail is one."),
    segment_id: Id.describe(
      "Segment: only its people get the broadcast. Without a contact list, all of them do, each as its oldest active contact.",
    ),
    scheduled_at: ScheduledAt,
    local_time_field: lineField("local_time_field", limits.fieldCharacters)
      .nullish()
      .describe(
        "Metadata of the contacts that names their time zone, such as Europe/Berlin. Each then gets the broadcast at the time of day that scheduled_at has in the zone of the workspace, by its own clock. null: all get it at scheduled_at.",
      ),
    ab_test_pct: SamplePct,
    ab_auto_promote: AutoPromoteIn,
    max_per_hour: z.int().min(1).max(limits.maxPerHour).nullish().describe("Greatest number of emails an hour."),
  })
  .meta({
    ref: "BroadcastCreate",
    // `example`, not `examples`: zod drops those of a schema with a transform.
    example: written,
  });
export type BroadcastIn = z.output<typeof BroadcastIn>;

export const BroadcastPatch = BroadcastIn.partial().meta({
  ref: "BroadcastUpdate",
  example: { subject: "News", preheader: null },
});
export type BroadcastPatch = z.output<typeof BroadcastPatch>;

const count = z.int();

const counts = {
  recipient_count: count.describe("Contacts to be mailed, as fixed when the send or the promotion began."),
  queued_count: count.describe("Emails made for delivery so far."),
  skipped_count: count.describe(
    "Contacts of recipient_count that get no email: deleted or suppressed since it was fixed, or not reached before a cancellation.",
  ),
  delivered_count: count,
  bounced_count: count,
  failed_count: count.describe("Emails that failed or were rejected."),
  cancelled_count: count.describe("Emails that were cancelled before they left."),
  opened_count: count.describe("Emails that a person opened."),
  clicked_count: count.describe("Emails in which a person clicked."),
  unsubscribed_count: count.describe("Emails by which a person unsubscribed."),
  complained_count: count.describe("Emails that a person marked as spam."),
};

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11",
  org_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
  user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
  contact_list_id: null,
  more_contact_list_ids: [],
  mailbox_id: null,
  topic_id: null,
  segment_id: null,
  ...written,
  blocks_json: null,
  text_from_html: true,
  language: "placeholders" as const,
  reply_to: null,
  status: "draft" as const,
  scheduled_at: null,
  local_time_field: null,
  sent_at: null,
  paused_at: null,
  ab_test_pct: null,
  ab_winner_variant_id: null,
  ab_promoted_at: null,
  ab_auto_promote: null,
  ab_promotion_reason: null,
  max_per_hour: null,
  web_version_url: null,
  ...(Object.fromEntries(Object.keys(counts).map((name) => [name, 0])) as Record<keyof typeof counts, number>),
  created_at: "2026-11-21T14:00:00.000Z",
  updated_at: "2026-11-21T14:00:00.000Z",
};

export const BroadcastOut = z
  .object({
    id: z.uuid(),
    org_id: z.uuid().describe("The workspace."),
    user_id: z.uuid().describe("The user who created the broadcast."),
    contact_list_id: z.uuid().nullable(),
    more_contact_list_ids: z.array(z.uuid()).describe("Further contact lists."),
    mailbox_id: z.uuid().nullable(),
    topic_id: z.uuid().nullable(),
    segment_id: z.uuid().nullable(),
    name: z.string(),
    language: z.enum(languages),
    subject: z.string(),
    preheader: z.string().nullable(),
    html_body: z.string().nullable(),
    text_body: z.string().nullable(),
    text_from_html: z.boolean(),
    blocks_json: z.record(z.string(), z.unknown()).nullable(),
    from_address: z.string(),
    reply_to: z.string().nullable(),
    status: z.enum(statuses),
    scheduled_at: timestamp.nullable(),
    local_time_field: z.string().nullable().describe("Metadata that names the time zone of a contact."),
    sent_at: timestamp
      .nullable()
      .describe("First moment at which every recipient had a delivery attempt or was skipped."),
    paused_at: timestamp.nullable().describe("Set while a sending broadcast is paused."),
    ab_test_pct: z.int().nullable(),
    ab_winner_variant_id: z.uuid().nullable(),
    ab_promoted_at: timestamp.nullable(),
    ab_auto_promote: z
      .object({ metric: z.enum(["clicks"]), after_hours: z.int(), min_lift: z.number() })
      .nullable()
      .describe("How the service promotes a variant by itself."),
    ab_promotion_reason: z.string().nullable().describe("Why the service promoted its variant. null: it did not."),
    max_per_hour: z.int().nullable(),
    web_version_url: z
      .string()
      .nullable()
      .describe("Public page with the content, which {{web_version_url}} gives too. null: it is not on the web."),
    ...counts,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ ref: "Broadcast", examples: [example] });
export type BroadcastOut = z.output<typeof BroadcastOut>;
