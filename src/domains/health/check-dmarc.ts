import { isDmarcRecord, parseDmarcRecord } from "../../mail/dmarc/record.ts";
import type { FoundPolicy } from "../../mail/dmarc/tree-walk.ts";
import type { DnsEvidence, Evidence, ReportEvidence } from "./evidence.ts";
import {
  addTo,
  type CheckResult,
  type Finding,
  finding,
  found,
  listOf,
  missingAction,
  number,
  percent,
  replaceByAlias,
  UNKNOWN,
  valuesOf,
} from "./finding.ts";

/** Messages in reports, and the share of them that is not aligned, from which a policy that refuses mail is a finding. */
const [LEAST_MESSAGES, REFUSED_SHARE] = [20, 0.01];

/** Finds what is wrong with the DMARC record that applies to a domain (RFC 9989). */
export function checkDmarc({ dns, policy, name, reportAddress, settings, targets }: Evidence): CheckResult {
  if (!dns || dns.dmarc.own.status === "temperror") return UNKNOWN;
  const { own } = dns.dmarc;
  const at = `_dmarc.${name}`;
  const value = `v=DMARC1; p=none; rua=mailto:${reportAddress}`;
  const target = targets?.dmarc ?? null;
  const records = own.values.filter(isDmarcRecord);
  const evidence = valuesOf(at, own);
  if (records.length > 1) {
    const problem = `There are ${records.length} DMARC records at ${at}. Receivers use none of them.`;
    const action =
      target === null ? `Delete all but one of them: "${value}" or the one that you need.` : replaceByAlias(at, target);
    return found("dmarc_several", { problem, action, evidence });
  }
  const near = records.length === 0 ? own.values.find((value) => /dmarc|\bp\s*=/i.test(value)) : undefined;
  if (near !== undefined) {
    const problem = `The record at ${at} is no DMARC record: one begins with "v=DMARC1;" in capital letters, and a semicolon follows each tag.`;
    const action = target === null ? `Change it to "${repaired(near)}".` : replaceByAlias(at, target);
    return found("dmarc_syntax", { problem, action, evidence });
  }
  if (policy === null) return UNKNOWN;
  if (policy === "none") return { findings: [missing(dns, { name, at, value, target })] };
  const findings = policyFindings(policy, { at, reportAddress, bounceDomain: settings.bounceDomain, target });
  const rua = checkAuthorizations(dns.dmarc, { name, reportAddress, policy });
  return { findings: [...findings, ...rua.findings], unknown: rua.unknown ?? [] };
}

type Dmarc = DnsEvidence["dmarc"];

function missing(
  { dmarc: { own, doubled }, spf: { txt } }: DnsEvidence,
  { name, at, value, target }: { name: string; at: string; value: string; target: string | null },
): Finding {
  const misplaced = txt.status === "ok" ? txt.values.find(isDmarcRecord) : undefined;
  const problem = `There is no DMARC record at ${at} or above it. Large receivers refuse bulk mail without one, and nothing protects the domain from forgery.`;
  const record = target === null ? ({ type: "TXT", value } as const) : ({ type: "CNAME", value: target } as const);
  const isDoubled = doubled?.status === "ok" && doubled.values.length > 0;
  const action =
    misplaced === undefined || (target !== null && isDoubled)
      ? missingAction({ ...record, at, doubled, domain: name })
      : target !== null
        ? `The record stands at ${name} itself, where receivers do not look for it. Delete it, and publish the CNAME record at ${at} with the value "${target}".`
        : `The record stands at ${name} itself, where receivers do not look for it. Move it to ${at}: enter "_dmarc" as its host.`;
  const evidence = [...valuesOf(at, own), ...(misplaced === undefined ? [] : [`${name}: ${misplaced}`])];
  return finding("dmarc_missing", { problem, action, evidence });
}

interface Policy {
  at: string;
  reportAddress: string;
  bounceDomain: string;
  /** Of the CNAME of a delegated domain. */
  target: string | null;
}

