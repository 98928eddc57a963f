import type { CallerCtx } from "../../../access/caller.ts";
import {
  ButtonLink,
  Empty,
  Form,
  Layout,
  List,
  Live,
  Notice,
  Pager,
  SearchField,
  Status,
  Time,
  toSentence,
} from "../../../http/ui/index.ts";
import { type SavedSearchesOut, type SearchOut, statuses } from "../../../sending/emails/index.ts";
import { curlLine } from "../curl-line.ts";
import { shortRecipients } from "../short-recipients.ts";
import { emailsPath } from "./path.ts";
import { SavedSearches } from "./saved-searches.tsx";

interface EmailsPageProps {
  caller: CallerCtx;
  emails: readonly SearchOut[];
  /** Why an email failed, by its id. */
  reasons: ReadonlyMap<string, string>;
  searches: SavedSearchesOut["searches"];
  q: string;
  status: string;
  /** URL of the next page; null: this is the last one. */
  next: string | null;
  error?: string | undefined;
}

/** The emails of the workspace, with search and a filter by status. */
export const EmailsPage = ({ caller, emails, reasons, searches, q, status, next, error }: EmailsPageProps) => (
  <Layout title="Emails" caller={caller} at="/app/emails" actions={<NewLink caller={caller} />}>
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <Form class="filter" method="get" action="/app/emails">
      <SearchField
        label="Search emails"
        value={q}
        maxlength={500}
        placeholder="Subject or address, to:ada@example.org, from:, domain:, tag:"
      />
      {status === "" ? null : <input type="hidden" name="status" value={status} />}
      <button class="quiet" type="submit">
        Search
      </button>
    </Form>
    <StatusChips q={q} chosen={status} />
    <SavedSearches searches={searches} q={q} status={status} />
    {/* A search may read many rows, so it is not repeated. */}
    <Live id="emails" isPolled={q === ""}>
      {emails.length === 0 ? (
        <NoEmails caller={caller} isFiltered={q !== "" || status !== ""} />
      ) : (
        <Rows emails={emails} reasons={reasons} />
      )}
    </Live>
    <Pager next={next} />
  </Layout>
);

const NewLink = ({ caller }: { caller: CallerCtx }) => (
  <>
    <ButtonLink to="/app/emails/scheduled" label="Scheduled" kind="quiet" />
    {caller.actor.scopes.has("emails:send") ? (
      <>
        <ButtonLink to="/app/emails/batch" label="Batch" kind="quiet" />
        <ButtonLink to="/app/emails/new" label="New email" />
      </>
    ) : null}
  </>
);

const StatusChips = ({ q, chosen }: { q: string; chosen: string }) => (
  <ul class="chips" aria-label="Status">
    {["", ...statuses].map((status) => (
      <li>
        <a href={emailsPath({ q, status })} aria-current={status === chosen ? "true" : undefined}>
          {status === "" ? "All" : toSentence(status)}
        </a>
      </li>
    ))}
  </ul>
);

const Rows = ({ emails, reasons }: Pick<EmailsPageProps, "emails" | "reasons">) => (
  <List
    caption="Emails"
    kind="emails"
    live={{ name: "email", ids: emails.map(({ id }) => id) }}
    columns={["Status", "To", "Subject", "Created"]}
    rows={emails.map(({ id, status, to_addresses: to, subject, tags, created_at }) => [
      <Status word={status} />,
      <span title={to.join(", ")}>{shortRecipients(to)}</span>,
      <>
        <a href={`/app/emails/${id}`}>{subject === "" ? "(no subject)" : subject}</a>{" "}
        {(tags ?? []).map((tag) => (
          <span class="tag">{tag}</span>
        ))}
        {reasons.has(id) ? <p class="soft">{shorten(reasons.get(id) ?? "")}</p> : null}
      </>,
      <Time at={created_at} />,
    ])}
  />
);

/** Characters of a reason in a row; the page of the email has all. */
const REASON_CHARACTERS = 160;

const shorten = (reason: string) =>
  reason.length > REASON_CHARACTERS ? `${reason.slice(0, REASON_CHARACTERS).toWellFormed()}…` : reason;

function NoEmails({ caller, isFiltered }: { caller: CallerCtx; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty drawing="search" action={{ href: "/app/emails", label: "Show all emails" }}>
        No email matches.
      </Empty>
    );
  const command = curlLine(caller, "/v1/emails/", "@email.json");
  return (
    <Empty action={{ href: "/app/emails/new", label: "Send a test email" }} command={command}>
      This workspace has not sent an email yet.
    </Empty>
  );
}
