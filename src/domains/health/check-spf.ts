import { covers, parseSpf } from "../../mail/spf/parse.ts";
import { isSpfRecord } from "../../mail/spf/walk.ts";
import { adviseSpf, MAX_LOOKUPS } from "./advise-spf.ts";
import type { DnsEvidence, Evidence } from "./evidence.ts";
import { addTo, type CheckResult, type Finding, finding, found, listOf, UNKNOWN, valuesOf } from "./finding.ts";

/** Look-ups of names that do not exist that an evaluation may make (RFC 7208 4.6.4). */
const MAX_VOIDS = 2;

/** Finds what is wrong with the SPF record of a domain and with those that it includes. */
export function checkSpf({ dns, name, settings }: Evidence): CheckResult {
  if (!dns || dns.spf.txt.status === "temperror") return UNKNOWN;
  const { evaluation } = dns.spf;
  const [record, ...more] = evaluation.records;
  const include = `include:${settings.spfDomain}`;
  // SPF of a delegated domain is aligned by its return path.
  if (record === undefined && dns.isDelegated) return { findings: [] };
  if (record === undefined) return { findings: [missing(dns.spf, name, include)] };
  const evidence = evaluation.records.map((text) => `${name}: ${text}`);
  const advised = adviseSpf(evaluation.records, include, evaluation.costs);
  if (more.length > 0) {
    const problem = `${name} has ${evaluation.records.length} SPF records. Receivers treat that as an error and use none of them.`;
    const action = `Delete all but one and write all into it: ${advised}.`;
    return found("spf_several", { problem, action, evidence });
  }
  const subject = { name, include, spfDomain: settings.spfDomain, evidence, advised };
  const findings = [
    ...(dns.isDelegated ? [] : permission(dns.spf, subject)),
    ...limits(dns.spf, name, evidence),
    ...contents(dns.spf, subject, dns.isDelegated === true),
  ];
  const isIncomplete =
    evaluation.isIncomplete ||
    (dns.spf.serviceNetworks === null && findings.some(({ code }) => code === "spf_without_service"));
  if (!isIncomplete) return { findings };
  // Of an evaluation that is not complete, only that is true which further responses cannot change.
  const certain = findings.filter(({ code }) => code !== "spf_without_service");
  return { findings: certain, unknown: ["*"] };
}

type Spf = DnsEvidence["spf"];

function missing({ txt, alias, doubled }: Spf, name: string, include: string): Finding {
  const values = txt.status === "ok" ? txt.values : [];
  const near = values.filter((value) => /v\s?[=:]?\s?spf|^\W?spf[12]|include:|\s[~?+-]all\b/i.test(value));
  const target = alias.status === "ok" ? alias.values[0] : undefined;
  if (near.length > 0) {
    const separator = near[0]?.includes(";") ? " Its terms are separated by spaces, not by semicolons." : "";
    const problem = `${name} has a TXT record that looks like SPF and is not: a record begins with "v=spf1" and a space, without quotes.${separator}`;
    const action = `Change it to ${adviseSpf(near.slice(0, 1), include)}.`;
    return finding("spf_syntax", { problem, action, evidence: valuesOf(name, { status: "ok", values: near }) });
  }
  const problem = `${name} has no SPF record, so it does not permit this service to send.`;
  const isDoubled = doubled?.status === "ok" && doubled.values.some(isSpfRecord);
  const action = isDoubled
    ? `The record stands at ${name}.${name}: your DNS provider adds the domain to the host by itself. Enter "@" as its host, or leave the host empty.`
    : target === undefined
      ? `Publish a TXT record at ${name} with the value "v=spf1 ${include} ~all".`
      : `${name} is an alias (CNAME) of ${target} and can have no records of its own. Replace the CNAME by the records of the host, then publish a TXT record at ${name} with the value "v=spf1 ${include} ~all".`;
  const evidence = target === undefined ? valuesOf(name, { status: "ok", values: [] }) : [`${name}: CNAME ${target}`];
  return finding("spf_missing", { problem, action, evidence });
}

