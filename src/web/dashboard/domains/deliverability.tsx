import { AppLayout, ButtonLink, LineChart, List, Numbers, Status, Time } from "../../../http/ui/index.ts";
import { DAY_MS, iso } from "../../../lib/time.ts";
import { COMPLAINTS, type Deliverability, RECEIVERS } from "../../../sending/deliverability/index.ts";
import { FindingCard } from "./health.tsx";
import { number, percent } from "./reports.tsx";

/** Wordings that the page shows. */
const MAX_REPLIES = 12;

/** What receivers did with mail of a domain in 30 days, what they said, and what to do. */
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
      columns={["Receiver", "Sent", "Delivered", "Deferred", "Bounced", "Blocked or refused", "Complaints"]}
      rows={receivers.map(({ name, counts }) => [
        RECEIVERS[name].label,
        number(counts.sent),
        ...[counts.delivered, counts.deferred, counts.bounced, counts.soft_bounced + counts.failed].map((count) =>
          counts.sent === 0 ? "–" : `${number(count)} (${percent(count, counts.sent)})`,
        ),
        counts.sent === 0 ? "–" : `${number(counts.complained)} (${fine(counts.complained, counts.sent)})`,
      ])}
    />
    <p class="soft">
      Recipients of all mail of the workspace, by their last known state. Bounced: the address does not work. Deferred:
      tried again later, at least once.
    </p>
  </>
);

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
    empty={<p>No receiver has deferred or refused mail of this domain.</p>}
  />
);

function Authentication({ found }: { found: Deliverability }) {
  const { dmarc, tls } = found;
  const sum = (of: "messages" | "aligned" | "dkim") => dmarc.days.reduce((total, day) => total + day[of], 0);
  const messages = sum("messages");
  const first = dmarc.days[0]?.day ?? 0;
  const length = (dmarc.days.at(-1)?.day ?? 0) - first + 1;
  const days = Array.from({ length }, (_, at) => dmarc.days.find(({ day }) => day === first + at));
  return (
    <>
      <Numbers
        numbers={[
          { name: "Messages in DMARC reports", value: number(messages) },
          { name: "Passed by DKIM", value: number(sum("dkim")), share: percent(sum("dkim"), messages) },
          { name: "Passed by SPF alone", value: number(sum("aligned") - sum("dkim")) },
          {
            name: "Not aligned",
            value: number(messages - sum("aligned")),
            share: percent(messages - sum("aligned"), messages),
          },
          {
            name: "Connections to you with TLS failures",
            value: number(tls.failed),
            share: percent(tls.failed, tls.sessions),
          },
        ]}
      />
      {messages === 0 ? null : (
        <LineChart
          subject="Messages by day"
          place="Day"
          labels={days.map((_, at) => iso((first + at) * DAY_MS).slice(0, 10))}
          series={[
            { label: "Passed by DKIM", kind: "good", values: days.map((day) => day?.dkim ?? 0) },
            { label: "Without DKIM", kind: "bad", values: days.map((day) => (day ? day.messages - day.dkim : 0)) },
          ]}
        />
      )}
      <p>
        {dmarc.reporters.length === 0
          ? "No receiver has reported yet."
          : `Reported by ${dmarc.reporters.slice(0, 8).join(", ")}.`}{" "}
        <a href={pathOf(found, "reports")}>All reports</a>
      </p>
    </>
  );
}

/** What large receivers want of senders, beside what the mail has. */
function Wants({ found: { dmarc, receivers } }: { found: Deliverability }) {
  const messages = dmarc.days.reduce((total, day) => total + day.messages, 0);
  const aligned = dmarc.days.reduce((total, day) => total + day.aligned, 0);
  return (
    <>
      <List
        caption="What receivers want"
        columns={["They want", "Your mail", "What to do"]}
        rows={[
          [
            "SPF or DKIM passes for the domain in From, with a DMARC record",
            messages === 0 ? "Not reported yet" : `${percent(aligned, messages)} of ${number(messages)} messages`,
            "Give each service that sends as you a DKIM key or an SPF entry.",
          ],
          [
            "Unsubscribing by one click in bulk mail (RFC 8058)",
            "In every email of broadcasts, bulk sends and automations",
            "Ask for it in single emails that are no receipts: unsubscribe in the API, Offer-Unsubscribe by SMTP.",
          ],
          ...receivers
            .filter(({ counts }) => counts.sent > 0)
            .map(({ name, counts: { complained, sent } }) => [
              `${RECEIVERS[name].label}: fewer complaints than 0.1 %, never 0.3 %`,
              <ComplaintRate complained={complained} sent={sent} />,
              RECEIVERS[name].complaints,
            ]),
        ]}
      />
      <p class="soft">
        The limits of complaints are those that Google and Yahoo publish for senders. Most other receivers look for the
        same.
      </p>
    </>
  );
}

function ComplaintRate({ complained, sent }: { complained: number; sent: number }) {
  const share = complained / sent;
  const word = share >= COMPLAINTS.most ? "error" : share >= COMPLAINTS.wanted ? "warning" : "ok";
  return <Status word={word} label={`${fine(complained, sent)} (${number(complained)} reported)`} />;
}

const fine = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`;
