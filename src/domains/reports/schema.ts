import * as z from "zod";
import { named } from "../../lib/serialize.ts";
import { DAY_MS } from "../../lib/time.ts";
import { dmarcAdvice, TLS_MEANINGS, tlsAdvice } from "./advice.ts";
import type { SourceName } from "./name-sources.ts";
import { daysOf, type sumDmarcReports, type sumTlsReports } from "./queries.ts";
import { PERIODS, type Period } from "./rules.ts";

const count = z.int().min(0);
const date = z.string().meta({ format: "date" });
const periods = Object.keys(PERIODS) as [Period, ...Period[]];

export const ReportsQuery = z.object({
  kind: z.enum(["dmarc", "tls"]).default("dmarc").describe("Kind of the reports."),
  period: z.enum(periods).default("30d").describe("The period in days, which ends today (UTC)."),
});

const common = {
  period: z.enum(periods),
  advice: z.string().describe("What to do next, in a sentence."),
  reporters: z
    .array(
      z.object({
        organization: z.string(),
        reports: count,
        skipped: count.describe(
          "Records of the reports that were not complete, or could not be true. They count for nothing.",
        ),
      }),
    )
    .describe("The domains that sent reports, at most 50."),
};

const DmarcReportsOut = z.object({
  kind: z.literal("dmarc"),
  ...common,
  messages: count.describe("Messages with the domain in From that receivers counted, from all servers."),
  aligned: count.describe("Of messages: DKIM or SPF passed for an aligned domain."),
  days: z.array(z.object({ date, messages: count, aligned: count })).describe("Each day of the period, oldest first."),
  sources: z
    .array(
      z.object({
        source: z.string().describe("Address of the server; empty for servers beyond the bound of a day."),
        host: z.string().nullable().describe("Its host name, when DNS has one that leads back to the address."),
        service: z.string().nullable().describe("The service that it belongs to, when the host name tells."),
        messages: count,
        dkim: count.describe("Of messages: DKIM passed for an aligned domain."),
        spf: count.describe("Of messages: SPF passed for an aligned domain."),
        aligned: count,
        quarantined: count,
        rejected: count,
      }),
    )
    .describe("The servers that sent most of them, at most 50."),
});

const TlsReportsOut = z.object({
  kind: z.literal("tls"),
  ...common,
  sessions: count.describe("Connections to the servers that receive mail for the domain."),
  failed: count.describe("Of sessions: without TLS, or with TLS that failed."),
  days: z.array(z.object({ date, sessions: count, failed: count })).describe("Each day of the period, oldest first."),
  failures: z
    .array(z.object({ type: z.string(), server: z.string(), sessions: count, meaning: z.string().nullable() }))
    .describe("The most frequent failures, at most 50. `type` is one of RFC 8460 4.3."),
});

export const ReportsOut = z.discriminatedUnion("kind", [DmarcReportsOut, TlsReportsOut]).meta(
  named("DomainReports", {
    kind: "dmarc",
    period: "7d",
    advice:
      "So far 100 % of the messages are aligned. Wait for reports of 14 days and 100 messages before you set a stricter policy.",
    reporters: [{ organization: "google.com", reports: 1, skipped: 0 }],
    messages: 42,
    aligned: 42,
    days: [{ date: "2026-11-21", messages: 42, aligned: 42 }],
    sources: [
      {
        source: "192.0.2.17",
        host: "mail.example.com",
        service: null,
        messages: 42,
        dkim: 42,
        spf: 42,
        aligned: 42,
        quarantined: 0,
        rejected: 0,
      },
    ],
  }),
);
export type ReportsOut = z.output<typeof ReportsOut>;

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);

/** Serializes the sums of DMARC reports. `names`: of their sources. */
export function toDmarcReports(
  found: Awaited<ReturnType<typeof sumDmarcReports>>,
  names: ReadonlyMap<string, SourceName>,
  period: Period,
  now: number,
): ReportsOut {
  const { days, sources, reporters } = found;
  const [messages, aligned] = [sum(days, (day) => day.messages), sum(days, (day) => day.aligned)];
  const known = new Map(days.map((day) => [day.day, day]));
  return {
    kind: "dmarc",
    period,
    advice: dmarcAdvice({ days: days.length, messages, aligned }),
    reporters,
    messages,
    aligned,
    days: daysOf(period, now).map((day) => ({
      date: dateOf(day),
      messages: known.get(day)?.messages ?? 0,
      aligned: known.get(day)?.aligned ?? 0,
    })),
    sources: sources.map(({ source, ...sums }) => {
      const { host, service } = names.get(source) ?? { host: null, service: null };
      return { source, host, service, ...sums };
    }),
  };
}

/** Serializes the sums of TLS reports. `record`: the one in DNS that asks for reports. */
export function toTlsReports(
  found: Awaited<ReturnType<typeof sumTlsReports>>,
  record: string,
  period: Period,
  now: number,
): ReportsOut {
  const { days, failures, reporters } = found;
  const [sessions, failed] = [sum(days, (day) => day.sessions), sum(days, (day) => day.failed)];
  const known = new Map(days.map((day) => [day.day, day]));
  return {
    kind: "tls",
    period,
    advice: tlsAdvice({ sessions, failed }, failures[0]?.failure ?? null, record),
    reporters,
    sessions,
    failed,
    days: daysOf(period, now).map((day) => ({
      date: dateOf(day),
      sessions: known.get(day)?.sessions ?? 0,
      failed: known.get(day)?.failed ?? 0,
    })),
    failures: failures.map(({ failure, server, sessions: count }) => ({
      type: failure,
      server,
      sessions: count,
      meaning: TLS_MEANINGS[failure] ?? null,
    })),
  };
}
