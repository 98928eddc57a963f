import { Empty, List, Notice, Time } from "../../http/ui/index.ts";
import type { ScheduledOut } from "../../sending/emails/scheduled/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";

interface ScheduledPageProps {
  page: OpenPage;
  emails: readonly ScheduledOut[];
  notice?: string | undefined;
  error?: string | undefined;
  /** The message that was just sent, and the UID of its draft: stopping it opens that. */
  sent?: ScheduledOut | undefined;
  draft?: string | undefined;
}

/** The messages of a mailbox that leave later. Each can be stopped until then. */
export const ScheduledPage = ({ page, emails, notice, error, sent, draft }: ScheduledPageProps) => (
  <WebmailLayout {...page} title="Scheduled" current="scheduled">
    <h1>Scheduled</h1>
    {sent === undefined ? (
      notice && <Notice kind="good">{notice}</Notice>
    ) : (
      <div class="notice good undo" id="undo" data-live="">
        <p>
          {notice} <span data-countdown={sent.scheduled_at} />
        </p>
        <StopForm email={sent} draft={draft} label="Undo" />
      </div>
    )}
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <div id="scheduled" data-live="">
      {emails.length === 0 ? (
        <Empty>No message waits to be sent. A message that you send waits here for a minute.</Empty>
      ) : (
        <List
          caption="Scheduled messages"
          columns={["To", "Subject", "Leaves at", "Action"]}
          rows={emails.map((email) => [
            email.to_addresses.join(", "),
            email.subject === "" ? "(no subject)" : email.subject,
            <>
              <Time at={email.scheduled_at} as="whole" /> <span class="soft" data-countdown={email.scheduled_at} />
            </>,
            <StopForm email={email} draft={email.id === sent?.id ? draft : undefined} label="Cancel sending" />,
          ])}
        />
      )}
    </div>
  </WebmailLayout>
);

const StopForm = ({ email, draft, label }: { email: ScheduledOut; draft: string | undefined; label: string }) => (
  <form class="inline" method="post">
    {draft === undefined ? null : <input type="hidden" name="draft" value={draft} />}
    <button
      {...{ type: "submit", class: "quiet", name: "email_id", value: email.id }}
      aria-label={`${label}: ${email.subject === "" ? "(no subject)" : email.subject}`}
    >
      {label}
    </button>
  </form>
);
