import * as z from "zod";
import { named } from "../../../lib/serialize.ts";
import { emailLimits } from "../../../sending/emails/index.ts";

const FORM = '"ada@example.org"';
const address = z.string(`Expected an address such as ${FORM}`).max(1000).meta({ maxLength: 254, pattern: "@" });
const list = z.array(address, `Expected a list such as [${FORM}]`).max(50);
const addresses = list.nullish();

const fields = {
  from: address
    .nullish()
    .describe("The address of the mailbox, or one of its aliases. That of the mailbox when absent."),
  cc: addresses,
  bcc: addresses,
  subject: z.string().max(998).nullish(),
  text: z.string().max(emailLimits.bodyBytes).nullish(),
  html: z.string().max(emailLimits.bodyBytes).nullish(),
  file_ids: z
    .array(z.string().max(100))
    .max(100)
    .nullish()
    .describe("Ids of uploaded files, which are valid for a day."),
  in_reply_to: z
    .string()
    .max(902)
    .regex(/^<[^<>\s]{1,900}>$/, "in_reply_to must be a Message-ID in angle brackets")
    .nullish()
    .describe("Message-ID of the message that this one replies to."),
};

/** A message to send. */
export const SendIn = z
  .object({
    to: list,
    ...fields,
    send_at: z
      .unknown()
      .optional()
      .meta({
        type: ["string", "null"],
        format: "date-time",
        description:
          "ISO 8601 with an offset, 1 minute to 30 days in the future. Omit to send immediately. Any other value is a 400.",
      }),
    draft_id: z
      .int()
      .min(1)
      .max(4_294_967_295)
      .nullish()
      .describe("UID of the draft that is sent. It is deleted. An email that waits to be sent from it is stopped."),
  })
  .meta(named("InboxSend", { to: ["ada@example.org"], subject: "Your receipt", text: "Thank you for your order." }));
export type SendIn = z.output<typeof SendIn>;

/** A draft: everything may be missing. */
export const DraftIn = z
  .object({ to: addresses, ...fields })
  .meta(named("InboxDraft", { to: ["ada@example.org"], subject: "Your receipt", text: "Thank you" }));
export type DraftIn = z.output<typeof DraftIn>;

export const FileOut = z
  .object({ id: z.uuid() })
  .meta(named("InboxFile", { id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a76" }));
