import {
  AppLayout,
  Code,
  counted,
  Facts,
  List,
  Live,
  PostButton,
  RefusalNotice,
  SizedMailFrame,
  Status,
  Time,
  useCaller,
  useScope,
} from "../../../http/ui/index.ts";
import { type DetailOut, type DetailRow, hasComplaint, lastReason } from "../../../sending/emails/index.ts";
import type { ReceiverWait } from "../../../sending/receivers/index.ts";
import type { SuppressionOut } from "../../../sending/suppressions/index.ts";
import { EmailStatus } from "../email-status.tsx";
import { toCurl } from "./curl.ts";
import { FailureCards } from "./failure-card.tsx";
import { sourceText, Timeline } from "./timeline.tsx";

interface EmailPageProps {
  email: DetailOut;
  row: DetailRow;
  suppressions: readonly SuppressionOut[];
  waits: readonly ReceiverWait[];
}

/** One email: what became of each recipient and why, its timeline and its content. */
export const EmailPage = ({ email, row, suppressions, waits }: EmailPageProps) => (
  <AppLayout title={email.subject === "" ? "(no subject)" : email.subject} actions={<Actions email={email} />}>
    <RefusalNotice />
    <Live id="state" isPolled={IN_PROGRESS.includes(email.status)}>
      <FailureCards email={email} suppressions={suppressions} isRetriable={RETRIABLE.includes(email.status)} />
      <EmailFacts email={email} row={row} />
      <h2>Recipients</h2>
      <List
        caption="Recipients"
        columns={["Address", "Status", "Reason"]}
        rows={row.recipients.map(({ kind, email: address, state }) => [
          kind === "to" ? address : `${address} (${kind})`,
          <Status word={recipientStatus(state, email.status)} />,
          lastReason(email.events, address) ?? "",
        ])}
      />
      <h2>Timeline</h2>
      <Timeline email={email} waits={waits} />
    </Live>
    <h2>Content</h2>
    <Content email={email} curl={toCurl(useCaller().settings.publicUrl, row, email)} />
  </AppLayout>
);

function recipientStatus(state: string, status: string): string {
  if (state === "held") return "sent";
  return state === "queued" && status === "scheduled" ? "scheduled" : state;
}

const EmailFacts = ({ email, row }: Pick<EmailPageProps, "email" | "row">) => (
  <Facts
    of={{
      Status: <EmailStatus of={{ status: email.status, has_complaint: hasComplaint(row) }} />,
      From: email.from_address,
      Created: (
        <>
          <Time at={email.created_at} /> {sourceText(email.source)}
        </>
      ),
      "Scheduled for": email.scheduled_at === null ? null : <Time at={email.scheduled_at} as="whole" />,
      Tags: email.tags && email.tags.length > 0 ? email.tags.join(", ") : null,
      Engagement: `${counted(email.opened_count, "open")}, ${counted(email.clicked_count, "click")}`,
      "Message-ID": { code: email.message_id },
      "Retry of":
        email.retry_of_id === null ? null : <a href={`/app/emails/${email.retry_of_id}`}>the email that failed</a>,
    }}
  />
);

/** Statuses that change by themselves. */
const IN_PROGRESS = ["scheduled", "queued", "sending", "sent"];
const RETRIABLE = ["bounced", "rejected", "failed"];

function Actions({ email }: { email: DetailOut }) {
  if (!useScope("emails:send")) return null;
  const path = `/app/emails/${email.id}`;
  if (RETRIABLE.includes(email.status)) return <PostButton to={`${path}/retry`} label="Retry" once />;
  if (email.status !== "scheduled")
    return email.html_body === null && email.text_body === null ? null : (
      <PostButton to={`${path}/copy`} label="Send me a copy" kind="quiet" once />
    );
  return (
    <>
      <PostButton to={`${path}/send-now`} label="Send now" />
      <PostButton to={`${path}/cancel`} label="Cancel" kind="danger" />
    </>
  );
}

function Content({ email, curl }: { email: DetailOut; curl: string }) {
  const headers = Object.entries(email.headers);
  if (email.html_body === null && email.text_body === null)
    return <p>The content is no longer stored, cannot be shown, or is that of a mailbox which you may not open.</p>;
  return (
    <>
      {email.html_body === null ? null : (
        <SizedMailFrame title="HTML of the email" src={`/app/emails/${email.id}/html`} />
      )}
      {email.text_body === null ? null : (
        <details open={email.html_body === null}>
          <summary>Text</summary>
          <pre>{email.text_body}</pre>
        </details>
      )}
      {headers.length === 0 ? null : (
        <details>
          <summary>Headers of the request</summary>
          <pre>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
        </details>
      )}
      <details>
        <summary>The same email by curl</summary>
        <Code label="The same email by curl" text={curl} />
      </details>
      <p>
        <a href={`/app/emails/${email.id}/source`}>Download the source</a> <span class="soft">(.eml)</span>
      </p>
    </>
  );
}
