import * as z from "zod";
import { isUuid } from "../../../lib/ids.ts";
import { named } from "../../../lib/serialize.ts";
import { limits } from "../rules.ts";

/** Request and response of a bulk send. */

const id = z.string().toLowerCase().meta({ format: "uuid" }).refine(isUuid, "must be a UUID");
const bodyText = z.string().max(limits.contentBytes).nullish();

export const BulkSendIn = z
  .object({
    contact_list_id: id.describe("Id of the list in the path."),
    segment_id: z
      .null("segment_id is for broadcasts: a bulk send goes to a whole list")
      .optional()
      .describe("Only broadcasts go to segments. Anything but null is refused."),
    mailbox_id: id.describe("An allocated, active mailbox on a verified domain."),
    topic_id: id.nullish().describe("Topic: contacts who are not subscribed to it are skipped."),
    subject: z
      .string()
      .min(1)
      .max(limits.subjectBytes)
      .regex(/^[^\r\n\0]*$/, "subject must not contain line breaks"),
    html: bodyText,
    text: bodyText,
    tags: z
      .array(
        z
          .string()
          .min(1)
          .max(64)
          .regex(/^[^\p{Cc}]*$/u, "a tag must not contain control characters"),
      )
      .max(10)
      .nullish(),
  })
  .refine(({ html, text }) => Boolean(html || text), { path: ["html"], message: "html or text is required" })
  .meta(
    named("BulkSend", {
      contact_list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
      mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03",
      subject: "Hello {{name}}",
      text: "News for {{city}}.",
      tags: ["news"],
    }),
  );
export type BulkSendIn = z.output<typeof BulkSendIn>;

export const BulkSendOut = z
  .object({
    queued: z.int(),
    skipped: z
      .int()
      .describe(
        "Contacts on the suppression list (bounced, complained, unsubscribed, added by hand, or with soft bounces), not subscribed to the topic, or not confirmed.",
      ),
    errors: z.array(z.string()).describe("One text for each skipped contact, at most 100."),
  })
  .meta(
    named("BulkSendResult", {
      queued: 1,
      skipped: 0,
      errors: ["ada@example.org: skipped, the address has unsubscribed"],
    }),
  );
export type BulkSendOut = z.output<typeof BulkSendOut>;
