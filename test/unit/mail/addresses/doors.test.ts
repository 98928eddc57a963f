/** The doors that read address fields see the same people: mailboxes, mail programs and submission. */
import { describe, expect, it } from "vitest";
import { formatSpec } from "../../../../src/mail/addresses/read-list.ts";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";
import { parseMailboxes, parseOnlyMailbox } from "../../../../src/mail/raw/address-fields.ts";

const parse = (field: string, value: string) =>
  parseMessage(new TextEncoder().encode(`${field}: ${value}\r\nSubject: A\r\n\r\nText\r\n`));

describe("an author", () => {
  it.each([
    ["Ann <ann@example.org>", "ann@example.org"],
    ["ceo@bank(Your Bank).example", "ceo@bank.example"],
    ["ceo@bank.exam(Your Bank)ple", null],
    ["user@example.org(x)outside.example", null],
    ['"john doe"@example.org', '"john doe"@example.org'],
    ["Ann <ann@example.org> <eve@example.com>", null],
    ["A Group: ann@example.org;", "ann@example.org"],
  ])("%s is the same for all", (value, address) => {
    const { from, structure } = parse("From", value);
    expect(from?.email || null).toBe(address);
    const listed = structure.envelope.from
      .filter(([, local, host]) => local !== null && host !== null && host !== "MISSING_DOMAIN")
      .map(([, local, host]) => formatSpec({ local: local ?? "", domain: host ?? "" }));
    expect(listed).toEqual(address === null ? [] : [address]);
    // A submission takes no local part that is a second spelling of a mailbox.
    const isPlain = address !== null && !address.startsWith('"');
    expect(parseMailboxes(value).map((mailbox) => mailbox.address.address)).toEqual(isPlain ? [address] : []);
  });

  it("of a submission is one mailbox, and no group", () => {
    expect(parseOnlyMailbox("Ann <ann@example.org>")?.address.address).toBe("ann@example.org");
    for (const value of ["", "a@x.test, b@x.test", "A Group: ann@example.org;", "a@x.test (b) c@x.test", "Ann"])
      expect(parseOnlyMailbox(value), value).toBeNull();
  });

  it.each(["<ceo@bank.example>@a.example", "<the ceo@bank.example>", "(A <ceo@bank.example>"])(
    "of %s has no address, and is not missing: its mail is judged",
    (value) => {
      expect(parse("From", value).from).toEqual({ email: "", name: value });
    },
  );

  it.each([
    "ceo@bank.example x, foo@ok.example",
    "<ceo@bank.example>@x.example, foo@ok.example",
    "=?utf-8?q?ceo=40bank.example?=, foo@ok.example",
  ])("is not the one behind a text that looks like another: %s", (value) => {
    expect(parse("From", value).from?.email).toBe("");
  });

  it("is the one behind a name with a comma", () => {
    expect(parse("From", "Doe, John <john@example.org>").from?.email).toBe("john@example.org");
  });

  it("of a field without a name and an at sign is missing", () => {
    for (const value of ["<>", "undisclosed-recipients:;", ""]) expect(parse("From", value).from, value).toBeNull();
  });

  it("without an address has the name that mail programs show", () => {
    expect(parse("From", "Mail Delivery Subsystem").from).toEqual({ email: "", name: "Mail Delivery Subsystem" });
  });
});

describe("a reader of a reply", () => {
  it("is never one that two words make when they are joined", () => {
    expect(parse("Reply-To", "user@example.org(x)outside.example").replyTo).toEqual([]);
    expect(parse("Reply-To", "=?UTF-8?Q?Doe,_John?= <john@example.org>").replyTo).toEqual([
      { email: "john@example.org", name: "Doe, John" },
    ]);
  });
});
