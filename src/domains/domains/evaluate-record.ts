import { parseTags, TAG_NAME, tagNames } from "../../mail/dkim/tag-list.ts";
import type { RecordStatus } from "../../platform/db/schema/main/domains.ts";
import type { DnsResult } from "../../platform/dns/resolve.ts";
import type { ExpectedRecord } from "./records.ts";

/** The status that a DNS response gives a record; `temperror` when DNS did not respond. */
export type RecordResult = Exclude<RecordStatus, "pending"> | "temperror";

/** Compares a record with the response of DNS for its name. Pure. */
export function evaluateRecord(record: ExpectedRecord, response: DnsResult): RecordResult {
  if (response.status === "temperror") return "temperror";
  if (record.leadsTo !== undefined) return evaluateAlias(record, record.leadsTo, response);
  return evaluateValues(record, response.values);
}

/**
 * Evaluates a CNAME by what its name leads to in the end. The CNAME alone proves that the domain is the workspace's, since no other
 * registration has its target; a wrong value behind it is the service's own, so it shows nothing about the domain.
 */
function evaluateAlias(
  record: ExpectedRecord,
  leadsTo: string | null,
  { values, aliases = [] }: { values: string[]; aliases?: string[] },
): RecordResult {
  if (!aliases.includes(record.value)) {
    if (aliases.length > 0) return "mismatch";
    // An own DMARC policy is as good as ours. A key that was copied is not: it would stay when ours changes.
    if (record.purpose === "dmarc") return evaluateValues(record, values);
    return values.length === 0 ? "missing" : "mismatch";
  }
  if (leadsTo === null) return "verified";
  return evaluateValues({ purpose: record.purpose, value: leadsTo }, values) === "verified" ? "verified" : "temperror";
}

function evaluateValues(record: Pick<ExpectedRecord, "purpose" | "value">, values: string[]): RecordResult {
  const { isCandidate, isCorrect } = matchers[record.purpose];
  const candidates = values.filter(isCandidate);
  if (candidates.length === 0) return "missing";
  return isCorrect(candidates, record.value) ? "verified" : "mismatch";
}

interface Matcher {
  /** Returns whether a value has this purpose. Other TXT records may exist at the same name. */
  isCandidate: (value: string) => boolean;
  isCorrect: (candidates: string[], expected: string) => boolean;
}

const isNotEmpty = (value: string) => value.trim() !== "";
const containsExact = (values: string[], expected: string) => values.some((value) => value.trim() === expected);

const matchers: Readonly<Record<ExpectedRecord["purpose"], Matcher>> = {
  ownership: { isCandidate: isNotEmpty, isCorrect: containsExact },
  // RFC 6376 3.6.1: several records at one selector give undefined results, so every one must contain our key.
  dkim: {
    isCandidate: isNotEmpty,
    isCorrect: (values, expected) => values.every((value) => isExpectedKey(value, parseTags(expected))),
  },
  // RFC 7208 4.5: several SPF records are a permerror.
  spf: {
    isCandidate: (value) => /^v=spf1(\s|$)/i.test(value),
    isCorrect: ([value = "", ...more], expected) =>
      more.length === 0 && spfTerms(value).includes(spfTerms(expected)[1] ?? ""),
  },
  // RFC 9989 4.10: with several DMARC records, receivers apply none.
  dmarc: {
    isCandidate: (value) => /^v=DMARC1\s*(;|$)/.test(value),
    isCorrect: ([value = "", ...more]) =>
      more.length === 0 && /^(none|quarantine|reject)$/i.test(parseTags(value).get("p") ?? ""),
  },
  return_path: { isCandidate: () => true, isCorrect: containsExact },
  mta_sts: { isCandidate: () => true, isCorrect: containsExact },
  // RFC 8461 3.1: with several records, senders act as if there were none.
  mta_sts_id: {
    isCandidate: (value) => /^v=STSv1\s*;/.test(value),
    isCorrect: ([value = "", ...more], expected) =>
      more.length === 0 && parseTags(value).get("id") === parseTags(expected).get("id"),
  },
  // RFC 8460 3: likewise. Reports may go to further addresses.
  tls_reports: {
    isCandidate: (value) => /^v=TLSRPTv1\s*;/.test(value),
    isCorrect: ([value = "", ...more], expected) =>
      more.length === 0 &&
      (parseTags(value).get("rua") ?? "")
        .toLowerCase()
        .split(",")
        .includes(parseTags(expected).get("rua") ?? ""),
  },
  // Priority and weight choose among several servers. The target of a service that is not offered is the root.
  mail_programs: {
    isCandidate: () => true,
    isCorrect: (values, expected) => values.map(serverOf).includes(serverOf(`0 ${expected}`)),
  },
  link_host: { isCandidate: () => true, isCorrect: containsExact },
  mx: {
    isCandidate: () => true,
    isCorrect: (values, expected) => values.some((value) => value.split(" ")[1] === expected),
  },
};

/** Returns port and host of a value of SRV. */
const serverOf = (value: string) => value.split(" ").slice(2).join(" ");

/** Returns whether a receiver accepts our signatures by this key record: unique tags, `v` first (RFC 6376 3.2, 3.6.1). */
function isExpectedKey(text: string, expected: Map<string, string>): boolean {
  const names = tagNames(text);
  if (!names.every((name) => TAG_NAME.test(name))) return false;
  if (new Set(names).size < names.length || names.indexOf("v") > 0) return false;
  const tags = parseTags(text);
  const allows = (tag: string, words: string[]) =>
    !tags.has(tag) ||
    tags
      .get(tag)
      ?.split(":")
      .some((word) => words.includes(word)) === true;
  return (
    (tags.get("v") ?? "DKIM1") === "DKIM1" &&
    (tags.get("k") ?? "rsa") === expected.get("k") &&
    tags.get("p") === expected.get("p") &&
    allows("h", ["sha256"]) &&
    allows("s", ["*", "email"])
  );
}

/** Returns the terms of an SPF record that are read, up to `all`, in lower case and without the default qualifier `+` (RFC 7208 4.6.2, 5.1). */
function spfTerms(text: string): string[] {
  const terms = text
    .toLowerCase()
    .split(/\s+/)
    .map((term) => term.replace(/^\+/, ""));
  const end = terms.findIndex((term) => /^[-~?]?all$/.test(term));
  return end === -1 ? terms : terms.slice(0, end);
}
