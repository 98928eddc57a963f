import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, page } from "../../../http/page-actions.tsx";
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
export const scheduledRoutes = [
  page("/app/emails/scheduled", "GET /v1/emails/scheduled", showScheduled),
  change("/app/emails/:email_id/move", "PATCH /v1/emails/scheduled/:email_id", {
    read: (fields) => readTime(fields, "send_at"),
    run: reschedule,
    show: async (c) => {
      // A time that is refused says nothing about an email of another workspace.
      await getEmailDetail(c.get("caller"), c.req.param("email_id") ?? "");
      return showScheduled(c);
    },
    to: "/app/emails/scheduled",
    done: { moved: "The email leaves at its new time." },
  }),
  button("/app/emails/:email_id/send-now", "POST /v1/emails/scheduled/:email_id/send-now", {
    run: sendNow,
    show: showScheduled,
    done: { now: "The email is on its way." },
  }),
  button("/app/emails/:email_id/cancel", "DELETE /v1/emails/scheduled/:email_id", {
    run: cancelEmail,
    show: showScheduled,
    done: { cancelled: "The email is cancelled." },
  }),
];

async function showScheduled(c: AppContext) {
  const after = c.req.method === "GET" ? c.req.query("after") : undefined;
  if (after !== undefined && !SCHEDULED_CURSOR.test(after)) throw notFound("Page");
  const { json, next } = await pageOfScheduled(c.get("caller"), { after, page: 0, limit: PAGE_SIZE });
  return respondPage(c, <ScheduledPage emails={JSON.parse(json) as ScheduledOut[]} />, {
    next: next && `/app/emails/scheduled?${new URLSearchParams({ after: next })}`,
    nextLabel: "Later",
  });
}
