import * as z from "zod";
import { named, timestamp } from "../../lib/serialize.ts";
import { Authentication } from "../../mail/authentication-results/stored-results.ts";

/** An entry of the inbound log (docs/contract/inbound.md#inbound-log). */
export const InboundEntryOut = z
  .object({
    id: z.uuid(),
    direction: z.literal("inbound"),
    from_address: z.string(),
    from_name: z.string().nullable(),
    recipient: z.string().describe("The address in the envelope."),
    subject: z
      .string()
      .nullable()
      .describe("Null for a member who is not assigned to the mailbox, as `text_preview` is."),
    received_at: timestamp,
    authentication: Authentication.describe("Results of SPF, DKIM and DMARC of a server that the service trusts."),
    attachment_count: z.int(),
    text_preview: z.string().nullable(),
    events: z
      .array(z.object({ event_type: z.string(), metadata: z.record(z.string(), z.unknown()), created_at: timestamp }))
      .describe("What was done with the email, oldest first."),
  })
  .meta(
    named("InboundEntry", {
      id: "5b1c86a5-52ee-8b6e-9c26-6dbf1c1fd0b1",
      direction: "inbound",
      from_address: "ada@example.org",
      from_name: "Ada Lovelace",
      recipient: "hello@example.com",
      subject: "A question",
      received_at: "2026-11-21T14:00:00.000Z",
      authentication: {
        spf: { result: "pass", domain: "example.org" },
        dkim: [{ result: "pass", domain: "example.org", selector: "s1" }],
        dmarc: { result: "pass", domain: "example.org" },
      },
      attachment_count: 0,
      text_preview: "Do you ship to London?",
      events: [
        {
          event_type: "stored",
          metadata: { mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a03", folder: "INBOX" },
          created_at: "2026-11-21T14:00:00.000Z",
        },
      ],
    }),
  );
export type InboundEntryOut = z.output<typeof InboundEntryOut>;
