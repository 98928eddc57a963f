import { describe, expect, it } from "vitest";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { parseTypedAddress } from "../../../../src/mail/reports/values.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { type ForeignSample, UNLISTED } from "../../../mail/reports/samples-foreign.ts";
import { NOTICES } from "../../../mail/reports/samples-notices.ts";

/** Typed addresses (RFC 3464 2.1.2) and how they are spelled. */
const TYPED_ADDRESSES: readonly (readonly [field: string, address: string | null])[] = [
  ["rfc822;bob@y.test", "bob@y.test"],
  ["rfc822; bob@y.test", "bob@y.test"],
  ["RFC822 ; <bob@y.test>", "bob@y.test"],
  ["rfc822;<bob@y.test>", "bob@y.test"],
  ["<bob@y.test>", "bob@y.test"],
  ["bob@y.test", "bob@y.test"],
  ["rfc822; bob@y.test (Bob)", "bob@y.test"],
  ["rfc822; <bob@y.test> (expanded)", "bob@y.test"],
  ['rfc822; "Bob" <bob@y.test>', "bob@y.test"],
  ["utf-8; bob@y.test", "bob@y.test"],
  ["UTF-8; caf\\x{E9}@y.test", "café@y.test"],
  ["x-local; bob@y.test", "bob@y.test"],
  ["local; <bob@y.test>", "bob@y.test"],
  ["unknown; bob@y.test", "bob@y.test"],
  ["smtp; bob@y.test.", "bob@y.test"],
  ["rfc822; mailto:bob@y.test", "bob@y.test"],
  ["rfc822; <@relay.test:bob@y.test>", "bob@y.test"],
  ["rfc822; @relay.test,@other.test:bob@y.test", "bob@y.test"],
  ['rfc822; "bob"@y.test', "bob@y.test"],
  ['rfc822; "bob smith"@y.test', '"bob smith"@y.test'],
  ['rfc822; <"bob smith"@y.test>', '"bob smith"@y.test'],
  ['rfc822; "a@b"@y.test', '"a@b"@y.test'],
  ["rfc822; bob+tag@y.test", "bob+tag@y.test"],
  ["rfc822; o'hara@y.test", "o'hara@y.test"],
  ["x400; /G=Bob/S=Smith/C=DE/", null],
  ["local; bob", null],
  ["rfc822;", null],
  ["", null],
];

/** Parses a sample into the verdict on its first recipient. */
function readVerdict({ mail, nullSender = true }: ForeignSample): { verdict: string; recipient?: string | null } {
  const read = parseFeedback(new TextEncoder().encode(mail), nullSender);
  if (read.kind !== "dsn" && read.kind !== "bounce") return { verdict: read.kind };
  const [first] = read.recipients;
  if (!first) return { verdict: "no recipient" };
  if (first.action === "delayed") return { verdict: "delayed", recipient: first.recipient };
  const { suppress } = toReportOutcome(first);
  const verdict = suppress === "bounce" ? "suppress" : suppress === "domain-failure" ? "domain" : "soft";
  return { verdict, recipient: first.recipient };
}

describe("a bounce of a system that is in no list", () => {
  it.each(UNLISTED)("is recognized: $name", (sample) => {
    expect(readVerdict(sample)).toEqual({ verdict: sample.verdict, recipient: sample.recipient });
  });
});

describe("a notice that must not suppress", () => {
  it("has at least 32 cases", () => {
    expect(NOTICES.length).toBeGreaterThanOrEqual(32);
  });

  it.each(NOTICES)("$name", (sample) => {
    const { verdict, recipient } = readVerdict(sample);
    if (sample.verdict === "other") expect(["other", "auto-reply"]).toContain(verdict);
    else expect(verdict).toBe(sample.verdict);
    if (sample.recipient !== undefined) expect(recipient).toBe(sample.recipient);
  });
});

describe("a typed address", () => {
  it.each(TYPED_ADDRESSES)("%j is %j", (field, address) => {
    expect(parseTypedAddress(field)).toBe(address);
  });
});
