/** The one reader of address fields (RFC 5322 3.4, 4.4). */
import { describe, expect, it } from "vitest";
import {
  formatSpec,
  type ListedMailbox,
  mailboxesOf,
  readAddressList,
} from "../../../../src/mail/addresses/read-list.ts";

/** Returns a mailbox as text: its phrase, its address or "none", and its comment. */
const shown = ({ phrase, comment, spec }: ListedMailbox) =>
  [phrase ?? "-", spec ? formatSpec(spec) : "none", comment ?? "-"].join(" | ");
const read = (value: string) => mailboxesOf(value).map(shown);

describe("a mailbox", () => {
  it.each([
    // RFC 5322 A.1.2, A.5 and A.6.
    ["john.q.public@example.com", "- | john.q.public@example.com | -"],
    ['"Joe Q. Public" <john.q.public@example.com>', "Joe Q. Public | john.q.public@example.com | -"],
    ['"Giant; \\"Big\\" Box" <sysservices@example.net>', 'Giant; "Big" Box | sysservices@example.net | -'],
    ["Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "Pete | pete@silly.test | -"],
    ["Joe Q. Public <john.q.public@example.com>", "Joe Q. Public | john.q.public@example.com | -"],
    ["Mary Smith <@node.test:mary@example.net>", "Mary Smith | mary@example.net | -"],
    ["<@a.test,@b.test:joe@c.test>", "- | joe@c.test | -"],
    ["John Doe <jdoe@machine(comment).  example>", "John Doe | jdoe@machine.example | -"],
    ["john . doe @ example . org", "- | john.doe@example.org | -"],
    // Quoted local parts.
    ['"john doe"@example.org', '- | "john doe"@example.org | -'],
    ['<"a@b"@example.org>', '- | "a@b"@example.org | -'],
    ['"john"@example.org', "- | john@example.org | -"],
    ["user@[192.0.2.1]", "- | user@[192.0.2.1] | -"],
    // Comments in a domain stay comments, and join nothing.
    ["ceo@bank(Your Bank).example", "- | ceo@bank.example | Your Bank"],
    ["ceo@bank.exam(Your Bank)ple", "ceo@bank.exam ple | none | Your Bank"],
    ["user@example.org(x)outside.example", "user@example.org outside.example | none | x"],
    ["ceo @bank.example foo@ok.example", "ceo @bank.example foo@ok.example | none | -"],
    ["Ann <ann@example.org> <eve@example.com>", "Ann | none | -"],
    // Names alone, and what some servers write.
    ["Mail Delivery Subsystem", "Mail Delivery Subsystem | none | -"],
    ["root (Charlie Root)", "- | root@ | Charlie Root"],
    ["a..b@docomo.example", "- | a..b@docomo.example | -"],
    ["Ann <ann@example.org", "Ann | ann@example.org | -"],
    ["=?UTF-8?Q?Doe,_John?= <john@example.org>", "=?UTF-8?Q?Doe,_John?= | john@example.org | -"],
    ["Jörg <jörg@exämple.org>", "Jörg | jörg@exämple.org | -"],
  ])("%s", (value, expected) => {
    expect(read(value)).toEqual([expected]);
  });
});

describe("a list", () => {
  it("has mailboxes in their order, with empty entries left out", () => {
    expect(read("a@x.test, , B <b@x.test>,\r\n c@x.test")).toEqual([
      "- | a@x.test | -",
      "B | b@x.test | -",
      "- | c@x.test | -",
    ]);
  });

  it("has groups with their members", () => {
    const list = readAddressList("A Group:Ed <joe@where.test>,jdoe@one.test; undisclosed-recipients:; x@y.test");
    expect(list.map((entry) => ("members" in entry ? [entry.group, entry.members.map(shown)] : shown(entry)))).toEqual([
      ["A Group", ["Ed | joe@where.test | -", "- | jdoe@one.test | -"]],
      ["undisclosed-recipients", []],
      "- | x@y.test | -",
    ]);
  });

  it("keeps the mailboxes behind a name that begins with an at sign", () => {
    expect(read("@team, a@x.test, b@x.test")).toEqual(["@team | none | -", "- | a@x.test | -", "- | b@x.test | -"]);
  });

  it.each([
    "(".repeat(100_000),
    '"'.repeat(99_999),
    "a@b,".repeat(100_000),
    "<".repeat(100_000),
    "=?a?q?".repeat(50_000),
  ])("of hostile text is read once", (value) => {
    expect(readAddressList(value).length).toBeLessThanOrEqual(1_001);
  });
});
