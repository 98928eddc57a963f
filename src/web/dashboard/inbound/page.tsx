import { AppLayout, Empty, Facts, FindForm, List, Live, Status, Time, useCaller } from "../../../http/ui/index.ts";
import type { Authentication } from "../../../mail/authentication-results/stored-results.ts";
import type { InboundEntryOut } from "../../../mailboxes/inbound-log/index.ts";
import type { SearchOut } from "../../../sending/emails/index.ts";

/** The emails that the mailboxes of the workspace have received, with search. */
export const InboundPage = ({ entries, q }: { entries: readonly SearchOut[]; q: string }) => (
  <AppLayout title="Inbound log">
    {useCaller().actor.role === "member" ? (
      <p>Only owners and admins of the workspace see the inbound log.</p>
    ) : (
      <>
        <FindForm
          action="/app/inbound"
          name="q"
          label="Search"
          button="Search"
          value={q}
          hint="Words of subject and addresses, or from:ada@example.org, to:, domain:"
          maxlength={500}
        />
        <Live id="received" isPolled={q === ""}>
          <List
            caption="Received emails"
            live={{ name: "received", ids: entries.map(({ id }) => id) }}
            columns={["From", "To", "Subject", "DMARC", "Received"]}
            empty={<NoEntries isFiltered={q !== ""} />}
            rows={entries.map((entry) => [
              entry.from_name ?? entry.from_address,
              entry.to_addresses.join(", "),
              <a href={`/app/inbound/${entry.id}`}>{entry.subject === "" ? "(no subject)" : entry.subject}</a>,
              entry.authentication?.dmarc ? <Status word={entry.authentication.dmarc.result} /> : "not checked",
              <Time at={entry.created_at} />,
            ])}
          />
        </Live>
      </>
    )}
  </AppLayout>
);

const NoEntries = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty drawing="search" action={{ href: "/app/inbound", label: "Show all received emails" }}>
      No received email matches.
    </Empty>
  ) : (
    <Empty action={{ href: "/app/mailboxes", label: "Go to the mailboxes" }}>
      No email was received yet. Emails to a mailbox of a domain arrive when its MX record is published.
    </Empty>
  );

/** One received email: who sent it, the checks of its sender, and what was done with it. */
export const InboundEntryPage = ({ entry }: { entry: InboundEntryOut }) => (
  <AppLayout title={entry.subject === null ? "Received email" : entry.subject || "(no subject)"}>
    <Facts
      of={{
        From: entry.from_name === null ? entry.from_address : `${entry.from_name} <${entry.from_address}>`,
        To: entry.recipient,
        Received: <Time at={entry.received_at} as="whole" />,
        Files: entry.attachment_count,
      }}
    />
    {entry.text_preview === null ? (
      <p>You are not assigned to its mailbox, so its subject and text are hidden.</p>
    ) : null}
    {entry.text_preview ? <p>{entry.text_preview}</p> : null}
    <h2>Checks of the sender</h2>
    <Checks authentication={entry.authentication} />
    <h2>What was done with it</h2>
    <ol class="timeline">
      {entry.events.map(({ event_type, metadata, created_at }) => (
        <li>
          <span class="status">{EVENTS[event_type] ?? event_type}</span> <Time at={created_at} as="seconds" />
          <br />
          <span class="soft">{describe(metadata)}</span>
        </li>
      ))}
    </ol>
  </AppLayout>
);

const Checks = ({ authentication: { spf, dkim, dmarc } }: { authentication: Authentication }) => {
  const checks = [
    ...(spf ? [["SPF", spf.result, spf.domain] as const] : []),
    ...dkim.map(({ result, domain }) => ["DKIM", result, domain] as const),
    ...(dmarc ? [["DMARC", dmarc.result, dmarc.domain] as const] : []),
  ];
  return (
    <List
      caption="Checks of the sender"
      columns={["Check", "Result", "Domain"]}
      empty={<p>No trusted server has checked the sender.</p>}
      rows={checks.map(([name, result, domain]) => [name, <Status word={result} />, domain])}
    />
  );
};

const EVENTS: Readonly<Record<string, string>> = {
  stored: "Stored in a mailbox",
  forwarded: "Forwarded",
  not_forwarded: "Not forwarded",
  forward_failed: "Forwarding failed",
  forward_bounced: "The forwarded copy bounced",
  forward_complained: "The forwarded copy was marked as spam",
  answered: "Answered automatically",
  not_answered: "Not answered automatically",
};

/** Returns the details of an event as one line, without ids. */
const describe = (metadata: Record<string, unknown>) =>
  Object.entries(metadata)
    .filter(([name, value]) => !name.endsWith("_id") && value !== null)
    .map(
      ([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    .join(", ");
