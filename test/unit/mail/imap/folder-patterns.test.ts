import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMatches } from "../../../../mail-gateway/imap/folder-matches.ts";
import type { FolderInfo } from "../../../../mail-gateway/imap/mailbox.ts";

const foldersOf = (...names: string[]) => names.map((name) => ({ name }) as FolderInfo);
const found = (name: string, pattern: string, reference = "") =>
  findMatches(foldersOf(name), { reference, patterns: [pattern] }).some((match) => match.name === name);

/** As RFC 3501 6.3.8 says it, in a regular expression. */
const expected = (name: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("%", "[^/]*")}$`).test(name);

describe("a pattern of LIST", () => {
  it.each([
    ["a/b", "*", true],
    ["a/b", "%", false],
    ["a/b", "%/%", true],
    ["a/b", "a%b", false],
    ["a/b", "a*b", true],
    ["INBOX/a", "inbox/%", true],
    ["Inboxes", "inbox%", false],
    ["a", "", false],
  ])("%s by %s: %s", (name, pattern, isFound) => expect(found(name, pattern)).toBe(isFound));

  it("matches what its characters and wildcards say, and nothing else", () => {
    const text = (letters: string[], maxLength: number) =>
      fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((parts) => parts.join(""));
    // A name does not begin or end with a separator.
    const names = text(["a", "b", "/"], 8).map((name) => `x${name}y`);
    fc.assert(
      fc.property(names, text(["a", "b", "/", "%", "*", "x", "y"], 10), (name, pattern) => {
        expect(found(name, pattern), `${name} by ${pattern}`).toBe(expected(name, pattern));
      }),
      { numRuns: 2_000 },
    );
  });
});
