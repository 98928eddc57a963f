import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageQuery, refusePagesBeyond, setNextLink } from "../../http/pagination.ts";
import { reportErrors } from "../../http/report-errors.ts";
import { bodyWithAttachments, query } from "../../http/validate.ts";
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

const operation = operationsOf("Emails");

export const emailRoutes = newRoutes()
  .post(
    "/v1/emails/",
    operation("emails:send", "sendEmail", {
      summary: "Send an email",
      responses: responses(202, "Accepted for delivery", AcceptOut, [400, 403, 408, 409, 413, 415]),
    }),
    ...bodyWithAttachments(SendIn, (caller) => new ContentUpload(caller)),
    idempotent(202),
    async (c) => {
      const attachments = c.get("attachments");
      const upload = attachments instanceof ContentUpload ? attachments : undefined;
      const input = withWarnings(c.req.valid("json"), await c.req.json());
      return c.json(await sendEmail(c.get("caller"), input, "api", upload), 202);
    },
  )
  .post(
    "/v1/emails/validate",
    operation("emails:send", "validateEmail", {
      summary: "Validate an email without sending it",
      description: "Returns what a send returns 400, 413 or 422 to, and suppressed recipients, as issues.",
      responses: responses(200, "The issues that would prevent or change a send", ValidateOut, [403, 408, 413, 415]),
    }),
    reportErrors(toValidation),
    ...bodyWithAttachments(SendIn, () => discardingSink),
    async (c) => c.json(await validateEmail(c.get("caller"), withWarnings(c.req.valid("json"), await c.req.json()))),
  )
  .get(
    "/v1/emails/",
    operation("emails:view", "listEmails", {
      summary: "List emails, newest first",
      responses: responses(200, "A page of emails", z.array(EmailOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { rows, next } = await listEmails(c.get("caller"), c.req.valid("query"));
      if (next !== null) setNextLink(c, { before: next });
      return c.json(rows.map(toRecord));
    },
  )
  .get(
    "/v1/emails/:email_id",
    operation("emails:view", "getEmail", {
      summary: "Get an email with its content and events",
      description:
        "The content of mail that a person sent from a mailbox takes `inbox:read` and the right to open that mailbox; without them it is null.",
      responses: responses(200, "The email", DetailOut, [403, 404]),
    }),
    async (c) => c.json(await getEmailDetail(c.get("caller"), c.req.param("email_id"))),
  )
  .get(
    "/v1/emails/:email_id/events",
    operation("emails:view", "listEmailEvents", {
      summary: "List the events of an email",
      responses: responses(200, "Events, oldest first", z.array(EventOut), [403, 404]),
    }),
    async (c) => c.json(toEvents(await getEmail(c.get("caller"), c.req.param("email_id")))),
  );
