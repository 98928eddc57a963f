import { expect, it } from "vitest";
import { adviseSpf } from "../../../../src/domains/health/advise-spf.ts";
import { parseSpf } from "../../../../src/mail/spf/parse.ts";
import { isSpfRecord } from "../../../../src/mail/spf/walk.ts";
import { mistypedSpf } from "./mistyped-spf.ts";

const INCLUDE = "include:spf.mail.test";
const cases = mistypedSpf.map(([mistake, records, terms, leftOut]) => ({ mistake, records, terms, leftOut }));

it.each(cases)(
  "when $mistake, the advice is valid, keeps every sender and permits ours",
  ({ records, terms, leftOut }) => {
    const advice = adviseSpf(records, INCLUDE);
    const [, record = "", rest = ""] = /^"([^"]*)"(.*)$/.exec(advice) ?? [];
    expect(record).toBe(`v=spf1 ${INCLUDE} ${terms}`);
    expect(isSpfRecord(record)).toBe(true);
    expect(parseSpf(record).errors).toEqual([]);
    if (leftOut !== undefined) expect(rest).toBe(`, without ${leftOut}, which no receiver can use`);
  },
);

it("an advice for a record that no DNS provider takes says how long it is", () => {
  const [long] = cases.filter(({ mistake }) => mistake === "it is longer than a TXT record");
  expect(adviseSpf(long?.records ?? [], INCLUDE)).toMatch(/ With all of them it has \d{4} bytes, .* take 2048$/);
});

it("an advice counts the look-ups that the included records cause", () => {
  const advised = (lookups: number) =>
    adviseSpf(["v=spf1 include:a.test -all"], INCLUDE, [{ term: "include:a.test", lookups }]);
  expect(advised(9)).not.toContain("look-ups");
  expect(advised(10)).toContain("more than 10 DNS look-ups");
});
