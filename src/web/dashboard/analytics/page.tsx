import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import { AppLayout, Chips, Empty, LineChart, List, Notice, Numbers, Share, Time } from "../../../http/ui/index.ts";
import {
  type DeliverabilityOut,
  type Granularity,
  granularities,
  type OverviewOut,
  type Period,
  periods,
  rate,
  type toPoint,
} from "../../../sending/analytics/index.ts";

type Point = ReturnType<typeof toPoint>;

export interface Report {
  overview: OverviewOut;
  points: readonly Point[];
  domains: DeliverabilityOut["items"];
  /** The newest broadcasts that were sent; null: the role may not see them. */
  broadcasts: readonly BroadcastOut[] | null;
}

interface AnalyticsPageProps {
  period: Period;
  by: Granularity;
  /** Null: the period is not valid. */
  report: Report | null;
  error?: string | undefined;
}

/** Counts of a period, as figures, lines and by recipient domain. */
export const AnalyticsPage = ({ period, by, report, error }: AnalyticsPageProps) => (
  <AppLayout title="Analytics">
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <Chips
      label="Period"
      choices={periods.map((name) => [name, NAMES[name]])}
      chosen={period}
      to={(name) => analyticsPath(name)}
    />
    {report === null ? null : (
      <>
        <Overview overview={report.overview} />
        {isEmpty(report.overview) ? (
          <Empty action={{ href: "/app/emails/new", label: "Send an email" }}>Nothing was sent in this period.</Empty>
        ) : (
          <SeriesPart period={period} by={by} points={report.points} />
        )}
        <h2>Recipient domains</h2>
        <Domains domains={report.domains} />
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

const NAMES: Readonly<Record<Period, string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** Buckets that a page shows at most: those of 7 days by the hour. */
export const canShowHours = (period: Period) => period === "24h" || period === "7d";

/** Returns the path of the page for a period. Without `by` the page chooses it. */
const analyticsPath = (period: Period, by?: Granularity) =>
  `/app/analytics?${new URLSearchParams({ period, ...(by === undefined ? {} : { by }) })}`;

const isEmpty = ({ period: _, ...counts }: OverviewOut) => Object.values(counts).every((count) => count === 0);

/** Returns a share in percent, or a dash when there is nothing to divide by. */
const percent = (share: number | null) => (share === null ? "–" : `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`);

const number = (count: number) => count.toLocaleString("en");
const withRate = (count: number, of: number) =>
  of === 0 ? number(count) : `${number(count)} (${percent(rate(count, of))})`;

const Overview = ({ overview }: { overview: OverviewOut }) => {
  const { total_sent: sent, delivered, bounced, soft_bounced: soft, failed, unsent } = overview;
  const { opens, clicks, complained, deferred, unsubscribed } = overview;
  const ofSent = (count: number) => ({ value: number(count), share: percent(rate(count, sent)) });
  return (
    <>
      <Numbers
        numbers={[
          { name: "Sent", value: number(sent) },
          { name: "Delivered", ...ofSent(delivered) },
          { name: "Bounced (hard)", ...ofSent(bounced) },
          { name: "Bounced (soft)", ...ofSent(soft) },
          { name: "Failed", ...ofSent(failed) },
          ...(unsent > 0 ? [{ name: "Failed, not sent", value: number(unsent) }] : []),
          { name: "Deferred", ...ofSent(deferred) },
          { name: "Complained", ...ofSent(complained) },
          { name: "Unsubscribed", ...ofSent(unsubscribed) },
          { name: "Opened", ...ofSent(opens) },
          { name: "Clicked", ...ofSent(clicks) },
        ]}
      />
      <p class="soft">
        Recipients, and their last known state; emails that were opened or clicked in, each once. Shares are of those
        sent.
      </p>
    </>
  );
};

function SeriesPart({ period, by, points }: { period: Period; by: Granularity; points: readonly Point[] }) {
  const labels = points.map(({ timestamp }) => nameOf(timestamp, by));
  const values = (column: "sent" | "delivered" | "bounced" | "soft_bounced" | "failed" | "opens") =>
    points.map((point) => point[column]);
  return (
    <>
      <h2>By {by}</h2>
      {canShowHours(period) ? (
        <Chips
          label="Step"
          choices={granularities.map((name) => [name, `by ${name}`])}
          chosen={by}
          to={(name) => analyticsPath(period, name)}
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

/** Returns the name of a bucket, in UTC. */
const nameOf = (timestamp: string, by: Granularity) =>
  by === "day" ? timestamp.slice(0, 10) : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}`;

function Domains({ domains }: { domains: DeliverabilityOut["items"] }) {
  if (domains.length === 0) return <Empty>No recipient domain yet.</Empty>;
  const most = Math.max(...domains.map(({ sent }) => sent), 1);
  return (
    <>
      <p class="soft">Counts of recipients, those with the most mail first. Shares are of those sent.</p>
      <List
        caption="Recipient domains"
        columns={["Domain", "Sent", "Delivered", "Bounced (hard)", "Bounced (soft)", "Complained", "Deferred"]}
        rows={domains.map((domain) => [
          domain.domain,
          <Share of={domain.sent / most} text={number(domain.sent)} />,
          number(domain.delivered),
          `${number(domain.bounced)} (${percent(domain.bounce_rate)})`,
          number(domain.soft_bounced),
          `${number(domain.complained)} (${percent(domain.complaint_rate)})`,
          `${number(domain.deferred)} (${percent(domain.deferral_rate)})`,
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
