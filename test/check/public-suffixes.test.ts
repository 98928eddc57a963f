import { getPublicSuffix } from "tldts";
import { expect, it } from "vitest";
import { publicSuffixList } from "../../dev/public-suffixes.ts";
import { isSuffixOf } from "../../src/domains/domains/public-suffix.ts";
import { byExtent } from "../host/support/extent.ts";

/** npm test looks at each seventh rule. */
const step = byExtent({ quick: 7, full: 1, long: 1 });

it("each rule of the Public Suffix List, and names above, beside and below it, are judged as tldts judges them", () => {
  const list = publicSuffixList();
  const rules = list.trim().split("\n");
  expect(rules.length).toBeGreaterThan(9_000);
  const names = new Set(rules.filter((_, at) => at % step === 0).flatMap(namesNear));
  const differing = [...names].filter(
    (name) => isSuffixOf(list, name) !== (getPublicSuffix(name, { allowPrivateDomains: true }) === name),
  );
  expect(differing).toEqual([]);
});

it("public suffixes are found, their subdomains and exceptions are not", () => {
  const list = publicSuffixList();
  const suffixes = ["com", "co.uk", "github.io", "anything.ck", "xn--p1ai", "unknown-top-level-domain"];
  const names = [
    "example.com",
    "example.co.uk",
    "me.github.io",
    "www.ck",
    "a.anything.ck",
    "example.xn--p1ai",
    "b.c.test",
  ];
  expect(suffixes.filter((name) => !isSuffixOf(list, name))).toEqual([]);
  expect(names.filter((name) => isSuffixOf(list, name))).toEqual([]);
});

function namesNear(rule: string): string[] {
  const name = rule.replace(/^!/, "").replace(/^\*\./, "wildcard.");
  return [name, `below.${name}`, `two.below.${name}`, name.slice(name.indexOf(".") + 1), name.slice(1)].filter(
    (each) => !each.startsWith(".") && !each.startsWith("-") && each !== "",
  );
}
