import * as z from "zod";
import { newRoutes } from "../../../http/env.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { noBody } from "../../../http/json-body.ts";
import { operationsOf, responses } from "../../../http/openapi.ts";
import { pageQuery, refuseDeepPages, setNextLink } from "../../../http/pagination.ts";
import { body, query } from "../../../http/validate.ts";
import { cancelEmail } from "./cancel.ts";
import { MAX_SCHEDULED, pageOfScheduled, SCHEDULED_CURSOR } from "./list.ts";
import { reschedule } from "./reschedule.ts";
import { RescheduleIn, ScheduledOut, StatusOut } from "./schema.ts";
import { sendNow } from "./send-now.ts";

const ListQuery = z
  .object({
    ...pageQuery({ default: MAX_SCHEDULED, max: MAX_SCHEDULED }),
    after: z
      .string()
      .regex(SCHEDULED_CURSOR, "after must be a cursor from the Link header of the page before")
      .optional()
      .describe("Continues after this cursor, of the Link header."),
  })
  .superRefine(refuseDeepPages);
const operation = operationsOf("Emails");

export const scheduledRoutes = newRoutes()
  .get(
    "/v1/emails/scheduled",
    operation("emails:view", "listScheduledEmails", {
      summary: "List scheduled emails",
      responses: responses(200, "A page of emails, soonest first", z.array(ScheduledOut), [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { json, next } = await pageOfScheduled(c.get("caller"), c.req.valid("query"));
      if (next !== null) setNextLink(c, { after: next });
      return c.body(json, 200, { "Content-Type": "application/json" });
    },
  )
  .patch(
    "/v1/emails/scheduled/:email_id",
    operation("emails:send", "rescheduleEmail", {
      summary: "Reschedule an email",
      responses: responses(200, "The email", ScheduledOut, [400, 403, 404, 409, 413, 415]),
    }),
    ...body(RescheduleIn),
    async (c) => c.json(await reschedule(c.get("caller"), c.req.param("email_id"), c.req.valid("json").send_at)),
  )
  .delete(
    "/v1/emails/scheduled/:email_id",
    operation("emails:send", "cancelScheduledEmail", {
      summary: "Cancel a scheduled email",
      responses: responses(200, "The email is cancelled", StatusOut, [403, 404]),
    }),
    async (c) => c.json(await cancelEmail(c.get("caller"), c.req.param("email_id"))),
  )
  .post(
    "/v1/emails/scheduled/:email_id/send-now",
    operation("emails:send", "sendScheduledEmailNow", {
      summary: "Send a scheduled email now",
      responses: responses(200, "The email is queued", StatusOut, [403, 404, 409]),
    }),
    noBody,
    idempotent(200),
    async (c) => c.json(await sendNow(c.get("caller"), c.req.param("email_id"))),
  );
