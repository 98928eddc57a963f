import type { Evidence } from "./evidence.ts";
import { type CheckResult, finding, UNKNOWN } from "./finding.ts";

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
    return [
      finding("blocklisted", {
        subject: list.zone,
        problem,
        action,
        evidence: values.map((value) => `${name}.${list.zone}: ${value}`),
      }),
    ];
  });
  return { findings, unknown: dns.blocklists.filter(isUnknown).map(({ zone }) => zone) };
}
