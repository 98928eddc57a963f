import {
  type AggregateReport,
  ReportError,
  readAggregateReport,
  reportBounds,
} from "../../mail/aggregate-reports/index.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { onOldestShard } from "../../platform/jobs/shards.ts";
import { readReportAddress } from "../domains/index.ts";
import { dayOf, isRecent, isWithin, TLS_FAILURES } from "./rules.ts";
import { type ReportRows, saveReport } from "./save.ts";

/** The result of a message to the address for reports on a domain. Only `counted` changes anything. */
export type ReportResult =
  | "counted"
  | "not authenticated"
  | "too large"
  | "unreadable"
  | "of another domain"
  | "too old";

interface ReportMail {
  raw: Uint8Array;
  /** Results of the server that received it; null when nothing is known. */
  authentication: CheckedAuthentication | null;
}

/** Bytes of such a message that are to be read: one more than a report may have. */
export const REPORT_MAIL_BYTES = reportBounds.messageBytes + 1;

/** A domain about which a report came. */
export interface ReportedDomain {
  id: string;
  name: string;
  workspace: number;
  workspace_id: string;
  mail_shards: string;
}

const FIND_DOMAIN = `
  SELECT d.id, d.name, d.workspace, w.id AS workspace_id, w.mail_shards
    FROM domains d JOIN workspaces w ON w.number = d.workspace WHERE d.id = ?1 AND w.deleted_at IS NULL`;

/** Returns the domain that an address receives reports on, or null. One read of D1 for an address of that form. */
export async function findReportedDomain(
  ctx: Pick<Ctx, "db" | "settings">,
  address: string,
): Promise<ReportedDomain | null> {
  const id = readReportAddress(address, ctx.settings.bounceDomain);
  return id === null ? null : ctx.db.prepare(FIND_DOMAIN).bind(id).first<ReportedDomain>();
}

/**
 * Counts a DMARC or TLS report on a domain (docs/contract/domains.md#reports). It counts once, and only when DMARC passes for the
 * message that brings it, since anybody may write to the address. Throws when it could not be stored; it may be repeated.
 */
export async function receiveDomainReport(ctx: Ctx, domain: ReportedDomain, mail: ReportMail): Promise<ReportResult> {
  const reporter = mail.authentication?.dmarc;
  if (reporter?.result !== "pass" || reporter.domain === null) return "not authenticated";
  if (mail.raw.length > reportBounds.messageBytes) return "too large";
  const report = await read(mail.raw);
  if (!report) return "unreadable";
  if (!isRecent(report.from, ctx.now())) return "too old";
  const rows = rowsOf(report, domain.name);
  if (!rows) return "of another domain";
  const mailShards = JSON.parse(domain.mail_shards) as number[];
  await saveReport(onOldestShard(ctx, { id: domain.workspace_id, mailShards }), {
    ...{
      workspace: { number: domain.workspace, id: domain.workspace_id },
      domainId: domain.id,
      day: dayOf(report.from),
    },
    ...{ organization: reporter.domain.toLowerCase(), reportId: report.reportId, rows },
  });
  return "counted";
}

async function read(raw: Uint8Array): Promise<AggregateReport | null> {
  try {
    return await readAggregateReport(raw);
  } catch (error) {
    if (error instanceof ReportError) return null;
    throw error;
  }
}

/**
 * Returns what a report says about a domain: of a DMARC report on a domain above it, the messages from it. Null: it is about
 * others. Pure.
 */
export function rowsOf(report: AggregateReport, domain: string): ReportRows | null {
  if (report.kind === "tls") {
    const policies = report.policies.filter((policy) => policy.domain === domain);
    return policies.length === 0 ? null : { kind: "tls", sessions: sumSessions(policies) };
  }
  if (report.domain !== domain && !isWithin(domain, report.domain)) return null;
  const records = report.records.filter(({ headerFrom }) => isWithin(headerFrom, domain));
  return { kind: "dmarc", sources: sumSources(records) };
}

type DmarcRecords = Extract<AggregateReport, { kind: "dmarc" }>["records"];
type TlsPolicies = Extract<AggregateReport, { kind: "tls" }>["policies"];

function sumSources(records: DmarcRecords) {
  const sums = new Map<string, { source: string; aligned: number; disposition: string; messages: number }>();
  for (const { source, dkim, spf, disposition, messages } of records) {
    const aligned = Number(dkim) + 2 * Number(spf);
    const name = `${source} ${aligned} ${disposition}`;
    const sum = sums.get(name) ?? { source, aligned, disposition, messages: 0 };
    sums.set(name, { ...sum, messages: sum.messages + messages });
  }
  return [...sums.values()].sort((a, b) => b.messages - a.messages);
}

function sumSessions(policies: TlsPolicies) {
  const sums = new Map<string, { failure: string; server: string; sessions: number }>();
  const add = (failure: string, server: string, sessions: number) => {
    const name = `${failure} ${server}`;
    sums.set(name, { failure, server, sessions: (sums.get(name)?.sessions ?? 0) + sessions });
  };
  for (const { sessions, failures } of policies) {
    const failed = failures.reduce((sum, failure) => sum + failure.sessions, 0);
    add("", "", sessions - failed);
    for (const { type, server, sessions: count } of failures)
      add(TLS_FAILURES.includes(type) ? type : "other", server, count);
  }
  return [...sums.values()].sort((a, b) => b.sessions - a.sessions);
}
