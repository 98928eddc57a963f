import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/mail/imap/commands.ts";
import { type CommandPart, Cursor, ImapError, ImapSyntaxError } from "../../../src/mail/imap/cursor.ts";
import { readCommand, readTag } from "../../../src/mail/imap/read-command.ts";
import { byExtent } from "../../support/extent.ts";

const encoder = new TextEncoder();

function read(parts: string | CommandPart[], allowsUtf8 = false): Command {
  const cursor = new Cursor(typeof parts === "string" ? [parts] : parts, allowsUtf8);
  expect(readTag(cursor)).toBe("a1");
  return readCommand(cursor, { allowsUtf8 });
}

const none = { flags: [], keywords: [] };

const commands: readonly (readonly [string, Command])[] = [
  ["a1 NOOP", { name: "NOOP" }],
  ["a1 noop", { name: "NOOP" }],
  ['a1 ID ("name" "x" "version" NIL)', { name: "ID" }],
  ["a1 ID NIL", { name: "ID" }],
  ['a1 LOGIN "a b" "q\\"\\\\p"', { name: "LOGIN", username: "a b", password: 'q"\\p' }],
  ["a1 AUTHENTICATE plain", { name: "AUTHENTICATE", mechanism: "PLAIN", initial: null }],
  ["a1 AUTHENTICATE PLAIN AGEAYg==", { name: "AUTHENTICATE", mechanism: "PLAIN", initial: "AGEAYg==" }],
  ["a1 ENABLE CONDSTORE utf8=accept", { name: "ENABLE", capabilities: ["CONDSTORE", "UTF8=ACCEPT"] }],
  ["a1 SELECT inbox", { name: "SELECT", folder: "INBOX", condstore: false }],
  ["a1 EXAMINE Entw&APw-rfe (CONDSTORE)", { name: "EXAMINE", folder: "Entwürfe", condstore: true }],
  ['a1 RENAME "a b" c&-d', { name: "RENAME", folder: "a b", newName: "c&d" }],
  ['a1 LSUB "" *', { name: "LSUB", reference: "", patterns: ["*"] }],
  ["a1 STATUS Sent (MESSAGES unseen SIZE)", { name: "STATUS", folder: "Sent", items: ["MESSAGES", "UNSEEN", "SIZE"] }],
  ['a1 GETQUOTA ""', { name: "GETQUOTA", root: "" }],
  ["a1 EXPUNGE", { name: "EXPUNGE", set: null }],
  [
    "a1 UID EXPUNGE 3:5,9",
    {
      name: "EXPUNGE",
      set: [
        [3, 5],
        [9, 9],
      ],
    },
  ],
  ["a1 UID MOVE 1:* Trash", { name: "MOVE", byUid: true, set: [[1, Number.POSITIVE_INFINITY]], folder: "Trash" }],
  ["a1 COPY 2 INBOX/x", { name: "COPY", byUid: false, set: [[2, 2]], folder: "INBOX/x" }],
  [
    "a1 STORE 1 (UNCHANGEDSINCE 12) +FLAGS.SILENT (\\deleted $Junk)",
    {
      ...{ name: "STORE", byUid: false, set: [[1, 1]], mode: "add", silent: true, unchangedSince: 12 },
      flags: { flags: ["\\Deleted"], keywords: ["$Junk"] },
    },
  ],
  [
    "a1 UID STORE 1 FLAGS \\Seen \\Recent",
    {
      ...{ name: "STORE", byUid: true, set: [[1, 1]], mode: "replace", silent: false, unchangedSince: null },
      flags: { flags: ["\\Seen"], keywords: [] },
    },
  ],
  [
    'a1 APPEND Sent (\\Seen) "17-Jul-1996 02:44:25 -0700" ',
    { name: "APPEND", folder: "Sent", flags: { flags: ["\\Seen"], keywords: [] }, date: 837_596_665_000 },
  ],
  ["a1 APPEND INBOX ", { name: "APPEND", folder: "INBOX", flags: none, date: null }],
  [
    'a1 LIST (SUBSCRIBED RECURSIVEMATCH) "" ("*" a/%) RETURN (CHILDREN STATUS (MESSAGES))',
    {
      ...{ name: "LIST", reference: "", patterns: ["*", "a/%"], onlySubscribed: true, onlySpecialUse: false },
      ...{ recursiveMatch: true, children: true, subscribed: true, status: ["MESSAGES"] },
    },
  ],
  [
    'a1 UID FETCH 1:3 (FLAGS BODY.PEEK[1.2.HEADER.FIELDS (Subject "From")]<0.100>) (CHANGEDSINCE 7)',
    {
      ...{ name: "FETCH", byUid: true, set: [[1, 3]], changedSince: 7 },
      items: [
        { item: "flags" },
        {
          ...{ item: "section", name: "BODY[1.2.HEADER.FIELDS (Subject From)]", peek: true },
          section: { path: [1, 2], text: "fields", fields: ["Subject", "From"] },
          range: { from: 0, length: 100 },
        },
      ],
    },
  ],
  [
    "a1 SEARCH RETURN (MIN COUNT) OR (UNSEEN LARGER 10) NOT FROM x",
    {
      ...{ name: "SEARCH", byUid: false, results: ["MIN", "COUNT"], wantsModificationSequence: false },
      key: {
        key: "or",
        keys: [
          {
            key: "and",
            keys: [
              { key: "flag", flag: "\\Seen", isSet: false },
              { key: "larger", bytes: 10 },
            ],
          },
          { key: "not", of: { key: "header", name: "From", value: "x" } },
        ],
      },
    },
  ],
  [
    "a1 UID SEARCH CHARSET utf-8 SINCE 1-Feb-1994 2,4:*",
    {
      ...{ name: "SEARCH", byUid: true, results: null, wantsModificationSequence: false },
      key: {
        key: "and",
        keys: [
          { key: "arrived", when: "since", date: Date.UTC(1994, 1, 1) },
          {
            key: "numbers",
            set: [
              [2, 2],
              [4, Number.POSITIVE_INFINITY],
            ],
          },
        ],
      },
    },
  ],
];

