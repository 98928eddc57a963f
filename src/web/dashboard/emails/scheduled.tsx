import type { CallerCtx } from "../../../access/caller.ts";
import {
  Empty,
  Form,
  Layout,
  List,
  Notice,
  Pager,
  PostButton,
  ShortTimeField,
  Time,
  waitOf,
} from "../../../http/ui/index.ts";
import type { ScheduledOut } from "../../../sending/emails/index.ts";
import { shortRecipients } from "../short-recipients.ts";

interface ScheduledPageProps {
  caller: CallerCtx;
  emails: readonly ScheduledOut[];
  /** URL of the next page; null: this is the last one. */
  next: string | null;
  notice?: string | undefined;
  error?: string | undefined;
}

/** The scheduled emails of the workspace, soonest first. */
export const ScheduledPage = ({ caller, emails, next, notice, error }: ScheduledPageProps) => (
  <Layout title="Scheduled emails" caller={caller} at="/app/emails" notice={notice}>
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    {emails.length === 0 ? (
      <Empty action={{ href: "/app/emails/new", label: "Schedule an email" }}>No email waits for its time.</Empty>
    ) : (
      <List
        caption="Scheduled emails"
        columns={["Leaves", "In", "To", "Subject", "Change"]}
        rows={emails.map((email) => [
          <Time at={email.scheduled_at} as="whole" />,
          waitOf(email.seconds_until_send),
          shortRecipients(email.to_addresses),
          <a href={`/app/emails/${email.id}`}>{email.subject === "" ? "(no subject)" : email.subject}</a>,
          caller.actor.scopes.has("emails:send") ? <Change email={email} /> : null,
        ])}
      />
    )}
    <Pager next={next} label="Later" />
  </Layout>
);

const Change = ({ email }: { email: ScheduledOut }) => (
  <div class="actions">
    <Form class="inline" action={`/app/emails/${email.id}/move`}>
      <ShortTimeField name="send_at" label={`New time of ${email.subject}`} at={email.scheduled_at} />
      <button class="link" type="submit">
        Move
      </button>
    </Form>
    <PostButton to={`/app/emails/${email.id}/send-now`} label="Send now" kind="link" />
    <PostButton to={`/app/emails/${email.id}/cancel`} label="Cancel" kind="link" />
  </div>
);
