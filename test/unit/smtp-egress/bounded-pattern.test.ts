/** The patterns that an operator may write: none can hold up the program. */
import { describe, expect, it } from "vitest";
import { boundedPattern } from "../../../smtp-egress/receivers/bounded-pattern.ts";

describe("a pattern", () => {
  it.each([
    ["too many connections", "421 Too Many Connections"],
    ["messages from \\S+ deferred", "421 messages from 192.0.2.1 deferred"],
    ["from \\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3} is", "from 192.0.2.1 is"],
    ["(rate|speed) ?limit", "speed limit"],
    ["(?:a|b(?:c|d))?e", "bde"],
    ["\\[TS0[1-3]\\]", "[TS02]"],
    ["a[^\\]]b", "a.b"],
    ["^550 .*slow", "550 5.7.1 go slow"],
    ["\\bx{3}\\b", "xxx"],
    ["a+?b", "aab"],
  ])("such as %s is taken and matches in any case", (pattern, text) => {
    expect(boundedPattern(pattern).test(text)).toBe(true);
  });

  it.each([
    ["", "is empty"],
    ["a".repeat(201), "has 201 characters; the limit is 200"],
    ["(a+)+$", "repeats a group"],
    ["(a|aa)*$", "repeats a group"],
    ["(ab){2,9}", "repeats a group"],
    [".*.*x", "could take long"],
    ["a{0,200}a{0,200}x", "could take long"],
    ["(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)", "could take long"],
    ["(?=a)b", 'has "(?" at character 1'],
    ["(?<name>a)", 'has "(?" at character 1'],
    ["(a)\\1", 'has "\\" at character 4'],
    ["\\u0041", 'has "\\" at character 1'],
    ["a\\", 'has "\\" at character 2'],
    ["(a", 'has a "(" without ")" at character 1'],
    ["a)", 'has a ")" without "(" at character 2'],
    ["[a", 'has "[" at character 1'],
    ["*a", 'has "*" at character 1'],
    ["a**", 'has "*" at character 3'],
    ["a{2", 'has "{" at character 2'],
    ["[z-a]", "is no regular expression"],
    ["((((((a))))))", "groups within groups"],
  ])("such as %s is refused: %s", (pattern, message) => {
    expect(() => boundedPattern(pattern)).toThrow(message);
  });
});
