import type { CallerCtx } from "../../context.ts";
import type { ScheduledOut } from "../../emails/index.ts";
import { Empty, Layout, List, Notice, Pager, Time, toFieldValue, useViewer, waitOf } from "../../ui/index.ts";
import { pageUser } from "../page-user.ts";
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
  <Layout title="Scheduled emails" user={pageUser(caller)} at="/app/emails">
    {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    {emails.length === 0 ? (
      <Empty action={{ href: "/app/emails/new", label: "Schedule an email" }}>No email waits for its time.</Empty>
    ) : (
      <List
        caption="Scheduled emails"
        columns={["Leaves", "In", "To", "Subject", "Change"]}
        rows={emails.map((email) => [
          <Time at={email.scheduled_at} />,
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

const Change = ({ email }: { email: ScheduledOut }) => {
  const { zone } = useViewer();
  return (
    <div class="actions">
      <form class="inline" method="post" action={`/app/emails/${email.id}/move`}>
        <label>
          <span class="hidden">
            New time of {email.subject} in the time of {zone}
          </span>
          <input
            class="short"
            type="datetime-local"
            name="send_at"
            required
            title={`In the time of ${zone}`}
            value={toFieldValue(email.scheduled_at, zone)}
          />
        </label>
        <input type="hidden" name="send_at_zone" value={zone} />
        <button class="link" type="submit">
          Move
        </button>
      </form>
      <form class="inline" method="post" action={`/app/emails/${email.id}/send-now`}>
        <button class="link" type="submit">
          Send now
        </button>
      </form>
      <form class="inline" method="post" action={`/app/emails/${email.id}/cancel`}>
        <button class="link" type="submit">
          Cancel
        </button>
      </form>
    </div>
  );
};
