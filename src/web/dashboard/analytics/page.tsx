import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import {
  AppLayout,
  Chips,
  Empty,
  Field,
  Form,
  LineChart,
  List,
  Notice,
  Numbers,
  Select,
  Share,
  Submit,
  Time,
} from "../../../http/ui/index.ts";
import { HOUR_MS, iso } from "../../../lib/time.ts";
import { withQuery } from "../../../lib/with-query.ts";
import {
  type Counts,
  type DeliverabilityOut,
  type Filter,
  type Granularity,
  granularities,
  type Hours,
  type Most,
  type Period,
  rate,
  type toPoint,
} from "../../../sending/analytics/index.ts";
import { emailsPath } from "../emails-path.ts";

type Point = ReturnType<typeof toPoint>;

/** The mail that the page shows. */
export interface Choice {
  /** Null: the days `from` to `to` were chosen. */
  period: Period | null;
  from: string;
  to: string;
  hours: Hours;
  by: Granularity;
  canShowHours: boolean;
  /** The count of which the first recipient domains have most. */
  most: Most;
  filter: Filter;
}

export interface Report {
  counts: Counts;
  /** Counts of as many hours before; null when only the newest emails were counted. */
  before: Counts | null;
  /** Time of the oldest email that was counted, in ms since 1970, when there may be older ones. */
  countedFrom: number | null;
  points: readonly Point[];
  domains: DeliverabilityOut["items"];
  /** The newest broadcasts that were sent; null: the role may not see them. */
  broadcasts: readonly BroadcastOut[] | null;
}

interface AnalyticsPageProps {
  /** Null: the choice is not valid. */
  choice: Choice | null;
  report: Report | null;
  /** Names of the domains that may be chosen as the sender's. */
  senders: readonly string[];
  error?: string | undefined;
}

/** Counts of a time, as figures beside those of the time before, as lines and by recipient domain. */
export const AnalyticsPage = ({ choice, report, senders, error }: AnalyticsPageProps) => (
  <AppLayout title="Analytics">
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <Chips
      label="Period"
      choices={NAMES}
      chosen={choice?.period ?? ""}
      to={(name) => pathWith({ filter: choice?.filter }, { period: name })}
    />
    <Form class="filter" method="get" action="/app/analytics" fields={choice?.period ? { period: choice.period } : {}}>
      <Select
        name="domain"
        label="Sender domain"
        required={false}
        value={choice?.filter.domain}
        none="All"
        options={namesOf(senders, choice)}
      />
      <Field name="tag" label="Tag" required={false} value={choice?.filter.tag ?? ""} />
      <Field name="receiver" label="Recipient domain" required={false} value={choice?.filter.receiver ?? ""} />
      <Field name="from" label="From" type="date" required={false} value={choice?.from ?? ""} />
      <Field name="to" label="To" type="date" required={false} value={choice?.to ?? ""} />
      <Submit label="Show" kind="quiet" />
    </Form>
    {report === null || choice === null ? null : (
      <>
        <CountedNotice choice={choice} report={report} />
        <Overview choice={choice} counts={report.counts} before={report.before} />
        {Object.values(report.counts).every((count) => count === 0) ? (
          <Empty action={{ href: "/app/emails/new", label: "Send an email" }}>Nothing was sent in this period.</Empty>
        ) : (
          <SeriesPart choice={choice} points={report.points} />
        )}
        <h2>Recipient domains</h2>
        <Domains choice={choice} domains={report.domains} />
        {report.broadcasts === null ? null : (
          <>
            <h2>Broadcasts</h2>
            <Broadcasts broadcasts={report.broadcasts} />
          </>
        )}
      </>
    )}
  </AppLayout>
);

/** Returns the domains to choose from, and the chosen one, which may be deleted. */
const namesOf = (senders: readonly string[], choice: Choice | null) =>
  [...new Set([...senders, choice?.filter.domain ?? ""])].filter((name) => name !== "");

const NAMES: Readonly<Record<Period, string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** Returns the path of the page with the same time and filter, and another choice. */
function pathWith(choice: Partial<Choice> | null, other: Record<string, string>): string {
  const { from, to, period, filter } = choice ?? {};
  return withQuery("/app/analytics", { period, from, to, ...filter, ...other });
}

/** Returns the path of the emails of these days with a status that the filter finds, to one receiver. */
function emailsOf({ hours, filter }: Choice, status: string, receiver = filter.receiver): string {
  const tokens = { "from:@": filter.domain, "tag:": filter.tag && `"${filter.tag}"`, "to:@": receiver };
  const [from = "", to = ""] = [hours.first, hours.last].map((hour) => iso(hour * HOUR_MS).slice(0, 10));
  const q = Object.entries(tokens).flatMap(([token, value]) => (value === "" ? [] : `${token}${value}`));
  return emailsPath({ q: q.join(" "), status, from, to });
}

function CountedNotice({ choice: { filter }, report: { countedFrom } }: { choice: Choice; report: Report }) {
  if (filter.domain === "" && filter.tag === "") return null;
  return (
    <p class="soft">
      Each email counts on the day of its creation.
      {countedFrom === null ? null : (
        <>
          {" "}
          Only those with the filter among the newest emails of these days are counted, from{" "}
          <Time at={iso(countedFrom)} /> on, without a comparison with the time before. Choose fewer days to count all.
        </>
      )}
    </p>
  );
}

const percent = (share: number | null) => (share === null ? "–" : `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`);

const number = (count: number) => count.toLocaleString("en");
const withShare = (count: number, share: number | null) =>
  share === null ? number(count) : `${number(count)} (${percent(share)})`;
const withRate = (count: number, of: number) => withShare(count, rate(count, of));

