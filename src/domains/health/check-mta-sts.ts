import type { Evidence } from "./evidence.ts";
import {
  addTo,
  type CheckResult,
  type Finding,
  finding,
  found,
  listOf,
  replaceByAlias,
  UNKNOWN,
  valuesOf,
} from "./finding.ts";

/** Seconds below which a policy ends before it can protect anything; RFC 8461 3.2 recommends weeks. */
const LEAST_MAX_AGE = 86_400;

const isRecord = (text: string) => /^v=STSv1\s*;/.test(text);

/** Finds an MTA-STS policy (RFC 8461) that does not work. A domain without one is healthy. */
export function checkMtaSts(evidenceOfDomain: Evidence): CheckResult {
  const { dns, name, settings, targets } = evidenceOfDomain;
  if (!dns || dns.mtaSts.record.status === "temperror") return UNKNOWN;
  const { record, host, policy } = dns.mtaSts;
  if (isUnusedAlias(evidenceOfDomain)) return { findings: [] };
  const at = `_mta-sts.${name}`;
  // A domain whose mail goes elsewhere may have a policy of its own, which the CNAME would end.
  const target = leadsHere(evidenceOfDomain) ? (targets?.mtaStsId ?? null) : null;
  const values = record.values.filter((value) => /sts/i.test(value));
  const evidence = valuesOf(at, record);
  if (values.length === 0) return withoutRecord(dns.mtaSts, name, target);
  const [value = "", ...more] = values;
  if (more.length > 0 || !isRecord(value) || !/;\s*id=[A-Za-z0-9]{1,32}(?:\s*;)?$/.test(value.trim())) {
    const problem = `The record at ${at} is not valid, so other mail systems do not use the MTA-STS policy.`;
    const action =
      target === null
        ? `Publish one TXT record at ${at} of the form "v=STSv1; id=20260101". The id has up to 32 letters and digits, and no other characters.`
        : replaceByAlias(at, target);
    return found("mta_sts_invalid", { problem, action, evidence });
  }
  const policyHost = `mta-sts.${name}`;
  if (host.status === "temperror") return UNKNOWN;
  if (host.values.length === 0) {
    const problem = `There is an MTA-STS record at ${at}, but the host ${policyHost} of the policy does not exist.`;
    const action = targets?.mtaSts
      ? `Publish the CNAME record at ${policyHost} with the value "${targets.mtaSts}", or delete the record at ${at}.`
      : `Publish the host ${policyHost}, or delete the record at ${at}.`;
    return found("mta_sts_host_missing", { problem, action, evidence: [...evidence, `${policyHost}: no address`] });
  }
  if (policy === null) return UNKNOWN;
  const url = `https://${policyHost}/.well-known/mta-sts.txt`;
  if (policy.status !== 200) {
    const problem = `The MTA-STS policy cannot be fetched: ${url} responds with ${policy.status}.`;
    const action = `Serve the policy at ${url} with status 200, a valid certificate and without a redirect, or delete the record at ${at}.`;
    return found("mta_sts_unreachable", { problem, action, evidence: [...evidence, `${url}: ${policy.status}`] });
  }
  const { hosted = null } = dns.mtaSts;
  const served = { name, url, mxHost: settings.mxHost, mx: dns.mx.response, evidence, isHosted: hosted !== null };
  const { findings, ...rest } = checkPolicy(policy.text, served);
  return { findings: [...findings, ...checkId(value, { at, expected: hosted?.record ?? null, evidence })], ...rest };
}

/** Returns whether the MX records of a domain lead to the service. */
const leadsHere = ({ dns, settings: { mxHost } }: Evidence): boolean =>
  dns?.mx.response.status === "ok" && dns.mx.response.values.some((value) => value.split(" ")[1] === mxHost);

/**
 * Returns whether the record of a delegated domain is that of the service, which does not serve its policy: its mail goes elsewhere, or
 * the host of the policy is not ready. Senders that find no policy deliver as without one (RFC 8461 3.3).
 */
