import { onError } from "../../lib/errors.ts";
import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import { dayOf } from "../../lib/time.ts";
import { readAggregateReport } from "../../mail/aggregate-reports/read.ts";
import { bounds as reportBounds } from "../../mail/aggregate-reports/rules.ts";
import { type AggregateReport, ReportError } from "../../mail/aggregate-reports/types.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { Ctx } from "../../platform/context.ts";
import type { domains } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { onShard, shardSql } from "../../platform/jobs/shards.ts";
import { readReportAddress, reversedName } from "../domains/index.ts";
import { sharedReportAddress } from "../zones/index.ts";
import { TLS_MEANINGS } from "./advice.ts";
import { isRecent } from "./rules.ts";
import { type DmarcSum, type ReportRows, saveReport, type TlsSum } from "./save.ts";

/** The result of a message to the address for reports on a domain. Only `counted` changes anything. */
type ReportResult = "counted" | "not authenticated" | "too large" | "unreadable" | "of another domain" | "too old";

interface ReportMail {
  raw: Uint8Array;
  /** Results of the server that received it; null when nothing is known. */
  authentication: CheckedAuthentication | null;
}

/** Bytes of such a message that are to be read: one more than a report may have. */
export const REPORT_MAIL_BYTES = reportBounds.messageBytes + 1;

/** A domain about which a report came. */
type ReportedDomain = StoredColumns<typeof domains, "id" | "name" | "workspace"> & {
  workspace_id: string;
  shard: number;
};

const SELECT = `
  SELECT d.id, d.name, d.workspace, w.id AS workspace_id, ${shardSql("w")} AS shard
    FROM domains d JOIN workspaces w ON w.number = d.workspace`;

const FIND_DOMAIN = `${SELECT} WHERE d.id = ?1 AND w.deleted_at IS NULL`;

/** Names of one TLS report at the shared address that are looked up. RFC 8460 5.1 sends one for each domain. */
const MAX_NAMES = 5;

const FIND_NAMED = `${SELECT}
   WHERE d.status = 'verified' AND d.reversed_name IN (SELECT value FROM json_each(?1)) AND w.deleted_at IS NULL`;

/** The subject of the reports to an address: one domain, or `shared`: those that a TLS report names. */
export type ReportTarget = ReportedDomain | "shared";

/** Returns what an address receives reports on, or null. One read of D1 for the address of one domain. */
export async function findReportTarget(
  ctx: Pick<Ctx, "db" | "settings">,
  address: string,
): Promise<ReportTarget | null> {
  const { bounceDomain } = ctx.settings;
  if (address.toLowerCase() === sharedReportAddress(bounceDomain.toLowerCase())) return "shared";
  const id = readReportAddress(address, bounceDomain);
  return id === null ? null : ctx.db.findRow<ReportedDomain>(FIND_DOMAIN, id);
}

/** A report that was read, and the domains for which it counts. */
export interface ReceivedReport {
  result: ReportResult;
  /** Ids of the domains. */
  domains: string[];
}

const refused = (result: ReportResult): ReceivedReport => ({ result, domains: [] });

/**
 * Counts a DMARC or TLS report on a domain, or on each that it names (docs/contract/domains.md#reports), and only when DMARC passes for the
 * message that brings it, since anybody may write to the address. Throws when it could not be stored; it may be repeated.
 */
export async function receiveDomainReport(ctx: Ctx, target: ReportTarget, mail: ReportMail): Promise<ReceivedReport> {
  const reporter = mail.authentication?.dmarc;
  if (reporter?.result !== "pass" || reporter.domain === null) return refused("not authenticated");
  if (mail.raw.length > reportBounds.messageBytes) return refused("too large");
  const report = await readAggregateReport(mail.raw).catch(onError(ReportError, () => null));
  if (!report) return refused("unreadable");
  if (!isRecent(report.from, ctx.now())) return refused("too old");
  const named = target === "shared" ? await findNamed(ctx, report) : [target];
  const counted = named.flatMap((domain) => {
    const rows = rowsOf(report, domain.name, target === "shared" ? null : domain.name);
    return rows ? [{ domain, rows }] : [];
  });
  const organization = reporter.domain.toLowerCase();
  await Promise.all(counted.map(({ domain, rows }) => save(ctx, domain, { report, organization, rows })));
  return counted.length === 0
    ? refused("of another domain")
    : { result: "counted", domains: counted.map(({ domain }) => domain.id) };
}

/** Returns the domains that the policies of a TLS report name, as far as they are verified here. One read of D1. */
async function findNamed({ db }: Ctx, report: AggregateReport): Promise<ReportedDomain[]> {
  if (report.kind !== "tls") return [];
  const names = [...new Set(report.policies.map(({ domain }) => domain))].slice(0, MAX_NAMES);
  return db.listRows<ReportedDomain>(FIND_NAMED, JSON.stringify(names.map(reversedName)));
}

async function save(
  ctx: Ctx,
  domain: ReportedDomain,
  { report, organization, rows }: { report: AggregateReport; organization: string; rows: ReportRows },
): Promise<void> {
  await saveReport(onShard(ctx, domain.shard), {
    workspace: { number: domain.workspace, id: domain.workspace_id },
    domainId: domain.id,
    day: dayOf(report.from),
    organization,
    reportId: report.reportId,
    skipped: report.skipped,
    rows,
  });
}

/**
 * Returns what a report says about a domain: of a DMARC report on one above it, the messages from it. Null: it is about others. `addressee`
 * is the domain whose address it came to: a policy without a domain is that one's.
 */
function rowsOf(report: AggregateReport, domain: string, addressee: string | null): ReportRows | null {
  if (report.kind === "tls") {
    const policies = report.policies.filter((policy) => (policy.domain || addressee) === domain);
    return policies.length === 0 ? null : { kind: "tls", sessions: sumSessions(policies) };
  }
  if (!isAtOrBelow(domain, report.domain)) return null;
  const records = report.records.filter(({ headerFrom }) => isAtOrBelow(headerFrom, domain));
  return { kind: "dmarc", sources: sumSources(records) };
}

function sumSources(records: Extract<AggregateReport, { kind: "dmarc" }>["records"]) {
  const sums = new Map<string, DmarcSum>();
  for (const { source, dkim, spf, disposition, messages } of records) {
    const aligned = Number(dkim) + 2 * Number(spf);
    const name = `${source} ${aligned} ${disposition}`;
    const sum = sums.get(name) ?? { source, aligned, disposition, messages: 0 };
    sums.set(name, { ...sum, messages: sum.messages + messages });
  }
  return [...sums.values()].sort((a, b) => b.messages - a.messages);
}

function sumSessions(policies: Extract<AggregateReport, { kind: "tls" }>["policies"]) {
  const sums = new Map<string, TlsSum>();
  const add = (failure: string, server: string, sessions: number) => {
    const name = `${failure} ${server}`;
    sums.set(name, { failure, server, sessions: (sums.get(name)?.sessions ?? 0) + sessions });
  };
  for (const { sessions, failures } of policies) {
    const failed = failures.reduce((sum, failure) => sum + failure.sessions, 0);
    add("", "", sessions - failed);
    for (const { type, server, sessions: count } of failures)
      add(Object.hasOwn(TLS_MEANINGS, type) ? type : "other", server, count);
  }
  return [...sums.values()].sort((a, b) => b.sessions - a.sessions);
}