const wrong = [
  ...["a1", "a1 ", "a1 NOOP x", "a1  NOOP", "a1 UNKNOWN", "a1 LOGIN a", 'a1 LOGIN "a b', 'a1 LOGIN "a\\x" b'],
  ...["a1 SELECT", "a1 SELECT (x)", "a1 SELECT a (QRESYNC)"],
  ...["a1 FETCH 0 FLAGS", "a1 FETCH 1, FLAGS", "a1 FETCH 4294967296 FLAGS", "a1 FETCH 1 ()", "a1 FETCH 1 BODY[1.0]"],
  ...["a1 FETCH 1 BODY[MIME]", "a1 FETCH 1 BODY[]<0.0>", "a1 FETCH 1 BODY[HEADER.FIELDS ()]", "a1 FETCH 1 ALL FLAGS"],
  ...["a1 STORE 1 FLAGS (\\Gone)", "a1 STORE 1 FLAGS", "a1 SEARCH", "a1 SEARCH NOT", "a1 SEARCH ON 31-Feb-2000"],
  ...["a1 UID NOOP", "a1 UID", "a1 SEARCH FROM", 'a1 SELECT "ü"', "a1 STATUS x ()", "a1 APPEND x"],
];

describe("a command", () => {
  it.each(commands)("is read: %s", (text, command) => {
    expect(read(text)).toEqual(command);
  });

  it.each(["LIST", "LSUB"])("%s has patterns of at most 1,000 octets, each with its reference", (name) => {
    const most = `a1 ${name} ${"r".repeat(400)} ${"%".repeat(600)}`;
    expect(read(most)).toMatchObject({ name });
    expect(() => read(`${most}%`)).toThrow("The patterns have 1001 octets; the limit is 1000");
    const many = `a1 LIST ${"r".repeat(400)} (${"a ".repeat(2)}a)`;
    expect(() => read(many)).toThrow("The patterns have 1203 octets; the limit is 1000");
  });

  it("has at most 1,000 patterns, the empty ones counted, and folder names without control characters", () => {
    expect(() => read(`a1 LIST "" (${'"" '.repeat(1_000)}"")`)).toThrow("The patterns have 1001 octets");
    const message = "A mailbox name has a control character";
    expect(() => read("a1 GETQUOTAROOT &AA0ACg-")).toThrow(message);
    expect(() => read(["a1 GETQUOTAROOT ", encoder.encode("a\r\nb"), ""], true)).toThrow(message);
  });

  it("has each item of a response once, however often it asks for it", () => {
    expect(read("a1 SEARCH RETURN (ALL COUNT ALL ALL) ALL")).toMatchObject({ results: ["ALL", "COUNT"] });
    expect(read("a1 STATUS Sent (SIZE SIZE MESSAGES SIZE)")).toMatchObject({ items: ["SIZE", "MESSAGES"] });
    expect(read('a1 LIST "" * RETURN (STATUS (SIZE SIZE))')).toMatchObject({ status: ["SIZE"] });
  });

  it.each(wrong)("is refused by its grammar: %s", (text) => {
    const cursor = new Cursor([text]);
    expect(() => {
      readTag(cursor);
      readCommand(cursor, { allowsUtf8: false });
    }).toThrow(ImapSyntaxError);
  });

  it.each(["a1 SELECT a&b", "a1 SELECT &AGE-", "a1 SELECT &-&", 'a1 LIST "" &Jjo', "a1 SEARCH CHARSET koi8-r ALL"])(
    "has a value that cannot be used, which is an error of its own: %s",
    (text) => {
      expect(() => read(text)).toThrow(ImapError);
    },
  );

  it("has no NUL in a literal (RFC 3501 4.3.1)", () => {
    expect(() => read(["a1 SELECT ", encoder.encode("a\0b"), ""])).toThrow(ImapSyntaxError);
  });

  it("takes literals where it takes strings, with any bytes of UTF-8", () => {
    const parts = ["a1 LOGIN ", encoder.encode("jürgen"), " ", encoder.encode('p" {3}\r\n'), ""];
    expect(read(parts)).toEqual({ name: "LOGIN", username: "jürgen", password: 'p" {3}\r\n' });
  });

  it("does not take a literal for an atom or a number", () => {
    expect(() => read(["a1 ", encoder.encode("NOOP"), ""])).toThrow(ImapSyntaxError);
    expect(() => read(["a1 FETCH ", encoder.encode("1"), " FLAGS"])).toThrow(ImapSyntaxError);
  });

  it("has folder names and quoted strings in UTF-8 once the client has enabled it", () => {
    const bytes = (text: string) => String.fromCharCode(...encoder.encode(text));
    expect(read(bytes('a1 SELECT "Entwürfe & mehr"'), true)).toMatchObject({ folder: "Entwürfe & mehr" });
    expect(() => read('a1 SELECT "\xff"', true)).toThrow(ImapSyntaxError);
  });

  it("has at most 20 levels, 200 conditions and 10,000 characters of texts in a search", () => {
    expect(() => read(`a1 SEARCH ${"(".repeat(10_000)}ALL${")".repeat(10_000)}`)).toThrow("at most 20 levels");
    expect(() => read(`a1 SEARCH ${"NOT ".repeat(10_000)}ALL`)).toThrow("at most 20 levels");
    expect(() => read(`a1 SEARCH ${"ALL ".repeat(201).trim()}`)).toThrow("at most 200 conditions");
    expect(read(`a1 SEARCH BODY ${"x".repeat(10_000)}`)).toMatchObject({ name: "SEARCH" });
    expect(() => read(`a1 SEARCH BODY ${"x".repeat(5_000)} SUBJECT ${"x".repeat(5_001)}`)).toThrow("10000 characters");
  });

  it("is read or refused whatever its bytes are, and never fails in another way", () => {
    const word = fc.constantFrom(
      ...["a1", " ", " ", "FETCH", "UID", "SEARCH", "STORE", "(", ")", "[", "]", "<", ">", "1:*", "4294967296", '"'],
      ...["\\", "BODY", "FLAGS", "NOT", "OR", "\\Seen", "RETURN", "LIST", "%", "&", "-", "\xff", "\0", "+", "APPEND"],
    );
    const text = fc.oneof(
      fc.array(word, { maxLength: 30 }).map((words) => words.join("")),
      fc.string({ unit: "binary-ascii", maxLength: 60 }),
    );
    const part = fc.oneof(text, fc.uint8Array({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.constantFrom(...commands), fc.nat(40), (parts, [known], cut) => {
        for (const input of [parts, [known.slice(0, cut), ...parts], [known, ...parts]]) {
          try {
            const cursor = new Cursor(input, cut % 2 === 0);
            readTag(cursor);
            readCommand(cursor, { allowsUtf8: cut % 2 === 0 });
          } catch (error) {
            if (!(error instanceof ImapSyntaxError) && !(error instanceof ImapError)) throw error;
          }
        }
      }),
      { numRuns: byExtent({ quick: 2_000, full: 20_000, long: 100_000 }) },
    );
  });
});