function isUnusedAlias(evidence: Evidence): boolean {
  const { dns, targets } = evidence;
  if (!dns || !targets || targets.mtaStsId === null || (dns.mtaSts.hosted ?? null) !== null) return false;
  if (!aliasesOf(dns.mtaSts.record).includes(targets.mtaStsId)) return false;
  return !leadsHere(evidence) || (targets.mtaSts !== null && aliasesOf(dns.mtaSts.host).includes(targets.mtaSts));
}

const aliasesOf = (response: Mx): readonly string[] => (response.status === "ok" ? (response.aliases ?? []) : []);

const idOf = (text: string) => /;\s*id=([A-Za-z0-9]+)/.exec(text)?.[1];

/** Finds a record that was not changed with the policy of the service. */
function checkId(
  value: string,
  { at, expected, evidence }: { at: string; expected: string | null; evidence: string[] },
) {
  if (expected === null || idOf(value) === idOf(expected)) return [];
  const problem = `The id in the record at ${at} is that of an earlier policy, so mail systems that know that one do not fetch the policy of today.`;
  return [finding("mta_sts_old_id", { problem, action: `Change the record at ${at} to "${expected}".`, evidence })];
}

type Mx = NonNullable<Evidence["dns"]>["mx"]["response"];

interface Served {
  name: string;
  url: string;
  mxHost: string;
  mx: Mx;
  evidence: string[];
  /** True when the service serves the policy, which names its MX host alone. */
  isHosted: boolean;
}

function checkPolicy(text: string, { name, url, mxHost, mx, evidence, isHosted }: Served): CheckResult {
  const lines = text
    .split(/\r?\n/)
    .flatMap((line) => (/^\s*([a-z_]+)\s*:(.*)$/is.exec(line) ?? []).slice(1, 3).join("\n") || []);
  const all = lines.map((line) => line.split("\n").map((part) => part.trim()) as [string, string]);
  const tagOf = (key: string) => all.find(([name]) => name === key)?.[1];
  const mode = tagOf("mode");
  const maxAge = Number(tagOf("max_age") ?? Number.NaN);
  const named = all.filter(([key]) => key === "mx").map(([, value]) => value.toLowerCase().replace(/\.$/, ""));
  const seen = [
    ...evidence,
    ...text
      .split(/\r?\n/)
      .slice(0, 6)
      .map((line) => `policy: ${line}`),
  ];
  const wrong = [
    ...(tagOf("version") === "STSv1" ? [] : ["version: STSv1 is missing"]),
    ...(["enforce", "testing", "none"].includes(mode ?? "") ? [] : ["mode is none of enforce, testing and none"]),
    ...(Number.isInteger(maxAge) && maxAge >= 0 && maxAge <= 31_557_600
      ? []
      : ["max_age is no number of seconds up to 31557600"]),
    ...(mode === "none" || named.length > 0 ? [] : ["no line has mx"]),
  ];
  if (wrong.length > 0) {
    const problem = `The MTA-STS policy at ${url} is not valid: ${listOf(wrong)}.`;
    const action = `Change the policy to "version: STSv1", "mode: testing", "mx: ${mxHost}" and "max_age: 604800", one a line, then change the id in the record.`;
    return found("mta_sts_invalid", { problem, action, evidence: seen });
  }
  if (mode === "none") return { findings: [] };
  const findings: Finding[] = [];
  const add = addTo(findings);
  if (maxAge < LEAST_MAX_AGE) {
    const problem = `The MTA-STS policy of ${name} expires after ${maxAge} seconds, so it has expired before the next mail comes.`;
    const action = "Set max_age to at least 604800 (a week), then change the id in the record.";
    add("mta_sts_short", { problem, action, evidence: seen });
  }
  if (mx.status === "temperror") return { findings, unknown: ["*"] };
  const hosts = mx.values.map((value) => value.slice(value.indexOf(" ") + 1));
  const missing = hosts.filter((host) => !named.some((pattern) => matches(pattern, host)));
  if (missing.length > 0) {
    const problem = `The MTA-STS policy of ${name} does not name ${listOf(missing)} of its MX records${mode === "enforce" ? ": other mail systems refuse to deliver there" : ""}.`;
    const action = isHosted
      ? `Delete the MX records of ${listOf(missing)}${mode === "enforce" ? ", or set the policy of the domain back to testing until they are gone" : ""}. The service serves the policy, which names ${mxHost} alone.`
      : `Add ${listOf(missing.map((host) => `"mx: ${host}"`))} to the policy at ${url}, then change the id in the record.`;
    add("mta_sts_other_mx", { problem, action, evidence: [...seen, ...valuesOf(name, mx)] });
  }
  return { findings };
}

