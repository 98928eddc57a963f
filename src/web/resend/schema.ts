import * as z from "zod";
import { ExtractedContent } from "../../lib/json-extract/content.ts";

/** Requests of Resend's npm package, as it writes them. to-send.ts translates them; emails/send/ checks their values. */

/** The field of an attachment that has its content in base64. */
export const CONTENT_FIELD = "content";

const Addresses = z.union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)], {
  error: "Invalid input: expected an address or a list of addresses",
});
const text = z.union([z.string(), z.instanceof(ExtractedContent)], "Invalid input: expected string");
const absent = (message: string) => z.null({ error: message }).optional();

const Attachment = z.object({
  filename: z.string(),
  content: text,
  content_type: z.string().nullish(),
  content_id: z.string().nullish(),
  path: absent("path is not supported: send the content of the file"),
});

export const ResendEmail = z
  .object({
    from: z.string().max(1000),
    to: Addresses,
    subject: z.string().nullish(),
    html: text.nullish(),
    text: text.nullish(),
    cc: Addresses.nullish(),
    bcc: Addresses.nullish(),
    reply_to: z
      .union([z.string().max(1000), z.array(z.string().max(1000)).max(1)], {
        error: "Invalid input: expected one address",
      })
      .nullish(),
    headers: z.record(z.string(), z.string()).nullish(),
    tags: z.array(z.object({ name: z.string(), value: z.string().nullish() })).nullish(),
    scheduled_at: z.string().max(100).nullish(),
    attachments: z.array(Attachment).nullish(),
    template: z
      .object({
        id: z.string().max(64),
        variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
      })
      .nullish(),
    topic_id: absent("topic_id is not supported: use contact lists and suppressions"),
  })
  .superRefine(({ subject, template }, context) => {
    if (subject === undefined && !template)
      context.addIssue({ code: "invalid_type", expected: "string", path: ["subject"], input: subject });
  });
export type ResendEmail = z.output<typeof ResendEmail>;

export const ResendUpdate = z.object({ scheduled_at: z.string().max(100) });
