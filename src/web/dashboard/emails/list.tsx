import {
  AppLayout,
  ButtonLink,
  Chips,
  counted,
  Empty,
  Field,
  Form,
  List,
  Live,
  RefusalNotice,
  SearchField,
  Submit,
  Time,
  useScope,
} from "../../../http/ui/index.ts";
import { type SavedSearchesOut, type SearchOut, statuses } from "../../../sending/emails/index.ts";
import { EmailStatus } from "../email-status.tsx";
import { type EmailFilter, emailsPath } from "../emails-path.ts";
import { shortRecipients } from "../short-recipients.ts";
import { SavedSearches } from "./saved-searches.tsx";

interface EmailsPageProps {
  emails: readonly SearchOut[];
  /** Why an email failed, by its id. */
  reasons: ReadonlyMap<string, string>;
  searches: SavedSearchesOut["searches"];
  filter: EmailFilter;
}

/** The emails of the workspace, with search and filters by status and days. */
export const EmailsPage = ({ emails, reasons, searches, filter }: EmailsPageProps) => (
  <AppLayout title="Emails" actions={<NewLink />}>
    <RefusalNotice />
    <Form class="filter" method="get" action="/app/emails" fields={filter.status ? { status: filter.status } : {}}>
      <SearchField
        label="Search emails"
        value={filter.q}
        maxlength={500}
        placeholder="Subject or address, to:ada@example.org, from:, domain:, tag:"
      />
      <Field name="from" label="From" type="date" required={false} value={filter.from} />
      <Field name="to" label="To" type="date" required={false} value={filter.to} />
      <Submit label="Search" kind="quiet" />
    </Form>
    <Chips
      label="Status"
      choices={["", ...statuses].map((status) => [status, status || "all"] as const)}
      chosen={filter.status}
      to={(status) => emailsPath({ ...filter, status })}
    />
    <SavedSearches searches={searches} filter={filter} />
    {/* A search may read many rows, so it is not repeated. */}
    <Live id="emails" isPolled={filter.q === ""}>
      {emails.length === 0 ? (
        <NoEmails isFiltered={emailsPath(filter) !== emailsPath({})} />
      ) : (
        <Rows emails={emails} reasons={reasons} />
      )}
    </Live>
  </AppLayout>
);

const NewLink = () => (
  <>
    <ButtonLink to="/app/emails/scheduled" label="Scheduled" kind="quiet" />
    {useScope("emails:send") ? (
      <>
        <ButtonLink to="/app/emails/batch" label="Batch" kind="quiet" />
        <ButtonLink to="/app/emails/new" label="New email" />
      </>
    ) : null}
  </>
);

const Rows = ({ emails, reasons }: Pick<EmailsPageProps, "emails" | "reasons">) => (
  <List
    caption="Emails"
    kind="emails"
    live={{ name: "email", ids: emails.map(({ id }) => id) }}
    columns={["Status", "To", "Subject", "From", "Created"]}
    rows={emails.map((email) => [
      <EmailStatus of={email} />,
      <span title={email.to_addresses.join(", ")}>{shortRecipients(email.to_addresses)}</span>,
      <>
        <a href={`/app/emails/${email.id}`}>{email.subject === "" ? "(no subject)" : email.subject}</a>{" "}
        {(email.tags ?? []).map((tag) => (
          <span class="tag">{tag}</span>
        ))}
        {email.opened_count === 0 ? null : <p class="soft">{counted(email.opened_count, "open")}</p>}
        {reasons.has(email.id) ? <p class="soft">{shorten(reasons.get(email.id) ?? "")}</p> : null}
      </>,
      <span class="soft" title={email.from_address}>
        {email.from_name ?? email.from_address}
      </span>,
      <Time at={email.created_at} />,
    ])}
  />
);

/** Characters of a reason in a row; the page of the email has all. */
const REASON_CHARACTERS = 160;

const shorten = (reason: string) =>
  reason.length > REASON_CHARACTERS ? `${reason.slice(0, REASON_CHARACTERS).toWellFormed()}…` : reason;

function NoEmails({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty drawing="search" action={{ href: "/app/emails", label: "Show all emails" }}>
        No email matches.
      </Empty>
    );
  return (
    <Empty
      action={{ href: "/app/emails/new", label: "Send a test email" }}
      command={{ path: "/v1/emails/", body: "@email.json" }}
    >
      This workspace has not sent an email yet.
    </Empty>
  );
}
