import { describe, expect, it } from "vitest";
import { adviseSpf } from "../../../../src/domains/health/advise-spf.ts";
import { parseSpf } from "../../../../src/mail/spf/parse.ts";

const INCLUDE = "include:spf.mail.test";
const advised = (...texts: string[]) => adviseSpf(texts, INCLUDE);

describe("the record that is advised", () => {
  it.each([
    ["v=spf1 ip4:192.0.2.1 ~all", `"v=spf1 ${INCLUDE} ip4:192.0.2.1 ~all"`],
    ["v=spf1; ip4:192.0.2.1; -all", `"v=spf1 ${INCLUDE} ip4:192.0.2.1 -all"`],
    ["v=spf1, include:a.test, ~all", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ['"v=spf1 include:a.test" "~all"', `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ['v=spf1 "include:a.test" ~all', `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["v=spf1 include: a.test ~all", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["v=spf1 include=a.test ~all", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["v=spf1 ip:192.0.2.1 ~all", `"v=spf1 ${INCLUDE} ip4:192.0.2.1 ~all"`],
    ["v=spf1 ipv4:192.0.2.0/24 ~all", `"v=spf1 ${INCLUDE} ip4:192.0.2.0/24 ~all"`],
    ["v=spf1 ip6=2001:db8::1 ~all", `"v=spf1 ${INCLUDE} ip6:2001:db8::1 ~all"`],
    ["v=spf1 ip:2001:db8::/32 ~all", `"v=spf1 ${INCLUDE} ip6:2001:db8::/32 ~all"`],
    ["v=spf include:a.test –all", `"v=spf1 ${INCLUDE} include:a.test -all"`],
    ["v= spf1 include:a.test ~all", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["spf2.0/pra include:a.test", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["v=spf1 redirect:a.test", `"v=spf1 ${INCLUDE} redirect=a.test"`],
    ["v=spf1 redirect=a.test ~all", `"v=spf1 ${INCLUDE} include:a.test ~all"`],
    ["v=spf1 -include:spf.mail.test ~all", `"v=spf1 ${INCLUDE} ~all"`],
    ["v=spf1 ~all include:spf.mail.test", `"v=spf1 ${INCLUDE} ~all"`],
    ["v=spf1 exp=e.test mx ~all", `"v=spf1 ${INCLUDE} exp=e.test mx ~all"`],
    ["v=spf1", `"v=spf1 ${INCLUDE} ~all"`],
    ["", `"v=spf1 ${INCLUDE} ~all"`],
    ["v=spf1 ip4:[192.0.2.1] ip6:[2001:db8::1] -all", `"v=spf1 ${INCLUDE} ip4:192.0.2.1 ip6:2001:db8::1 -all"`],
    [
      "v=spf1 ip4:192.0.2.0 /24 ip4:198.51.100.0/ 24 -all",
      `"v=spf1 ${INCLUDE} ip4:192.0.2.0/24 ip4:198.51.100.0/24 -all"`,
    ],
  ])("is valid and keeps what %j means", (text, record) => {
    expect(advised(text)).toBe(record);
  });

  it.each([
    ["v=spf1 ip4:192.0.2.0/33 ~all", "ip4:192.0.2.0/33"],
    ["v=spf1 ip4:192.0.2 ~all", "ip4:192.0.2"],
    ["v=spf1 inlcude:a.test ~all", "inlcude:a.test"],
    ["v=spf1 include:post@a.test ~all", "include:post@a.test"],
    ["v=spf1 include:https://a.test/spf/page ~all", "include:https://a.test/spf/page"],
    ["v=spf1 a/40 ~all", "a/40"],
  ])("of %j leaves out what nobody can read, and says so", (text, word) => {
    expect(advised(text)).toBe(`"v=spf1 ${INCLUDE} ~all", without ${word}, which no receiver can use`);
  });

  it("refuses no sender that it loses, or that another record did not refuse", () => {
    expect(advised("v=spf1 ip4:192.0.2.1-192.0.2.9 -all")).toMatch(/^"v=spf1 \S+ ~all", without ip4:192/);
    expect(advised("v=spf1 include:a.test -all", "v=spf1 include:b.test ?all")).toMatch(/ ~all"$/);
    expect(advised("v=spf1 include:a.test -all", "v=spf1 include:b.test -all")).toMatch(/ -all"$/);
    expect(advised("v=spf1 include:a.test ?all")).toMatch(/ \?all"$/);
  });

  it("of several has each term once, includes what one redirects to, and ends as all of them or softly", () => {
    const both = advised(
      "v=spf1 ip4:192.0.2.1 include:a.test -all",
      "v=spf1 include:a.test mx ~all",
      "v=spf1 redirect=b.test",
    );
    expect(both).toBe(`"v=spf1 ${INCLUDE} ip4:192.0.2.1 include:a.test mx include:b.test ~all"`);
  });

  it("says when it causes more than ten look-ups", () => {
    const includes = (from: number) => Array.from({ length: 5 }, (_, n) => `include:s${from + n}.test`).join(" ");
    expect(advised(`v=spf1 ${includes(0)} ~all`)).not.toContain("look-ups");
    expect(advised(`v=spf1 ${includes(0)} ~all`, `v=spf1 ${includes(5)} ~all`)).toMatch(
      /~all"\. It causes more than 10 DNS/,
    );
  });

  it("is always valid for the reader of records", () => {
    const words = [
      "v=spf1",
      "ip4:",
      "a.test",
      "include:",
      "~all",
      "redirect=x.test",
      "–",
      '"',
      "mx/33",
      "%{i}",
      "exists:%{i}.x.test",
      "all",
      "v=spf1",
    ];
    for (let seed = 1; seed <= 3_000; seed++) {
      const text = Array.from({ length: 6 }, (_, n) => words[(seed * (n + 7) * 2_654_435_761) % words.length]).join(
        " ",
      );
      const [, record = ""] = /^"([^"]*)"/.exec(advised(text, "v=spf1 mx -all")) ?? [];
      expect(parseSpf(record).errors, text).toEqual([]);
      expect(record).toContain(INCLUDE);
    }
  });
});
