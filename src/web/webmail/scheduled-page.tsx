import { Empty, Form, List, Notice, RefusalNotice, Time } from "../../http/ui/index.ts";
import type { ScheduledOut } from "../../sending/emails/scheduled/index.ts";
import { DoneNotice, type OpenPage, WebmailLayout } from "./layout.tsx";

interface ScheduledPageProps {
  page: OpenPage;
  emails: readonly ScheduledOut[];
  /** The draft that was opened, and the email that waits to be sent from it. */
  sending: { email: string; draft: string } | null;
}

/** The messages of a mailbox that leave later. Each can be stopped until then. */
export const ScheduledPage = ({ page, emails, sending }: ScheduledPageProps) => (
  <WebmailLayout {...page} title="Scheduled" current="scheduled">
    <h1>Scheduled</h1>
    <DoneNotice />
    {sending === null ? null : <Notice kind="warn">This draft is being sent. Cancel sending to change it.</Notice>}
    <RefusalNotice />
    <div id="scheduled" data-live="">
      <List
        caption="Scheduled messages"
        columns={["To", "Subject", "Leaves at", "Action"]}
        empty={<Empty>No message waits to be sent. A message that you send waits here for a minute.</Empty>}
        rows={emails.map((email) => [
          email.to_addresses.join(", "),
          email.subject === "" ? "(no subject)" : email.subject,
          <>
            <Time at={email.scheduled_at} as="whole" /> <span class="soft" data-countdown={email.scheduled_at} />
          </>,
          <StopForm email={email} draft={email.id === sending?.email ? sending.draft : undefined} />,
        ])}
      />
    </div>
  </WebmailLayout>
);

const StopForm = ({ email, draft }: { email: ScheduledOut; draft: string | undefined }) => (
  <Form class="inline" fields={draft === undefined ? {} : { draft }}>
    <button
      type="submit"
      class="quiet"
      name="email_id"
      value={email.id}
      aria-label={`Cancel sending: ${email.subject === "" ? "(no subject)" : email.subject}`}
    >
      Cancel sending
    </button>
  </Form>
);
