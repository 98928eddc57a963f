import * as z from "zod";
import { inMiB } from "../../lib/bytes.ts";
import { ExtractedContent } from "../../lib/json-extract/content.ts";
import { named, timestamp } from "../../lib/serialize.ts";
import { Variables } from "../templates/index.ts";
import { Headers } from "./custom-headers.ts";
import { Mailbox, Mailboxes } from "./mailbox-schema.ts";
import { limits, statuses } from "./rules.ts";

/** Schemas of the emails API. They check types; send/ checks values. */

const RECIPIENTS = `to, cc and bcc together have at most ${limits.recipients} different addresses.`;
/** A text in the body, or one that went to R2 while the body was read. */
const bodyPart = z
  .union([z.string(), z.instanceof(ExtractedContent)], "Invalid input: expected string")
  .meta({ type: "string", maxLength: limits.bodyBytes });

const Attachment = z
  .object({
    filename: z.string().meta({
      minLength: 1,
      maxLength: limits.filenameBytes,
      pattern: "^[^\\u0000-\\u001f\\u007f/\\\\]*$",
      description: "At most 255 bytes, without path separators, control and invisible characters; not . or ..",
    }),
    content_base64: z.union([z.string(), z.instanceof(ExtractedContent)]).meta({
      type: "string",
      contentEncoding: "base64",
      maxLength: Math.ceil(limits.attachmentBytes / 3) * 4,
      pattern: "^[A-Za-z0-9+/]*={0,2}$",
      description: `Standard base64 with padding, no data: prefix. All attachments of an email decode to at most ${inMiB(limits.attachmentBytes)}.`,
    }),
    content_type: z
      .string()
      .meta({ maxLength: 255, pattern: "^([!#$&^.+\\w-]+/[!#$&^.+\\w-]+ *(;[ -~]*)?)?$" })
      .nullish()
      .meta({ default: "application/octet-stream" }),
    content_id: z
      .string()
      .meta({ maxLength: 250, pattern: "^[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~.@]*$" })
      .nullish()
      .describe("Content-ID for cid: links in the html, without angle brackets."),
    disposition: z.enum(["attachment", "inline"]).nullish(),
  })
  .meta({ ref: "Attachment" });
export type AttachmentIn = z.output<typeof Attachment>;

/** Requires a subject of an email without a template. Reported with the other issues of the form. */
function requireSubject(
  { subject, template_id }: { subject?: unknown; template_id?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const isMissing = subject === undefined || subject === null;
  if (!isMissing || (template_id !== undefined && template_id !== null)) return;
  const message = "Invalid input: expected string, received null";
  context.addIssue({ code: "invalid_type", expected: "string", path: ["subject"], message, input: subject });
}

const UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

export const SendIn = z
  .object({
    from_: Mailbox.describe("Sender: an allocated, active mailbox on a verified domain."),
    to: Mailboxes.meta({ minItems: 1, description: RECIPIENTS }),
    subject: z
      .string()
      .nullish()
      .meta({
        maxLength: limits.lineBytes,
        pattern: "^[^\\u0000-\\u001f\\u007f]*$",
        description: `At most ${limits.lineBytes} bytes, without control characters. Required without a template; with one it replaces its subject.`,
      }),
    html: bodyPart.nullish().describe("html and text together have at most 5,000,000 bytes."),
    text: bodyPart.nullish().describe("At least one of html and text is required; together at most 5,000,000 bytes."),
    text_from_html: z
      .boolean()
      .nullish()
      .meta({ default: true })
      .describe("Without text, the email leaves with a text part that is made from its html. false: with html only."),
    cc: Mailboxes.nullish().describe(RECIPIENTS),
    bcc: Mailboxes.nullish().describe(RECIPIENTS),
    reply_to: Mailbox.nullish(),
    headers: Headers.optional().meta({
      type: ["object", "null"],
      additionalProperties: {
        type: "string",
        maxLength: limits.customHeaderBytes,
        pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
      },
      propertyNames: { pattern: "^[A-Za-z0-9-]{1,76}$" },
      maxProperties: limits.customHeaders,
      description:
        "At most 50, together 16 KiB, with words of at most 998 bytes, between which they are folded. Headers that the service or receivers write, and commands to relays, are refused.",
    }),
    tags: z
      .array(
        z.string().meta({ minLength: 1, maxLength: limits.tagCharacters, pattern: "^[^\\u0000-\\u001f\\u007f]*$" }),
      )
      .nullish()
      .describe(`At most ${limits.tags} different tags.`),
    send_at: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        format: "date-time",
        examples: ["2026-12-01T09:00:00Z"],
        description: "ISO 8601 with an offset, 1 minute to 30 days ahead; absent: at once. Any other value is a 400.",
      }),
    attachments: z.array(Attachment).meta({ maxItems: limits.attachments }).nullish(),
    template_id: z
      .string()
      .max(64)
      .meta({ pattern: UUID, maxLength: 64 })
      .nullish()
      .describe(
        "Id of a template: its subject, html and text are rendered with `variables`. html and text stay absent.",
      ),
    variables: Variables,
    tracking: z
      .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
      .nullish()
      .describe("Track opens and clicks. A field left out follows the workspace settings."),
    unsubscribe: z
      .boolean()
      .nullish()
      .describe("Adds one-click unsubscribe (RFC 8058), which needs a single recipient."),
    topic_id: z
      .string()
      .max(64)
      .meta({ pattern: UUID, maxLength: 64 })
      .nullish()
      .describe(
        "Id of a topic: only a subscriber gets the email, and one-click unsubscribe ends the topic. Needs a single recipient.",
      ),
  })
  .superRefine(requireSubject, {
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  })
  .meta({
    ref: "EmailSendRequest",
    anyOf: [
      ...["html", "text"].map((part) => ({
        type: "object",
        required: ["subject", part],
        properties: { subject: { type: "string" }, [part]: { type: "string", minLength: 1 } },
      })),
      { type: "object", required: ["template_id"], properties: { template_id: { type: "string" } } },
    ],
    examples: [
      {
        from_: { email: "hello@example.com", name: "Example Shop" },
        to: [{ email: "ada@example.org", name: "Ada" }],
        subject: "Your receipt",
        text: "Thank you for your order.",
        html: "<p>Thank you for your order.</p>",
        tags: ["receipt"],
        headers: { "X-Order": "1042" },
      },
      {
        from_: { email: "hello@example.com", name: "Example Shop" },
        to: [{ email: "ada@example.org", name: "Ada" }],
        subject: "Your invoice",
        text: "Your invoice is attached.",
        attachments: [{ filename: "invoice.txt", content_type: "text/plain", content_base64: "VG90YWw6IDQyIEVVUg==" }],
      },
      {
        from_: { email: "hello@example.com", name: "Example Shop" },
        to: [{ email: "ada@example.org", name: "Ada" }],
        template_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a10",
        variables: { name: "Ada" },
        send_at: "2026-12-01T09:00:00Z",
      },
    ],
  });
