import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageQuery, refusePagesBeyond, setNextLink } from "../../http/pagination.ts";
import { reportErrors } from "../../http/report-errors.ts";
import { bodyWithAttachments } from "../../http/validate.ts";
import { ContentUpload, discardingSink } from "./content/index.ts";
import { getEmailDetail } from "./get.ts";
import { getEmail, listEmails } from "./queries.ts";
import { statuses } from "./rules.ts";
import { AcceptOut, DetailOut, EmailOut, EventOut, SendIn, ValidateOut } from "./schema.ts";
import { sendEmail, toValidation, validateEmail, withWarnings } from "./send/index.ts";
import { toEvents, toRecord } from "./serialize.ts";

const ListQuery = z
  .object({
    ...pageQuery({ default: 20, max: 100 }),
    status: z.enum(statuses).optional(),
    before: z.uuid().toLowerCase().optional().describe("Only emails older than this id. Cheaper than `page`."),
  })
  .superRefine(refusePagesBeyond("before"));

export const emailRoutes = apiRoutes("Emails")
  .post("/v1/emails/", "sendEmail", "emails:send", outlives.nothing, {
    summary: "Send an email",
    body: bodyWithAttachments(SendIn, (caller) => new ContentUpload(caller)),
    returns: { 202: ["Accepted for delivery", AcceptOut] },
    errors: [400, 408],
    run: async (caller, { body }, c) => {
      const attachments = c.get("attachments");
      const upload = attachments instanceof ContentUpload ? attachments : undefined;
      return sendEmail(caller, withWarnings(body, await c.req.json()), "api", upload);
    },
  })
  .post("/v1/emails/validate", "validateEmail", "emails:send", outlives.nothing, {
    summary: "Validate an email without sending it",
    description: "Returns what a send returns 400, 413 or 422 to, and suppressed recipients, as issues.",
    before: reportErrors(toValidation),
    body: bodyWithAttachments(SendIn, () => discardingSink),
    once: false,
    returns: { 200: ["The issues that would prevent or change a send", ValidateOut] },
    errors: [408],
    run: async (caller, { body }, c) => validateEmail(caller, withWarnings(body, await c.req.json())),
  })
  .get("/v1/emails/", "listEmails", "emails:view", {
    summary: "List emails, newest first",
    query: ListQuery,
    returns: { 200: ["A page of emails", z.array(EmailOut)] },
    run: async (caller, { query }, c) => {
      const { rows, next } = await listEmails(caller, query);
      if (next !== null) setNextLink(c, { before: next });
      return rows.map(toRecord);
    },
  })
  .get("/v1/emails/:email_id", "getEmail", "emails:view", {
    summary: "Get an email with its content and events",
    description: "The content of mail from a mailbox is null without `inbox:read` and the right to open that mailbox.",
    returns: { 200: ["The email", DetailOut] },
    run: (caller, { email_id }) => getEmailDetail(caller, email_id),
  })
  .get("/v1/emails/:email_id/events", "listEmailEvents", "emails:view", {
    summary: "List the events of an email",
    returns: { 200: ["Events, oldest first", z.array(EventOut)] },
    run: async (caller, { email_id }) => toEvents(await getEmail(caller, email_id)),
  });
