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
import type { ScheduledOut } from "../../../sending/emails/index.ts";
import { shortRecipients } from "../short-recipients.ts";

/** The scheduled emails of the workspace, soonest first. */
export const ScheduledPage = ({ emails }: { emails: readonly ScheduledOut[] }) => (
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