function policyFindings(
  { record, text, name: of, isInherited }: FoundPolicy,
  { at, reportAddress, bounceDomain, target }: Policy,
): Finding[] {
  const place = `_dmarc.${of}`;
  const evidence = [`${place}: ${text}`];
  const findings: Finding[] = [];
  const add = addTo(findings);
  if (record.errors.length > 0) {
    const problem = `The DMARC record at ${place} has an error: ${listOf(record.errors.slice(0, 3))}.`;
    const action = `Correct the record at ${place}.${/;\s*mailto:/i.test(text) ? " Separate the addresses of rua by a comma in place of the semicolon." : ""}${/[^\t -~]/.test(text) ? " Type it by hand, since text processors put in other spaces and quotes." : ""} Change it to "${repaired(text)}", with p=none, quarantine or reject.`;
    add("dmarc_syntax", { problem, action, evidence });
  }
  const ours = record.rua.filter(({ domain }) => domain === bounceDomain);
  if (!isInherited && record.rua.length === 0) {
    const problem = `The DMARC record at ${place} asks for no reports, so it stays unknown who sends as the domain.`;
    const action =
      target === null
        ? `Add "rua=mailto:${reportAddress}" to the record at ${at}.`
        : `${replaceByAlias(at, target)} Or keep your own record, and add "rua=mailto:${reportAddress}" to it.`;
    add("dmarc_no_reports", { problem, action, evidence });
  }
  if (!isInherited && ours.length > 0 && !ours.some(({ address }) => address === reportAddress)) {
    const problem = `The DMARC record at ${place} sends reports to ${ours[0]?.address}, which is not the address of this domain here, so they are not counted for it.`;
    const action =
      target === null ? `Change the address in rua to mailto:${reportAddress}.` : replaceByAlias(at, target);
    add("dmarc_rua_of_other_domain", { problem, action, evidence });
  }
  const subdomains = record.sp ?? record.p;
  const missingNames = record.np ?? subdomains;
  if (!isInherited && isStrict(record.p) && subdomains === "none") {
    const problem = `The policy at ${place} is p=${record.p}, but sp=none: forged mail of names below the domain passes.`;
    const action = `Remove sp=none from the record, or set sp=${record.p} once no name below the domain sends mail that is not aligned.`;
    add("dmarc_subdomains_open", { problem, action, evidence });
  } else if (!isInherited && isStrict(record.p) && missingNames === "none") {
    const problem = `The policy at ${place} is p=${record.p}, but np=none: forged mail of names below the domain that do not exist passes.`;
    const action = `Remove np=none from the record: no mail of yours comes from names that do not exist.`;
    add("dmarc_subdomains_open", { problem, action, evidence });
  }
  if (record.pct !== null && record.pct !== "100") {
    const problem = `The DMARC record at ${place} has pct=${record.pct}. RFC 9989 has removed this tag: receivers apply the policy to all mail.`;
    const action = `Remove pct from the record. Set t=y in its place while the policy is only tested.`;
    add("dmarc_pct", { problem, action, evidence });
  }
  return findings;
}

const isStrict = (policy: string | null) => policy === "quarantine" || policy === "reject";

/** Reports to another organisation come only when a record there permits it (RFC 9990 4). */
function checkAuthorizations(
  { authorizations }: Dmarc,
  {
    name,
    reportAddress,
    policy: { name: of, text, record },
  }: { name: string; reportAddress: string; policy: FoundPolicy },
): CheckResult {
  const [local = ""] = reportAddress.split("@");
  const findings = authorizations.flatMap(({ domain, name: at, response }) => {
    if (response.status === "temperror" || response.values.some((value) => /^v\s*=\s*DMARC1\s*(;|$)/.test(value)))
      return [];
    const problem = `Reports on ${name} go to an address of ${domain}, which has not agreed to receive them: receivers do not send them.`;
    const isMisspelled = record.rua.some((one) => one.domain === domain && one.address?.split("@")[0] === local);
    const action = isMisspelled
      ? `The domain of the address is misspelled: change the address in rua to mailto:${reportAddress}.`
      : `Whoever runs ${domain} publishes a TXT record at ${at} with the value "v=DMARC1;", or you take the address out of rua.`;
    const evidence = [`_dmarc.${of}: ${text}`, ...valuesOf(at, response)];
    return [finding("dmarc_rua_not_authorized", { subject: domain, problem, action, evidence })];
  });
  const unknown = authorizations.filter(({ response }) => response.status === "temperror").map(({ domain }) => domain);
  return { findings, unknown };
}

