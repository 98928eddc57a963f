import type { ScheduledOut } from "../emails/scheduled/index.ts";
import { Empty, List, Notice, Time } from "../ui/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";

interface ScheduledPageProps {
  page: OpenPage;
  emails: readonly ScheduledOut[];
  notice?: string | undefined;
  error?: string | undefined;
}

/** The messages of a mailbox that leave later. Each can be stopped until then. */
export const ScheduledPage = ({ page, emails, notice, error }: ScheduledPageProps) => (
  <WebmailLayout {...page} title="Scheduled" current="scheduled">
    <h1>Scheduled</h1>
    {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    {emails.length === 0 ? (
      <Empty>No message waits to be sent.</Empty>
    ) : (
      <List
        caption="Scheduled messages"
        columns={["To", "Subject", "Leaves at", "Action"]}
        rows={emails.map(({ id, to_addresses, subject, scheduled_at }) => [
          to_addresses.join(", "),
          subject,
          <Time at={scheduled_at} />,
          <form class="inline" method="post">
            <button type="submit" class="quiet" name="email_id" value={id} aria-label={`Do not send ${subject}`}>
              Do not send
            </button>
          </form>,
        ])}
      />
    )}
  </WebmailLayout>
);
