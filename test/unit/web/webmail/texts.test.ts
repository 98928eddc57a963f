import { describe, expect, it } from "vitest";
import { namesOf } from "../../../../src/web/webmail/participants.ts";
import { splitQuoted } from "../../../../src/web/webmail/quoted-text.ts";
import { readUndo, writeUndo } from "../../../../src/web/webmail/undo.ts";

const person = (email: string, name: string | null = null) => ({ email, name });
const ada = person("ada@example.org", "Ada Lovelace");
const own = person("Hello@example.com", "Shop");

describe("the names of a conversation", () => {
  it.each([
    ["no sender", [], ""],
    ["the whole name of one", [ada], "Ada Lovelace"],
    ["an address without a name", [person("grace@example.org")], "grace@example.org"],
    ["first names of several, and me", [ada, own], "Ada, me"],
    ["the part before the @ of one of several", [person("grace.hopper@example.org"), own], "grace.hopper, me"],
    [
      "the first and the last two of many",
      ["a", "b", "c", "d", "e"].map((name) => person(`${name}@x.org`)),
      "a … d, e",
    ],
  ])("are %s", (_, people, names) => {
    expect(namesOf(people, "hello@example.com")).toBe(names);
  });
});

describe("what a text quotes at its end", () => {
  it.each([
    ["Yes.\n\nOn Monday, Ada wrote:\n> Shall we?\n>\n> Ada\n", "Yes.", "On Monday, Ada wrote:\n> Shall we?\n>\n> Ada"],
    [
      "Yes.\r\n\r\nOn Monday, Ada\r\n<ada@x.org> wrote:\r\n\r\n> Hi",
      "Yes.",
      "On Monday, Ada\n<ada@x.org> wrote:\n\n> Hi",
    ],
    ["Yes.\n> Shall we?", "Yes.", "> Shall we?"],
  ])("is apart: %j", (text, before, quoted) => {
    expect(splitQuoted(text)).toEqual({ own: before, quoted });
  });

  it.each(["", "No quotation.", "> All of it\n> is quoted", "> First\nThen an answer"])("is nothing in %j", (text) => {
    expect(splitQuoted(text)).toEqual({ own: text, quoted: null });
  });
});

describe("the changes that undo another", () => {
  const change = { folder: "Trash", threads: [], to_folder: "INBOX", action: "move" as const };

  it("survive the query of a page", () => {
    const uids = [9, 3, 4, 5, 12];
    const label = { folder: "INBOX", threads: [], label_id: "a:b", action: "unlabel" as const };
    const text = writeUndo([
      { ...change, uids },
      { ...label, uids: [1] },
    ]);
    expect(text).toBe('[["Trash","move:INBOX","3-5.9.12"],["INBOX","unlabel:a:b","1"]]');
    expect(readUndo(text)).toEqual([
      { folder: "Trash", action: "move", to_folder: "INBOX", label_id: "INBOX", uids: [3, 4, 5, 9, 12] },
      { folder: "INBOX", action: "unlabel", to_folder: "a:b", label_id: "a:b", uids: [1] },
    ]);
  });

  it.each([
    '[[{"toString":1}]]',
    '[["A",{"toString":1},"1"]]',
    '[["A","seen",1.5]]',
    '[["A","seen"]]',
    '[["A"]]',
    "[1]",
  ])("are none in what no page writes: %s", (text) => {
    expect(readUndo(text)).toEqual([]);
  });

  it("have whole numbers only", () => {
    expect(readUndo('[["A","seen","1e2.0x10.-5.7.1-2-3"]]')[0]?.uids).toEqual([7]);
  });

  it("never delete for good, and are bounded", () => {
    expect(readUndo('[["Trash","expunge","1"],["Trash","delete","1"]]')).toEqual([]);
    expect(readUndo('[["Trash","seen","1-4294967295"]]')[0]?.uids).toHaveLength(500);
    expect(readUndo(JSON.stringify(Array.from({ length: 1_000 }, () => ["A", "seen", "1"])))).toHaveLength(50);
    const wide = Array.from({ length: 50 }, () => ["A", "seen", "1-300"]);
    expect(readUndo(JSON.stringify(wide)).flatMap(({ uids }) => uids)).toHaveLength(500);
  });
});
