/** The CPU that patterns of replies take: those of the table, and those that an operator may write. */
import { expect, it } from "vitest";
import { boundedPattern } from "../../../smtp-egress/receivers/bounded-pattern.ts";
import { commonRules, receivers } from "../../../smtp-egress/receivers/table.ts";
import { byExtent } from "../../host/support/extent.ts";
import { seeded } from "../../support/failures.ts";
import { cpuTimeOf } from "./support/cpu-time.ts";

it("no pattern of the table takes more than 20 ms of CPU for the longest reply that a server can send", () => {
  const all = [...receivers.flatMap(({ rules }) => rules), ...commonRules];
  const parts = [
    "a ",
    "1",
    "client host ",
    "message rate ",
    "too many ",
    "blocked - see https://",
    "messages from ",
    "LPN_",
  ];
  const hostile = parts.map((part) => `421 4.7.0 ${part.repeat(512).slice(0, 512)}`);
  for (const { pattern } of all) {
    const ms = cpuTimeOf(() => {
      for (const reply of hostile) pattern.test(reply);
    });
    expect([String(pattern), ms < 20]).toEqual([String(pattern), true]);
  }
});

/** As many ways as a pattern may have, all of which it tries in vain at each place of the first reply. */
const SLOWEST = "a{1,10}a{1,10}a{1,10}a{1,10}x";

it("a pattern that is taken needs no more CPU than twice that of the slowest one, whatever its parts", () => {
  const random = seeded(7);
  const parts = [
    "a",
    "b",
    ".",
    "\\w",
    "\\S",
    "[ab]",
    "a?",
    "a*",
    ".*",
    "\\w+",
    "a{1,3}",
    "(a|b)",
    "(aa|a)?",
    "x",
    "|",
    " ",
  ];
  const replies = ["a", "ab", "aab ", "b"].map((part) => `${part.repeat(512).slice(0, 511)}!`);
  const slowest = Array.from({ length: 8 }, () => longestOf(boundedPattern(SLOWEST), replies));
  const most = (2 * slowest.reduce((sum, ms) => sum + ms)) / slowest.length;
  let taken = 0;
  for (let n = 0; n < byExtent({ quick: 2_000, full: 20_000, long: 200_000 }); n++) {
    const length = 1 + Math.floor(random() * 12);
    const text = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join("");
    let pattern: RegExp;
    try {
      pattern = boundedPattern(text);
    } catch {
      continue;
    }
    taken++;
    expect([text, longestOf(pattern, replies) < most]).toEqual([text, true]);
  }
  expect(taken).toBeGreaterThan(500);
});

const longestOf = (pattern: RegExp, replies: readonly string[]) =>
  Math.max(...replies.map((reply) => cpuTimeOf(() => void pattern.test(reply))));