/** Returns whether a pattern of the policy names a host: `*.` matches one label (RFC 8461 4.1). */
const matches = (pattern: string, host: string) =>
  pattern.startsWith("*.") ? host.slice(host.indexOf(".") + 1) === pattern.slice(2) : pattern === host;

/** Returns whether a policy says that there is none, as after the mail has moved away (RFC 8461 8.3). */
const isEnded = ({ policy }: Pick<NonNullable<Evidence["dns"]>["mtaSts"], "policy">): boolean =>
  /^mode:\s*none\s*$/m.test(policy?.text ?? "");

function withoutRecord(
  { policy, record }: NonNullable<Evidence["dns"]>["mtaSts"],
  name: string,
  target: string | null,
): CheckResult {
  if (policy?.status !== 200 || !/^version:\s*STSv1/m.test(policy.text) || isEnded({ policy })) return { findings: [] };
  const at = `_mta-sts.${name}`;
  const problem = `mta-sts.${name} serves an MTA-STS policy, but no record at ${at} tells other mail systems of it, so it is not used.`;
  const action =
    target === null
      ? `Publish a TXT record at ${at} with the value "v=STSv1; id=20260101".`
      : `Publish the CNAME record at ${at} with the value "${target}".`;
  return found("mta_sts_no_record", { problem, action, evidence: valuesOf(at, record) });
}

/** Finds a policy without TLS reports, and a record for them that is not valid (RFC 8460 3). */
export function checkTlsReports(evidenceOfDomain: Evidence): CheckResult {
  const { dns, name, reportAddress, targets } = evidenceOfDomain;
  if (!dns || dns.tlsReports.status === "temperror") return UNKNOWN;
  const at = `_smtp._tls.${name}`;
  const value = `"v=TLSRPTv1; rua=mailto:${reportAddress}"`;
  const target = targets?.tlsReports ?? null;
  const values = dns.tlsReports.values.filter((text) => text.trim() !== "");
  const evidence = valuesOf(at, dns.tlsReports);
  const [record = "", ...more] = values;
  if (values.length > 0) {
    if (
      more.length === 0 &&
      /^v=TLSRPTv1\s*;\s*rua=(mailto:[^\s,;@]+@[^\s,;]+|https:[^\s,;]+)(\s*,\s*(mailto|https):[^\s,;]+)*(?:\s*;)?$/.test(
        record.trim(),
      )
    )
      return { findings: [] };
    const problem = `The record at ${at} is not valid, so no TLS reports come.`;
    const action =
      target === null ? `Publish one TXT record there with the value ${value}.` : replaceByAlias(at, target);
    return found("tls_reports_syntax", { problem, action, evidence });
  }
  if (dns.mtaSts.record.status === "temperror") return UNKNOWN;
  const hasPolicy = dns.mtaSts.record.values.some(isRecord) && !isEnded(dns.mtaSts);
  if (!hasPolicy || isUnusedAlias(evidenceOfDomain)) return { findings: [] };
  const problem = `${name} has an MTA-STS policy, but asks for no TLS reports: mail that is not delivered because of the policy stays unnoticed.`;
  const action =
    target === null
      ? `Publish a TXT record at ${at} with the value ${value}.`
      : `Publish the CNAME record at ${at} with the value "${target}".`;
  return found("tls_reports_missing", { problem, action, evidence });
}
