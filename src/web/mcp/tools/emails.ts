import * as z from "zod";
import { cursor, type DeclaredTool, idempotencyKey, limit, pageAfter } from "../tool.ts";

const address = z.strictObject({
  email: z.string().describe("An address without a display name."),
  name: z.string().nullish().describe("Display name."),
});

const sendAt = z.string().describe("ISO 8601 with an offset, 1 minute to 30 days ahead, such as 2026-12-01T09:00:00Z.");

/** The fields of an email. Attachments are left out: a model cannot write base64 reliably. */
const email = {
  from_: address.describe("Sender: an active mailbox on a verified domain. list_mailboxes shows them."),
  to: z.array(address).min(1).describe("Recipients; to, cc and bcc together have at most 50."),
  cc: z.array(address).nullish(),
  bcc: z.array(address).nullish(),
  reply_to: address.nullish(),
  subject: z
    .string()
    .nullish()
    .describe("Required without template_id; with one it replaces the subject of the template."),
  text: z.string().nullish().describe("Plain text. Without template_id at least one of text and html is required."),
  html: z.string().nullish(),
  template_id: z
    .string()
    .max(64)
    .nullish()
    .describe("Id of a template (list_templates), in place of text and html. `variables` fill its placeholders."),
  variables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullish()
    .describe("Values for the placeholders of the template, by name."),
  headers: z.record(z.string(), z.string()).optional().describe("Custom headers."),
  tags: z.array(z.string()).nullish().describe("At most 10 tags, by which emails are found."),
};

export const emailTools: readonly DeclaredTool[] = [
  {
    name: "search_emails",
    title: "Search emails",
    description:
      "Finds emails by words and filters, newest first. Use it to learn whether a recipient got an email. Words match subject, " +
      "addresses and tags.",
    route: "GET /v1/emails/search",
    input: {
      q: z
        .string()
        .optional()
        .describe("Words, and tokens such as to:ada@example.org, from:, domain:, status:bounced, tag:."),
      status: z.string().optional().describe("queued, delivered, bounced, failed, cancelled and others."),
      tag: z.string().optional().describe("Only emails with exactly this tag."),
      direction: z.enum(["outbound", "inbound", "all"]).optional(),
      before: cursor.describe("Id of the last email of the page before: continues after it."),
      limit: limit(100),
    },
  },
  {
    name: "get_email",
    title: "Read an email",
    description: "Returns an email with its content, the state of each recipient, and its events.",
    route: "GET /v1/emails/:email_id",
  },
  {
    name: "list_email_events",
    title: "List the events of an email",
    description:
      "Returns what happened to an email, oldest first. The event of a bounce holds the reason of the receiver.",
    route: "GET /v1/emails/:email_id/events",
  },
  {
    name: "list_scheduled_emails",
    title: "List scheduled emails",
    description: "Returns emails that will be sent later, soonest first.",
    route: "GET /v1/emails/scheduled",
    input: pageAfter(100),
  },
  {
    name: "validate_email",
    title: "Validate an email without sending it",
    description: "Returns every reason why an email would be refused. Sends nothing. Use it before send_email.",
    route: "POST /v1/emails/validate",
    effect: "read",
    input: { ...email, send_at: sendAt.optional() },
  },
  {
    name: "send_email",
    title: "Send an email now",
    description: "Sends an email at once. It cannot be taken back: let the user confirm recipients and content first.",
    route: "POST /v1/emails/",
    effect: "final",
    input: { ...email, idempotency_key: idempotencyKey },
  },
  {
    name: "schedule_email",
    title: "Schedule an email",
    description: "Accepts an email that is sent at send_at. Until then cancel_email stops it.",
    route: "POST /v1/emails/",
    effect: "write",
    input: { ...email, send_at: sendAt, idempotency_key: idempotencyKey },
  },
  {
    name: "reschedule_email",
    title: "Move a scheduled email to another time",
    description: "Changes when a scheduled email is sent.",
    route: "PATCH /v1/emails/scheduled/:email_id",
    effect: "write",
    input: { send_at: sendAt },
  },
  {
    name: "cancel_email",
    title: "Cancel a scheduled email",
    description: "Cancels an email that was not sent yet. It cannot be scheduled again.",
    route: "DELETE /v1/emails/scheduled/:email_id",
    effect: "final",
  },
  {
    name: "send_scheduled_email_now",
    title: "Send a scheduled email now",
    description: "Sends a scheduled email at once instead of at its time. It cannot be taken back.",
    route: "POST /v1/emails/scheduled/:email_id/send-now",
    effect: "final",
    repeatable: true,
    input: { idempotency_key: idempotencyKey },
  },
  {
    name: "retry_email",
    title: "Send a failed email again",
    description: "Sends a new copy of an email to the recipients that did not get it.",
    route: "POST /v1/emails/:email_id/retry",
    effect: "final",
    input: { idempotency_key: idempotencyKey },
  },
];
