import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { changeByButton, pageFor, submitForm } from "../../../http/page-routes.ts";
import { readTime } from "../../../http/time-field.ts";
import { notFound } from "../../../lib/errors.ts";
import {
  cancelEmail,
  getEmailDetail,
  pageOfScheduled,
  reschedule,
  SCHEDULED_CURSOR,
  type ScheduledOut,
  sendNow,
} from "../../../sending/emails/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { ScheduledPage } from "./scheduled.tsx";

/** The scheduled emails, and the forms that move, send and cancel one. */
export const scheduledPages = newRoutes()
  .get("/app/emails/scheduled", ...pageFor("GET /v1/emails/scheduled"), showScheduled)
  .post("/app/emails/:email_id/move", ...pageFor("PATCH /v1/emails/scheduled/:email_id"), (c) => {
    const show = async () => {
      // A time that is refused says nothing about an email of another workspace.
      await getEmailDetail(c.get("caller"), c.req.param("email_id"));
      return showScheduled(c);
    };
    return submitForm(c, show, async (fields) => {
      await reschedule(c.get("caller"), c.req.param("email_id"), readTime(fields, "send_at"));
      return "/app/emails/scheduled?done=moved";
    });
  })
  .post("/app/emails/:email_id/send-now", ...pageFor("POST /v1/emails/scheduled/:email_id/send-now"), (c) =>
    changeByButton(c, PAGE, "now", sendNow),
  )
  .post("/app/emails/:email_id/cancel", ...pageFor("DELETE /v1/emails/scheduled/:email_id"), (c) =>
    changeByButton(c, PAGE, "cancelled", cancelEmail),
  );

const PAGE = { parameter: "email_id", show: showScheduled, pathOf: (id: string) => `/app/emails/${id}` };

async function showScheduled(c: AppContext) {
  const after = c.req.method === "GET" ? c.req.query("after") : undefined;
  if (after !== undefined && !SCHEDULED_CURSOR.test(after)) throw notFound("Page");
  const { json, next } = await pageOfScheduled(c.get("caller"), { after, page: 0, limit: PAGE_SIZE });
  return respondPage(c, <ScheduledPage emails={JSON.parse(json) as ScheduledOut[]} />, {
    notices: { moved: "The email leaves at its new time." },
    next: next && `/app/emails/scheduled?${new URLSearchParams({ after: next })}`,
    nextLabel: "Later",
  });
}
