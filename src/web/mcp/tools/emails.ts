import * as z from "zod";
import type { ToolsByName } from "../tool.ts";

/** Required here: without it an email is sent at once. */
const sendAt = {
  send_at: z.string().describe("ISO 8601 with an offset, 1 minute to 30 days ahead, such as 2026-12-01T09:00:00Z."),
};

/** A model cannot write base64 reliably. */
const without = ["attachments"];

export const emailTools: ToolsByName = {
  search_emails: {
    title: "Search emails",
    description:
      "Finds emails by words and filters, newest first. Use it to learn whether a recipient got an email. Words match subject, " +
      "addresses and tags.",
    route: "GET /v1/emails/search",
    without: ["before_inbound"],
  },
  get_email: {
    title: "Read an email",
    description: "Returns an email with its content, the state of each recipient, and its events.",
    route: "GET /v1/emails/:email_id",
  },
  list_email_events: {
    title: "List the events of an email",
    description:
      "Returns what happened to an email, oldest first. The event of a bounce holds the reason of the receiver.",
    route: "GET /v1/emails/:email_id/events",
  },
  list_scheduled_emails: {
    title: "List scheduled emails",
    description: "Returns emails that will be sent later, soonest first.",
    route: "GET /v1/emails/scheduled",
  },
  validate_email: {
    title: "Validate an email without sending it",
    description: "Returns every reason why an email would be refused. Sends nothing. Use it before send_email.",
    route: "POST /v1/emails/validate",
    effect: "read",
    without,
  },
  send_email: {
    title: "Send an email now",
    description: "Sends an email at once. It cannot be taken back: let the user confirm recipients and content first.",
    route: "POST /v1/emails/",
    effect: "final",
    without: [...without, "send_at"],
  },
  schedule_email: {
    title: "Schedule an email",
    description: "Accepts an email that is sent at send_at. Until then cancel_email stops it.",
    route: "POST /v1/emails/",
    effect: "write",
    without,
    fields: sendAt,
  },
  reschedule_email: {
    title: "Move a scheduled email to another time",
    description: "Changes when a scheduled email is sent.",
    route: "PATCH /v1/emails/scheduled/:email_id",
    effect: "write",
    fields: sendAt,
  },
  cancel_email: {
    title: "Cancel a scheduled email",
    description: "Cancels an email that was not sent yet. It cannot be scheduled again.",
    route: "DELETE /v1/emails/scheduled/:email_id",
    effect: "final",
  },
  send_scheduled_email_now: {
    title: "Send a scheduled email now",
    description: "Sends a scheduled email at once instead of at its time. It cannot be taken back.",
    route: "POST /v1/emails/scheduled/:email_id/send-now",
    effect: "final",
    repeatable: true,
  },
  retry_email: {
    title: "Send a failed email again",
    description: "Sends a new copy of an email to the recipients that did not get it.",
    route: "POST /v1/emails/:email_id/retry",
    effect: "final",
  },
};
