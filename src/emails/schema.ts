import { z } from "zod";
import { ExtractedContent } from "../lib/json-extract/content.ts";
import { statuses } from "./rules.ts";

/** Schemas of the emails API (specification: Resources and their fields). They check types; send/ checks values. */

const Mailbox = z
  .object({ email: z.string().max(1000), name: z.string().max(1000).nullish() })
  .meta({ ref: "EmailAddress", description: "An address with an optional display name." });

export const Attachment = z
  .object({
    filename: z.string(),
    content_base64: z.union([z.string(), z.instanceof(ExtractedContent)]).meta({
      type: "string",
      contentEncoding: "base64",
      description:
        "Standard base64 with padding, no data: prefix. All attachments of an email decode to at most 24 MiB.",
    }),
    content_type: z.string().nullish().meta({ default: "application/octet-stream" }),
    content_id: z.string().nullish().describe("Content-ID for cid: links in the html, without angle brackets."),
    disposition: z.enum(["attachment", "inline"]).nullish(),
  })
  .meta({ ref: "Attachment" });
export type AttachmentIn = z.output<typeof Attachment>;

/** z.record drops a header named `__proto__` silently, so it is refused here, as every bad header name is. */
const Headers = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      context.addIssue({
        code: "custom",
        path: ["__proto__"],
        message: "A header cannot be named __proto__",
        input: value,
      });
  })
  .pipe(z.record(z.string(), z.string()).nullish());

export const SendIn = z
  .object({
    from_: Mailbox.describe("Sender: an allocated, active mailbox on a verified domain."),
    to: z.array(Mailbox),
    subject: z.string(),
    html: z.string().nullish(),
    text: z.string().nullish(),
    cc: z.array(Mailbox).nullish(),
    bcc: z.array(Mailbox).nullish(),
    reply_to: Mailbox.nullish(),
    headers: Headers.optional().meta({
      type: ["object", "null"],
      additionalProperties: { type: "string" },
      description: "Custom headers: at most 50, together at most 16 KiB. Headers that the service writes are refused.",
    }),
    tags: z.array(z.string()).nullish(),
    send_at: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        format: "date-time",
        description:
          "ISO 8601 with an offset, 1 minute to 30 days in the future. Omit to send immediately. Any fault is a 400.",
      }),
    attachments: z.array(Attachment).nullish(),
    template_id: z
      .string()
      .nullish()
      .refine((id) => id === undefined || id === null, "No template has this id")
      .describe("Id of a template. No template exists yet, so any id is a 422."),
    tracking: z
      .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
      .nullish()
      .describe("Track opens and clicks. A field left out follows the workspace settings."),
  })
  .meta({ ref: "EmailSendRequest" });
export type SendIn = z.output<typeof SendIn>;
export type MailboxIn = z.output<typeof Mailbox>;

export const AcceptOut = z
  .object({
    id: z.uuid(),
    status: z.enum(["queued", "scheduled", "rejected"]),
    message_id: z.string(),
    rejection_reason: z.string().nullable(),
  })
  .meta({ ref: "EmailAcceptResponse" });
export type AcceptOut = z.output<typeof AcceptOut>;

export const ValidateOut = z
  .object({
    valid: z.boolean(),
    can_send: z.boolean(),
    issues: z.array(z.object({ field: z.enum(["account", "from", "to", "content"]), error: z.string() })),
  })
  .meta({ ref: "ValidationResult" });
export type ValidateOut = z.output<typeof ValidateOut>;

const timestamp = z.string().meta({ format: "date-time" });

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
  .meta({ ref: "EmailRecord" });
export type EmailOut = z.output<typeof EmailOut>;

export const EventOut = z
  .object({
    id: z.string(),
    event_type: z.string(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    created_at: timestamp,
  })
  .meta({ ref: "EmailEvent" });
export type EventOut = z.output<typeof EventOut>;

export const DetailOut = EmailOut.extend({
  cc_addresses: z.array(z.string()).nullable(),
  bcc_addresses: z.array(z.string()).nullable(),
  text_body: z.string().nullable(),
  html_body: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  message_id: z.string(),
  events: z.array(EventOut),
}).meta({ ref: "EmailDetail" });
export type DetailOut = z.output<typeof DetailOut>;
