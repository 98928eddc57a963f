import { AppLayout, ButtonLink, List, Numbers, Status, Time } from "../../../http/ui/index.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";
import { COMPLAINTS, type Deliverability, RECEIVERS } from "../../../sending/deliverability/index.ts";
import { FindingCard } from "./health.tsx";
import { Days, number, percent } from "./reports.tsx";

/** Wordings of replies that the page shows. */
const MAX_REPLIES = 12;
/** Receivers that report no single complaints. */
const UNREPORTED = ["gmail", "apple"];
/** Organisations that reported, which the page names. */
const MAX_REPORTERS = 8;

/** Shows how receivers treated mail of a domain in 30 days, what they said, and what to do. */
export const DeliverabilityPage = ({ found }: { found: Deliverability }) => (
  <AppLayout
    title={`Deliverability of ${found.domain.name}`}
    actions={<ButtonLink to={`/app/domains/${found.domain.id}`} label="The domain" kind="quiet" />}
  >
    <p class="soft">The last 30 days, in UTC.</p>
    {found.troubles.length === 0 ? (
      <p>Nothing in these 30 days needs attention.</p>
    ) : (
      <>
        <h2>What needs attention</h2>
        {found.troubles.map((trouble) => (
          <FindingCard finding={trouble} />
        ))}
      </>
    )}
    <p>
      The records and reports of the domain are checked every day: <a href={pathOf(found, "health")}>Health</a>.
    </p>
    <h2>By receiver</h2>
    <Receivers receivers={found.receivers} />
    <h2>What receivers replied</h2>
    <Replies replies={found.replies} />
    <h2>Authentication and encryption</h2>
    <Authentication found={found} />
    <h2>What receivers want</h2>
    <Wants found={found} />
  </AppLayout>
);

const pathOf = ({ domain }: Deliverability, page: string) => `/app/domains/${domain.id}/${page}`;

const Receivers = ({ receivers }: Pick<Deliverability, "receivers">) => (
  <>
    <List
      caption="Mail by receiver"
      columns={["Receiver", "Sent", "Delivered", "Deferred", "Hard bounces", "Blocked or refused", "Complaints"]}
      rows={receivers.map(({ name, counts: { sent, complained, ...counts } }) => [
        RECEIVERS[name].label,
        number(sent),
        ...[counts.delivered, counts.deferred, counts.bounced, counts.soft_bounced + counts.failed].map((count) =>
          sent === 0 ? "–" : `${number(count)} (${percent(count, sent)})`,
        ),
        <ComplaintRate name={name} complained={complained} sent={sent} />,
      ])}
    />
    <p class="soft">
      Recipients of all mail of the workspace, by their last known state. Hard bounces: the address does not work.
      Deferred: tried again later, at least once.
    </p>
  </>
);

function ComplaintRate({ name, complained, sent }: { name?: string; complained: number; sent: number }) {
  if (sent === 0) return <>–</>;
  if (complained === 0 && UNREPORTED.includes(name ?? "")) return <>Not reported</>;
  const share = complained / sent;
  const word = share >= COMPLAINTS.most ? "error" : share >= COMPLAINTS.wanted ? "warning" : "ok";
  return <Status word={word} label={`${number(complained)} (${(100 * share).toFixed(2)} %)`} />;
}

const Replies = ({ replies }: Pick<Deliverability, "replies">) => (
  <List
    caption="Replies"
    columns={["Receiver", "Mail", "Reply", "Times", "Last"]}
    rows={replies
      .slice(0, MAX_REPLIES)
      .map(({ receiver, kind, reply, count, last }) => [
        RECEIVERS[receiver].label,
        <Status word={kind} />,
        <code>{reply}</code>,
        number(count),
        <Time at={iso(last)} />,
      ])}
    empty={<p>No receiver has deferred or refused the newest mail of this domain.</p>}
  />
);

const total = <Row,>(rows: readonly Row[], of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0);

function Authentication({ found }: { found: Deliverability }) {
  const { dmarc, tls } = found;
  const [messages, aligned] = [total(dmarc.days, (day) => day.messages), total(dmarc.days, (day) => day.aligned)];
  const dkim = total(dmarc.days, (day) => day.dkim);
  const share = (name: string, count: number, of: number) => ({
    name,
    value: number(count),
    share: percent(count, of),
  });
  return (
    <>
      <Numbers
        numbers={[
          { name: "Messages in DMARC reports", value: number(messages) },
          share("Passed by DKIM", dkim, messages),
          share("Passed by SPF alone", aligned - dkim, messages),
          share("Not aligned", messages - aligned, messages),
          share("Connections to you with TLS failures", tls.failed, tls.sessions),
        ]}
      />
      {messages === 0 ? null : (
        <Days
          title="Messages by day"
          days={dmarc.days.map((one) => ({
            date: iso(one.day * DAY_MS).slice(0, 10),
            good: one.dkim,
            bad: one.messages - one.dkim,
          }))}
          labels={["Passed by DKIM", "Without DKIM"]}
        />
      )}
      <p>
        {dmarc.reporters.length === 0
          ? "No receiver has reported yet."
          : `Reported by ${dmarc.reporters.slice(0, MAX_REPORTERS).join(", ")}.`}{" "}
        <a href={pathOf(found, "reports")}>All reports</a>
      </p>
    </>
  );
}

/** Shows what large receivers want of senders, beside what the mail has. */
function Wants({ found: { dmarc, receivers } }: { found: Deliverability }) {
  const messages = total(dmarc.days, (day) => day.messages);
  const counted = (of: "complained" | "sent") => total(receivers, ({ counts }) => counts[of]);
  return (
    <List
      caption="What receivers want"
      columns={["They want", "Your mail", "What to do"]}
      rows={[
        [
          "SPF or DKIM passes for the domain in From, with a DMARC record",
          messages === 0
            ? "Not reported yet"
            : `${percent(
                total(dmarc.days, (day) => day.aligned),
                messages,
              )} of ${number(messages)} messages`,
          "Give each service that sends as you a DKIM key or an SPF entry.",
        ],
        [
          "Unsubscribing by one click in bulk mail (RFC 8058)",
          "In every email of broadcasts, bulk sends and automations",
          "Ask for it in single emails that are no receipts: unsubscribe in the API, Offer-Unsubscribe by SMTP.",
        ],
        [
          "Complaints below 0.1 %, never 0.3 % (Google and Yahoo)",
          <ComplaintRate complained={counted("complained")} sent={counted("sent")} />,
          "Google and Apple report no single complaints: read your rate in Google Postmaster Tools. Microsoft (JMRP) and Yahoo (Complaint Feedback Loop) report them to registered senders.",
        ],
      ]}
    />
  );
}