/** With the warnings about it so far, which its route and its template add. */
export type SendIn = z.output<typeof SendIn> & { warnings?: string[] };
export type MailboxIn = z.output<typeof Mailbox>;

/** Warnings of an email, and of all emails of a batch together. */
export const MAX_WARNINGS = 20;
export const Warnings = z
  .array(z.string())
  .meta({ maxItems: MAX_WARNINGS, description: "Ignored fields, missing variables." })
  .optional();

export const AcceptOut = z
  .object({
    id: z.uuid(),
    status: z.enum(["queued", "scheduled", "rejected"]),
    message_id: z.string(),
    rejection_reason: z.string().nullable(),
    warnings: Warnings,
  })
  .meta(
    named("EmailAcceptResponse", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      status: "queued",
      message_id: "<019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01@example.com>",
      rejection_reason: null,
    }),
  );
export type AcceptOut = z.output<typeof AcceptOut>;

export const ValidateOut = z
  .object({
    valid: z.boolean(),
    can_send: z.boolean(),
    issues: z.array(z.object({ field: z.enum(["account", "from", "to", "content"]), error: z.string() })),
    warnings: Warnings,
  })
  .meta(named("ValidationResult", { valid: true, can_send: true, issues: [] }));
export type ValidateOut = z.output<typeof ValidateOut>;

const emailExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
  from_address: "Example Shop <hello@example.com>",
  to_addresses: ["ada@example.org"],
  subject: "Your receipt",
  status: "delivered",
  source: "api",
  opened_count: 0,
  clicked_count: 0,
  tags: ["receipt"],
  scheduled_at: null,
  created_at: "2026-11-21T14:12:48.000Z",
  sent_at: "2026-11-21T14:12:49.120Z",
  delivered_at: "2026-11-21T14:12:49.120Z",
  retry_of_id: null,
};
const eventExample = {
  id: "019aa7c0-4e60-7c11-9d02-33b0a1f5c802",
  event_type: "queued",
  metadata: null,
  created_at: "2026-11-21T14:12:48.000Z",
};

export const EmailOut = z
  .object({
    id: z.uuid(),
    from_address: z.string(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    status: z.enum(statuses),
    source: z.string(),
    opened_count: z.int(),
    clicked_count: z.int(),
    tags: z.array(z.string()).nullable(),
    scheduled_at: timestamp.nullable(),
    created_at: timestamp,
    sent_at: timestamp.nullable(),
    delivered_at: timestamp.nullable(),
    retry_of_id: z.uuid().nullable(),
  })
  .meta(named("EmailRecord", emailExample));
export type EmailOut = z.output<typeof EmailOut>;

export const EventOut = z
  .object({
    id: z.string(),
    event_type: z.string(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    created_at: timestamp,
  })
  .meta(named("EmailEvent", eventExample));
export type EventOut = z.output<typeof EventOut>;

const BODY =
  "null when there is none, when it is no longer stored, and for mail from a mailbox that the caller may not open.";

export const DetailOut = EmailOut.extend({
  cc_addresses: z.array(z.string()).nullable(),
  bcc_addresses: z.array(z.string()).nullable(),
  text_body: z.string().nullable().describe(BODY),
  html_body: z.string().nullable().describe(BODY),
  headers: z.record(z.string(), z.string()),
  message_id: z.string(),
  events: z.array(EventOut),
}).meta(
  named("EmailDetail", {
    ...emailExample,
    cc_addresses: null,
    bcc_addresses: null,
    text_body: "Thank you for your order.",
    html_body: "<p>Thank you for your order.</p>",
    headers: { "X-Order": "1042" },
    message_id: "<019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01@example.com>",
    events: [eventExample],
  }),
);
export type DetailOut = z.output<typeof DetailOut>;
