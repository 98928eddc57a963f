import { DAY_MS, HOUR_MS } from "../../lib/time.ts";
import type { Evidence } from "./evidence.ts";
import { type CheckResult, finding, found, missingAction, UNKNOWN, valuesOf } from "./finding.ts";

/** Checks that find one kind of thing each. */

/** Time since the last answer: the daily check, and those that follow each hour when there is none. */
const SILENT_MS = DAY_MS + 6 * HOUR_MS;

/** Finds a domain whose name servers do not respond, or whose DNSSEC is broken: its other findings cannot change then. */
export function checkSilence({ dns, name, now, status, lastCheckedAt }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  if (!dns.isSilent) return { findings: [] };
  if (status !== "verified" || lastCheckedAt === null || lastCheckedAt > now - SILENT_MS) return UNKNOWN;
  const since = new Date(lastCheckedAt).toISOString().slice(0, 16).replace("T", " ");
  const asked = dns.dkim.map(({ name: at, response }) => `${at}: ${response.status === "ok" ? "" : response.reason}`);
  const problem = `DNS has given no answer about ${name} since ${since} UTC. Receivers cannot check its signatures, and its mail may be refused.`;
  const action = `Check that the registration of ${name} has not expired, that its name servers respond, and that the DS record at the registrar fits the DNSSEC keys of the zone; without DNSSEC delete the DS record.`;
  return found("dns_silent", { problem, action, evidence: asked });
}

/** Finds an ownership record that is gone. */
export function checkOwnership({ dns, name, status }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  const { name: at, expected, response, doubled } = dns.ownership;
  // CNAMEs of a delegated domain prove it; the record is listed only while it moves to them.
  if (expected === "") return { findings: [] };
  if (response.status === "temperror") return UNKNOWN;
  const values = response.values.map((value) => value.trim());
  if (values.includes(expected)) return { findings: [] };
  const consequence =
    status === "verified"
      ? "After three daily checks without it the domain cannot send."
      : "Until it is there the domain cannot send.";
  const wrong = values.length === 0 ? "is missing" : "has another value";
  const problem = `The ownership record of ${name} ${wrong}. ${consequence}`;
  const action = missingAction({ type: "TXT", at, value: expected, doubled, domain: name, isOther: values.length > 0 });
  return found("ownership_missing", { problem, action, evidence: valuesOf(at, response) });
}

/** Finds a return path that does not lead to this service. Without one the bounces still come, and SPF is not aligned. */
export function checkReturnPath({ dns, name }: Evidence): CheckResult {
  if (!dns || dns.returnPath.response.status === "temperror") return UNKNOWN;
  const { name: at, expected, response, others, doubled } = dns.returnPath;
  const values = response.values;
  if (values.length === 1 && values[0] === expected) return { findings: [] };
  const evidence = valuesOf(at, response);
  if (values.length > 0) {
    const isAppended = values.some((value) => value === `${expected}.${name}`);
    const problem = isAppended
      ? `The CNAME at ${at} leads to ${expected}.${name}: your DNS provider has added the domain to the value.`
      : `The CNAME at ${at} leads to ${values.join(" and ")}, not to ${expected}, so SPF of the domain's mail is not aligned.`;
    const action = isAppended
      ? `Change the value to "${expected}." with a dot at its end.`
      : `Change the CNAME record at ${at} to the value "${expected}" and delete others there.`;
    return found("return_path_elsewhere", { problem, action, evidence });
  }
  const isDoubled = doubled?.status === "ok" && doubled.values.length > 0;
  if (!isDoubled && (others === null || others.status === "temperror")) return UNKNOWN;
  if (others?.status === "ok" && others.values.length > 0) {
    const problem = `${at} has other records in place of a CNAME. Some DNS providers show an alias as addresses when they proxy it.`;
    const action = `Delete the other records at ${at} and publish a CNAME with the value "${expected}"; switch its proxy off ("DNS only").`;
    return found("return_path_no_cname", { problem, action, evidence: valuesOf(at, others) });
  }
  const problem = `The return path ${at} is missing. Bounces still come, but SPF of the domain's mail is not aligned, so that DMARC depends on DKIM alone.`;
  const action = missingAction({ type: "CNAME", at, value: expected, doubled, domain: name });
  return found("return_path_missing", { problem, action, evidence });
}

/** Finds hosts of the domain that the service cannot serve. */
export function checkHosts({ hosts, name }: Evidence): CheckResult {
  const failed = hosts.filter(({ status }) => status === "failed");
  return {
    findings: failed.map(({ name: host, purpose, problem: cause }) => {
      const consequence =
        purpose === "link"
          ? `Links in mail of ${name} have the host of the service until it can be used again.`
          : `Other mail systems cannot fetch the MTA-STS policy of ${name}.`;
      const problem = `The host ${host} cannot be used. ${consequence}`;
      const action =
        cause ?? `Check that the CNAME record at ${host} is as the list of records says, then check the records again.`;
      const evidence = [`${host}: failed`, ...(cause === null ? [] : [cause])];
      return finding("host_failed", { subject: host, problem, action, evidence });
    }),
  };
}

/** Addresses by which a list says that it did not answer the question, for instance that of a resolver which many use (RFC 5782 2.1). */
const ERRORS = /^127\.255\.255\.\d+$/;
/** Addresses that list a name. Others are those of a resolver that answers for names which do not exist. */
const LISTED = /^127\.\d+\.\d+\.\d+$/;

/** Finds blocklists of names that have the domain. */
export function checkBlocklists({ dns, name }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  const isUnknown = ({ response }: { response: { status: string; values?: readonly string[] } }) =>
    response.status === "temperror" || (response.values ?? []).some((value) => ERRORS.test(value));
  const findings = dns.blocklists.flatMap((list) => {
    const values =
      list.response.status === "ok" && !isUnknown(list)
        ? list.response.values.filter((value) => LISTED.test(value))
        : [];
    if (values.length === 0) return [];
    const problem = `${name} is on the blocklist ${list.zone}. Receivers that use it refuse the domain's mail.`;
    const action = `Find out why on the site of ${list.zone}, mend it, and ask for removal there. Most lists remove no domain that goes on as before.`;
    const evidence = values.map((value) => `${name}.${list.zone}: ${value}`);
    return [finding("blocklisted", { subject: list.zone, problem, action, evidence })];
  });
  return { findings, unknown: dns.blocklists.filter(isUnknown).map(({ zone }) => zone) };
}
