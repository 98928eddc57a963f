import { z } from "zod";
import { ExtractedContent } from "../lib/json-extract/content.ts";
import { statuses } from "./rules.ts";

/** Shapes of the emails API (specification: Resources and their fields). What is checked here is form; check.ts judges. */

const Mailbox = z
  .object({ email: z.string().max(1000), name: z.string().max(1000).nullish() })
  .meta({ ref: "EmailAddress", description: "An address with an optional display name." });

export const Attachment = z
  .object({
    filename: z.string(),
    content_base64: z.union([z.string(), z.instanceof(ExtractedContent)]).meta({
      type: "string",
      contentEncoding: "base64",
      description: "Standard base64 with padding, no data: prefix. 24 MiB decoded, for each and for all of an email.",
    }),
    content_type: z.string().nullish().meta({ default: "application/octet-stream" }),
    content_id: z.string().nullish().describe("Names an image for cid: links in the html, without angle brackets."),
    disposition: z.enum(["attachment", "inline"]).nullish(),
  })
  .meta({ ref: "Attachment" });
export type AttachmentIn = z.output<typeof Attachment>;

/** A plain record would drop a header called `__proto__` unseen: it is refused, as every bad header name is. */
const Headers = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      context.addIssue({ code: "custom", path: ["__proto__"], message: "Not a header name", input: value });
  })
  .pipe(z.record(z.string(), z.string()).nullish());

export const SendIn = z
  .object({
    from_: Mailbox.describe("An allocated, active mailbox on a verified domain."),
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
      description: "Custom headers: at most 50, and 16 KiB of them. Those that the service writes itself are refused.",
    }),
    tags: z.array(z.string()).nullish(),
    send_at: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        format: "date-time",
        description:
          "ISO 8601 with an offset, from 1 minute to 30 days ahead. Omit to send at once. Any fault is a 400.",
      }),
    attachments: z.array(Attachment).nullish(),
    tracking: z
      .object({ opens: z.boolean().nullish(), clicks: z.boolean().nullish() })
      .nullish()
      .describe("Whether opens and clicks are tracked. What is left out follows the workspace's settings."),
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
