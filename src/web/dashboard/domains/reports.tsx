import type { DomainRow } from "../../../domains/domains/index.ts";
import type { ReportsOut } from "../../../domains/reports/index.ts";
import {
  AppLayout,
  ButtonLink,
  Chips,
  LineChart,
  LinkLine,
  List,
  Numbers,
  Share,
  useScope,
} from "../../../http/ui/index.ts";

interface DomainReportsPageProps {
  domain: Pick<DomainRow, "id" | "name" | "setup">;
  reports: ReportsOut;
}

const KINDS = { dmarc: "Who sends as you (DMARC)", tls: "Encryption on the way to you (TLS)" } as const;
const PERIODS = { "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const;

/** The reports of receivers on a domain. */
export function DomainReportsPage({ domain, reports }: DomainReportsPageProps) {
  const pathOf = (kind: ReportsOut["kind"], period: ReportsOut["period"]) =>
    `/app/domains/${domain.id}/reports?${new URLSearchParams({ kind, period })}`;
  return (
    <AppLayout
      title={`Reports on ${domain.name}`}
      actions={<ButtonLink to={`/app/domains/${domain.id}`} label="The domain" kind="quiet" />}
    >
      <Chips label="Kind" choices={KINDS} chosen={reports.kind} to={(kind) => pathOf(kind, reports.period)} />
      <Chips label="Period" choices={PERIODS} chosen={reports.period} to={(period) => pathOf(reports.kind, period)} />
      <p>{reports.advice}</p>
      {reports.kind === "dmarc" && domain.setup === "delegated" && useScope("domains:manage") ? (
        <LinkLine to={`/app/domains/${domain.id}/dmarc`} label="Change the DMARC policy" />
      ) : null}
      {reports.kind === "dmarc" ? <DmarcPart reports={reports} /> : <TlsPart reports={reports} />}
      {reports.reporters.length === 0 ? null : (
        <>
          <h2>Reporters</h2>
          <List
            caption="Reporters"
            columns={["Organisation", "Reports", "Records that could not be read"]}
            rows={reports.reporters.map((one) => [one.organization, number(one.reports), number(one.skipped)])}
          />
        </>
      )}
    </AppLayout>
  );
}

type Of<Kind extends ReportsOut["kind"]> = { reports: Extract<ReportsOut, { kind: Kind }> };

function DmarcPart({ reports: { messages, aligned, days, sources } }: Of<"dmarc">) {
  if (messages === 0) return null;
  const most = Math.max(...sources.map((source) => source.messages));
  return (
    <>
      <Numbers
        numbers={[
          { name: "Messages with the domain in From", value: number(messages) },
          { name: "Aligned", value: number(aligned), share: percent(aligned, messages) },
          { name: "Not aligned", value: number(messages - aligned), share: percent(messages - aligned, messages) },
        ]}
      />
      <Days
        title="Messages by day"
        days={days.map(({ date, messages: all, aligned: good }) => ({ date, good, bad: all - good }))}
        labels={["Aligned", "Not aligned"]}
      />
      <h2>Senders</h2>
      <List
        caption="Senders"
        columns={["Server", "Messages", "Aligned", "DKIM", "SPF", "Quarantined", "Rejected"]}
        rows={sources.map((source) => [
          <Server {...source} />,
          <Share of={source.messages / most} text={number(source.messages)} />,
          percent(source.aligned, source.messages),
          percent(source.dkim, source.messages),
          percent(source.spf, source.messages),
          number(source.quarantined),
          number(source.rejected),
        ])}
      />
      <p class="soft">
        A message is aligned when DKIM or SPF passes for the domain in its From. Servers that forward mail break SPF,
        and DKIM when they change the message.
      </p>
    </>
  );
}

/** A server, by the service that it belongs to as far as that is known. */
const Server = ({ source, host, service }: { source: string; host: string | null; service: string | null }) => (
  <>
    {source === "" ? "Other servers" : (service ?? host ?? <code>{source}</code>)}
    {host === null ? null : (
      <p class="soft">
        {service === null ? null : `${host} · `}
        <code>{source}</code>
      </p>
    )}
  </>
);

function TlsPart({ reports: { sessions, failed, days, failures } }: Of<"tls">) {
  if (sessions === 0) return null;
  return (
    <>
      <Numbers
        numbers={[
          { name: "Connections", value: number(sessions) },
          { name: "Failed", value: number(failed), share: percent(failed, sessions) },
        ]}
      />
      <Days
        title="Connections by day"
        days={days.map(({ date, sessions: all, failed: bad }) => ({ date, good: all - bad, bad }))}
        labels={["With TLS", "Failed"]}
      />
      {failures.length === 0 ? null : (
        <>
          <h2>Failures</h2>
          <List
            caption="Failures"
            columns={["Failure", "Server", "Connections"]}
            rows={failures.map(({ type, server, sessions: count, meaning }) => [
              <>
                <code>{type}</code>
                {meaning === null ? null : <p class="soft">{meaning}</p>}
              </>,
              server === "" ? "–" : server,
              number(count),
            ])}
          />
        </>
      )}
    </>
  );
}

interface DaysProps {
  title: string;
  days: readonly { date: string; good: number; bad: number }[];
  labels: readonly [good: string, bad: string];
}

/** Two counts of each day, as lines. */
export const Days = ({ title, days, labels: [good, bad] }: DaysProps) => (
  <>
    <h2>{title}</h2>
    <LineChart
      subject={title}
      place="Day"
      labels={days.map(({ date }) => date)}
      series={[
        { label: good, kind: "good", values: days.map((day) => day.good) },
        { label: bad, kind: "bad", values: days.map((day) => day.bad) },
      ]}
    />
  </>
);

export const number = (count: number) => count.toLocaleString("en");
export const percent = (part: number, whole: number) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);