/** Finds a policy that makes receivers refuse mail which reports show as not aligned. */
export function checkPolicyAgainstReports({ policy, reports, name, targets, reportAddress }: Evidence): CheckResult {
  if (!reports || policy === null) return UNKNOWN;
  if (policy === "none") return { findings: [] };
  // `sp` of a record above the domain, and else `p` (RFC 9989 4.7).
  const applied = (policy.isInherited ? (policy.record.sp ?? policy.record.p) : policy.record.p) ?? "none";
  const { messages, aligned } = reports;
  if (
    !isStrict(applied) ||
    policy.record.isTesting ||
    messages < LEAST_MESSAGES ||
    messages - aligned <= messages * REFUSED_SHARE
  )
    return { findings: [] };
  const problem = `The policy of ${name} is ${applied}, and ${percent(messages - aligned, messages)} of the messages in reports are not aligned: receivers ${applied === "reject" ? "refuse" : "file as spam"} them.`;
  // The policy behind the CNAME of a delegated domain is the service's record, which the owner changes here.
  const isOurs = Boolean(targets?.dmarc) && policy.text === `v=DMARC1; p=${applied}; rua=mailto:${reportAddress}`;
  const loosen = isOurs
    ? `Set the DMARC policy (dmarc_policy) of ${name} here to none`
    : `Set p=none in the record at _dmarc.${policy.name}`;
  const action = `Find your own servers among the senders in the reports and give them DKIM keys or an SPF entry. ${loosen} until they are aligned.`;
  const evidence = [`_dmarc.${policy.name}: ${policy.text}`, ...sendersOf(reports)];
  return found("dmarc_refuses_unaligned", { problem, action, evidence });
}

const sendersOf = ({ days, messages, aligned, unaligned }: ReportEvidence): string[] => [
  `${number(messages - aligned)} of ${number(messages)} messages in ${days} days are not aligned`,
  ...unaligned
    .slice(0, 3)
    .map(({ source, name, unaligned: count }) => `${name ?? source} (${source}): ${number(count)} messages`),
];

/** Returns a text that looks like a record as one without the tags that our own reader does not take (RFC 9989 4.7). */
function repaired(text: string): string {
  const pairs = text
    .replace(/["'`\\“”„‘’«»\u200b\ufeff]/g, "")
    .replace(/;\s*(?=mailto:)/gi, ",")
    .replace(/(rua\s*=|,)\s*(?!mailto:)(?=[^\s;,=@]+@)/gi, "$1mailto:")
    .matchAll(/\b([a-z]+)\s*=\s*([^;,\s]+(?:\s*,\s*[^;,\s=]+(?=\s*(?:[;,]|$)))*)/gi);
  const tags = new Map<string, string>();
  for (const [, name = "", value = ""] of pairs) {
    const key = name.toLowerCase();
    const tag = `${key}=${value}`;
    const { errors } = parseDmarcRecord(`v=DMARC1; ${key === "p" ? "" : "p=none; "}${tag}`);
    if (errors.length === 0 && !tags.has(key)) tags.set(key, tag);
  }
  const { p = "p=none", ...others } = Object.fromEntries(tags);
  return ["v=DMARC1", p, ...Object.values(others)].join("; ");
}
