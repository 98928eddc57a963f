import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, page } from "../../../http/page-actions.tsx";
import { readTime } from "../../../http/time-field.ts";
import {
  AppLayout,
  Dialog,
  Empty,
  Form,
  List,
  PostButton,
  RefusalNotice,
  ShortTimeField,
  Submit,
  Time,
  useScope,
  waitOf,
} from "../../../http/ui/index.ts";
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
import { shortRecipients } from "../short-recipients.ts";

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

const ScheduledPage = ({ emails }: { emails: readonly ScheduledOut[] }) => (
  <AppLayout title="Scheduled emails">
    <RefusalNotice />
    <List
      caption="Scheduled emails"
      columns={["Leaves", "In", "To", "Subject", "Change"]}
      empty={
        <Empty action={{ href: "/app/emails/new", label: "Schedule an email" }}>No email waits for its time.</Empty>
      }
      rows={emails.map((email) => [
        <Time at={email.scheduled_at} as="whole" />,
        waitOf(email.seconds_until_send),
        shortRecipients(email.to_addresses),
        <a href={`/app/emails/${email.id}`}>{email.subject === "" ? "(no subject)" : email.subject}</a>,
        useScope("emails:send") ? <Change email={email} /> : null,
      ])}
    />
  </AppLayout>
);

const Change = ({ email }: { email: ScheduledOut }) => (
  <Dialog label="Change" title="Change an email" name={`Change ${email.subject}`} kind="quiet">
    <Form action={`/app/emails/${email.id}/move`}>
      <ShortTimeField name="send_at" label={`New time of ${email.subject}`} at={email.scheduled_at} />
      <Submit label="Move" />
    </Form>
    <div class="actions">
      <PostButton to={`/app/emails/${email.id}/send-now`} label="Send now" kind="quiet" />
      <PostButton to={`/app/emails/${email.id}/cancel`} label="Cancel" kind="danger" />
    </div>
  </Dialog>
);
