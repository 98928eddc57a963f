import type { RecordStatus } from "../db/schema/domains.ts";
import type { DnsAnswer } from "../dns/index.ts";
import type { ExpectedRecord } from "./records.ts";

/** A record with what DNS answered for it. */
export interface SeenRecord {
  record: ExpectedRecord;
  answer: DnsAnswer;
}

/**
 * What an answer says about a record: as it should be, nothing there, or something else there. Null when DNS gave
 * no answer to rely on: then nothing is known, and nothing changes. Pure.
 */
export function evaluateRecord({ record, answer }: SeenRecord): Exclude<RecordStatus, "pending"> | null {
  if (!answer.known) return null;
  const { meant, fits } = readers[record.purpose];
  const candidates = answer.values.filter(meant);
  if (candidates.length === 0) return "missing";
  return fits(candidates, record.value) ? "verified" : "mismatch";
}

interface Reader {
  /** Whether a value at the name is one of this purpose at all; TXT records of others may stand beside it. */
  meant: (value: string) => boolean;
  fits: (values: string[], expected: string) => boolean;
}

const oneOf = (values: string[], expected: string) => values.some((value) => value.trim() === expected);

const readers: Readonly<Record<ExpectedRecord["purpose"], Reader>> = {
  ownership: { meant: (value) => value.trim() !== "", fits: oneOf },
  // RFC 6376 3.6.1: two records at one selector give undefined results, so each has to be ours.
  dkim: {
    meant: (value) => value.trim() !== "",
    fits: (values, expected) => values.every((value) => isOurKey(value, tagsOf(expected))),
  },
  // RFC 7208 4.5: more than one SPF record is an error for everybody who checks.
  spf: {
    meant: (value) => /^v=spf1(\s|$)/i.test(value),
    fits: ([value = "", ...more], expected) => more.length === 0 && termsOf(value).includes(termsOf(expected)[1] ?? ""),
  },
  // RFC 7489 6.6.3: the same for DMARC.
  dmarc: {
    meant: (value) => /^v=DMARC1\s*(;|$)/.test(value),
    fits: ([value = "", ...more]) =>
      more.length === 0 && /^(none|quarantine|reject)$/i.test(tagsOf(value).get("p") ?? ""),
  },
  return_path: { meant: () => true, fits: oneOf },
  mx: { meant: () => true, fits: (values, expected) => values.some((value) => value.split(" ")[1] === expected) },
};

/** `a=b; c=d` (RFC 6376 3.2). White space within a value counts for nothing in what is compared here. */
function tagsOf(text: string): Map<string, string> {
  const pairs = text.split(";").map((pair): [string, string] => {
    const [name = "", ...value] = pair.split("=");
    return [name.trim(), value.join("=").replace(/\s+/g, "")];
  });
  return new Map(pairs);
}

/** Whether a receiver would check our signatures by this key record: no tag twice, `v` first (RFC 6376 3.2, 3.6.1). */
function isOurKey(text: string, expected: Map<string, string>): boolean {
  const names = text.split(";").flatMap((pair) => pair.split("=")[0]?.trim() || []);
  if (new Set(names).size < names.length || names.indexOf("v") > 0) return false;
  const found = tagsOf(text);
  const allows = (tag: string, words: string[]) =>
    !found.has(tag) ||
    found
      .get(tag)
      ?.split(":")
      .some((word) => words.includes(word)) === true;
  return (
    (found.get("v") ?? "DKIM1") === "DKIM1" &&
    (found.get("k") ?? "rsa") === expected.get("k") &&
    found.get("p") === expected.get("p") &&
    allows("h", ["sha256"]) &&
    allows("s", ["*", "email"])
  );
}

/** The terms of an SPF record, in lower case; a `+` in front changes nothing (RFC 7208 4.6.2). */
function termsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((term) => term.replace(/^\+/, ""));
}