/** The figures of the overview. `status`: that of the emails to which the figure leads. */
const FIGURES: readonly { name: string; of: keyof Counts; status?: string; isOptional?: true }[] = [
  { name: "Sent", of: "sent", status: "" },
  { name: "Delivered", of: "delivered", status: "delivered" },
  { name: "Bounced (hard)", of: "bounced", status: "bounced" },
  { name: "Bounced (soft)", of: "soft_bounced", status: "bounced" },
  { name: "Failed", of: "failed", status: "failed" },
  { name: "Failed, not sent", of: "unsent", status: "failed", isOptional: true },
  { name: "Deferred", of: "deferred", status: "queued" },
  { name: "Complained", of: "complained" },
  { name: "Unsubscribed", of: "unsubscribed" },
  { name: "Opened", of: "opens" },
  { name: "Clicked", of: "clicks" },
];

const Overview = ({ choice, counts, before }: Pick<Report, "counts" | "before"> & { choice: Choice }) => (
  <>
    <Numbers
      numbers={FIGURES.filter(({ of, isOptional }) => !isOptional || counts[of] > 0).map(({ name, of, status }) => ({
        name,
        value: number(counts[of]),
        href: status === undefined ? undefined : emailsOf(choice, status),
        share: of === "sent" ? undefined : percent(rate(counts[of], counts.sent)),
        note: before === null ? undefined : changeOf(counts, before, of),
      }))}
    />
    <p class="soft">
      Recipients by their last known state; an email that was opened or clicked in counts once. Shares are of recipients
      sent to. {before === null ? null : "The line below compares with the time before that is as long. "}Days are those
      of UTC.
    </p>
  </>
);

/** Returns what a figure was in the time before: the number sent, and of all others the share of it. */
function changeOf(counts: Counts, before: Counts, of: keyof Counts): string {
  if (before.sent === 0) return "none before";
  if (of !== "sent") return `${percent(rate(before[of], before.sent))} before`;
  const change = Math.round((100 * (counts.sent - before.sent)) / before.sent);
  return `${change > 0 ? "+" : ""}${number(change)} % to before`;
}

function SeriesPart({ choice, points }: { choice: Choice; points: readonly Point[] }) {
  const { by, canShowHours } = choice;
  const labels = points.map(({ timestamp }) => nameOf(timestamp, by));
  const values = (column: "sent" | "delivered" | "bounced" | "soft_bounced" | "failed" | "opens") =>
    points.map((point) => point[column]);
  return (
    <>
      <h2>By {by}</h2>
      {canShowHours ? (
        <Chips
          label="Step"
          choices={granularities.map((name) => [name, `by ${name}`])}
          chosen={by}
          to={(name) => pathWith(choice, { by: name })}
        />
      ) : null}
      <LineChart
        subject={`Mail by ${by}`}
        place={by === "day" ? "Day" : "Hour"}
        labels={labels}
        series={[
          { label: "Sent", kind: "info", values: values("sent") },
          { label: "Delivered", kind: "good", values: values("delivered") },
          { label: "Bounced (hard)", kind: "bad", values: values("bounced") },
          { label: "Opened", kind: "plan", values: values("opens") },
        ]}
        more={[
          { label: "Bounced (soft)", values: values("soft_bounced") },
          { label: "Failed", values: values("failed") },
        ]}
      />
    </>
  );
}

const nameOf = (timestamp: string, by: Granularity) =>
  by === "day" ? timestamp.slice(0, 10) : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}`;

function Domains({ choice, domains }: Pick<Report, "domains"> & { choice: Choice }) {
  if (domains.length === 0) return <Empty>No recipient domain yet.</Empty>;
  const most = Math.max(...domains.map(({ sent }) => sent), 1);
  const toEmails = (domain: string, status: string, count: number, text = number(count)) =>
    count === 0 ? text : <a href={emailsOf(choice, status, domain)}>{text}</a>;
  return (
    <>
      <Chips
        label="First"
        choices={{ sent: "Most mail first", bounced: "Most bounces first" }}
        chosen={choice.most}
        to={(of) => pathWith(choice, { most: of })}
      />
      <p class="soft">Counts of recipients. Shares are of those sent.</p>
      <List
        caption="Recipient domains"
        columns={["Domain", "Sent", "Delivered", "Bounced (hard)", "Bounced (soft)", "Complained", "Deferred"]}
        rows={domains.map(({ domain, ...of }) => [
          domain,
          <Share of={of.sent / most} text={number(of.sent)} />,
          toEmails(domain, "delivered", of.delivered),
          toEmails(domain, "bounced", of.bounced, withShare(of.bounced, of.bounce_rate)),
          toEmails(domain, "bounced", of.soft_bounced),
          withShare(of.complained, of.complaint_rate),
          toEmails(domain, "queued", of.deferred, withShare(of.deferred, of.deferral_rate)),
        ])}
      />
    </>
  );
}

const Broadcasts = ({ broadcasts }: { broadcasts: readonly BroadcastOut[] }) => (
  <List
    caption="Broadcasts"
    columns={["Name", "Recipients", "Delivered", "Opened", "Clicked", "Created"]}
    empty={
      <Empty action={{ href: "/app/broadcasts", label: "Go to the broadcasts" }}>No broadcast was sent yet.</Empty>
    }
    rows={broadcasts.map((broadcast) => [
      <a href={`/app/analytics/broadcasts/${broadcast.id}`}>{broadcast.name}</a>,
      number(broadcast.recipient_count),
      number(broadcast.delivered_count),
      withRate(broadcast.opened_count, broadcast.delivered_count),
      withRate(broadcast.clicked_count, broadcast.delivered_count),
      <Time at={broadcast.created_at} />,
    ])}
  />
);
