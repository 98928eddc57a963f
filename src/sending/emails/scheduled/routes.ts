import * as z from "zod";
import { apiRoutes, outlives } from "../../../http/api-routes.ts";
import { pageQuery, refuseDeepPages, setNextLink } from "../../../http/pagination.ts";
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

export const scheduledRoutes = apiRoutes("Emails")
  .get("/v1/emails/scheduled", "listScheduledEmails", "emails:view", {
    summary: "List scheduled emails",
    query: ListQuery,
    returns: { 200: ["A page of emails, soonest first", z.array(ScheduledOut)] },
    run: async (caller, { query }, c) => {
      const { json, next } = await pageOfScheduled(caller, query);
      if (next !== null) setNextLink(c, { after: next });
      return c.body(json, 200, { "Content-Type": "application/json" });
    },
  })
  .patch("/v1/emails/scheduled/:email_id", "rescheduleEmail", "emails:send", outlives.nothing, {
    summary: "Reschedule an email",
    body: RescheduleIn,
    returns: { 200: ["The email", ScheduledOut] },
    errors: [400, 409],
    run: (caller, { email_id, body }) => reschedule(caller, email_id, body.send_at),
  })
  .delete("/v1/emails/scheduled/:email_id", "cancelScheduledEmail", "emails:send", outlives.nothing, {
    summary: "Cancel a scheduled email",
    returns: { 200: ["The email is cancelled", StatusOut] },
    run: (caller, { email_id }) => cancelEmail(caller, email_id),
  })
  .post("/v1/emails/scheduled/:email_id/send-now", "sendScheduledEmailNow", "emails:send", outlives.nothing, {
    summary: "Send a scheduled email now",
    returns: { 200: ["The email is queued", StatusOut] },
    run: (caller, { email_id }) => sendNow(caller, email_id),
  });