interface Subject {
  name: string;
  include: string;
  spfDomain: string;
  evidence: string[];
  advised: string;
}

function permission({ evaluation, serviceNetworks }: Spf, { name, include, spfDomain, evidence, advised }: Subject) {
  const isIncluded = evaluation.included.has(spfDomain);
  const isCovered =
    (serviceNetworks ?? []).length > 0 &&
    (serviceNetworks ?? []).every((network) => covers(evaluation.networks, network));
  // A term that names the service and is not valid is an error of its own.
  const isMisspelled = evaluation.errors.some((error) => error.includes(spfDomain));
  if (isIncluded || isCovered || isMisspelled || evaluation.all === "+") return [];
  const [problem, action] = evaluation.unread.some((term) => term.toLowerCase().endsWith(include))
    ? [
        `In the SPF record of ${name}, ${include} stands after "all", where receivers do not read it.`,
        `Move ${include} before "all": ${advised}.`,
      ]
    : evaluation.notPassed.has(spfDomain)
      ? [
          `The SPF record of ${name} includes ${spfDomain} with a qualifier (-, ~ or ?) that does not let its mail pass.`,
          `Write ${include} without a sign before it: ${advised}.`,
        ]
      : [
          `The SPF record of ${name} does not permit this service to send.`,
          `Add ${include} to the record: ${advised}.`,
        ];
  return [finding("spf_without_service", { problem, action, evidence })];
}

function limits({ evaluation: { lookups, costs, voids } }: Spf, name: string, evidence: string[]): Finding[] {
  const findings: Finding[] = [];
  const add = addTo(findings);
  if (lookups > MAX_LOOKUPS) {
    const most = costs.toSorted((a, b) => b.lookups - a.lookups);
    const problem = `The SPF record of ${name} causes ${lookups} DNS look-ups. Receivers stop after ${MAX_LOOKUPS} and treat the record as an error.`;
    const action = `Remove services that no longer send for the domain, or give them a sub-domain of their own. Most look-ups cause ${listOf(most.slice(0, 3).map((cost) => `${cost.term} (${cost.lookups})`))}.`;
    const counts = most.map((cost) => `${cost.term}: ${cost.lookups} look-ups`);
    add("spf_too_many_lookups", { problem, action, evidence: [...evidence, ...counts] });
  }
  if (voids.length > MAX_VOIDS)
    add("spf_void_lookups", {
      problem: `The SPF record of ${name} asks for ${voids.length} names without addresses. Receivers stop after ${MAX_VOIDS} and treat the record as an error.`,
      action: `Remove the terms with ${listOf(voids)} from the record.`,
      evidence: [...evidence, ...voids.map((host) => `${host}: no address`)],
    });
  return findings;
}

function contents({ evaluation }: Spf, { name, evidence, advised }: Subject, isDelegated: boolean): Finding[] {
  const { records, errors, all, usesPtr } = evaluation;
  const findings: Finding[] = [];
  const add = addTo(findings);
  if (errors.length > 0) {
    const problem = `The SPF record of ${name} has an error, so receivers do not use it: ${errors[0]}.`;
    const isMended = !isDelegated && parseSpf(records[0] ?? "").errors.length > 0;
    const correct = `Correct the record, or remove the term: ${errors.slice(0, 3).join("; ")}.`;
    const action = isMended ? `Change it to ${advised}.` : correct;
    add("spf_syntax", { problem, action, evidence: [...evidence, ...errors] });
  }
  if (all === "+") {
    const problem = `The SPF record of ${name} ends in "+all": every server may send as the domain, and receivers distrust such a record.`;
    add("spf_permits_all", { problem, action: 'Change its end to "~all" or "-all".', evidence });
  }
  if (usesPtr) {
    const problem = `The SPF record of ${name} uses "ptr", which is slow and which receivers may ignore (RFC 7208 5.5).`;
    add("spf_ptr", { problem, action: 'Remove "ptr" and name the servers by ip4, ip6, a or include.', evidence });
  }
  return findings;
}
