import { describe, expect, it } from "vitest";
import {
  type FilterAction,
  type FilterCondition,
  type FilteredMessage,
  filterBy,
  listIdTexts,
} from "../../../../src/mailboxes/mailbox-store/filter-rules.ts";

const message: FilteredMessage = {
  from: ["ada@example.org", "Ada Lovelace"],
  to: ["sales+news@example.com", "hello@example.com", "Größe"],
  subject: ["Invoice ΣΊΣΥΦΟΣ 42"],
  list_id: listIdTexts("Dev list <dev.lists.example.org>"),
  size: 1000,
};

const matches = (mode: "all" | "any", ...conditions: FilterCondition[]) =>
  filterBy([{ id: "f", match: { mode, conditions }, actions: [{ type: "flag" }] }])(message).flagged;

describe("a condition", () => {
  it.each<[boolean, FilterCondition]>([
    [true, { field: "from", op: "is", value: "ADA@Example.ORG" }],
    [true, { field: "from", op: "is", value: "ada lovelace" }],
    [false, { field: "from", op: "is", value: "ada@example.or" }],
    [true, { field: "from", op: "contains", value: "@example.org" }],
    [true, { field: "from", op: "contains", value: "LOVE" }],
    [false, { field: "from", op: "contains", value: "grace" }],
    [true, { field: "to", op: "is", value: "sales+news@example.com" }],
    [true, { field: "to", op: "contains", value: "GRÖSSE".replace("SS", "ß") }],
    [false, { field: "to", op: "contains", value: "ada" }],
    [true, { field: "subject", op: "contains", value: "invoice σίσυφος" }],
    [true, { field: "subject", op: "is", value: "invoice σίσυφος 42" }],
    [false, { field: "subject", op: "is", value: "invoice" }],
    [false, { field: "subject", op: "contains", value: ".*" }],
    [true, { field: "list_id", op: "is", value: "dev.lists.example.org" }],
    [true, { field: "list_id", op: "contains", value: "dev list" }],
    [false, { field: "list_id", op: "is", value: "lists.example.org" }],
    [true, { field: "size", op: "over", value: 999 }],
    [false, { field: "size", op: "over", value: 1000 }],
    [true, { field: "size", op: "under", value: 1001 }],
    [false, { field: "size", op: "under", value: 1000 }],
  ])("holds (%j): %j", (expected, condition) => {
    expect(matches("all", condition)).toBe(expected);
  });

  it("holds together with the others of `all`, or alone in `any`", () => {
    const [yes, no]: FilterCondition[] = [
      { field: "subject", op: "contains", value: "invoice" },
      { field: "size", op: "over", value: 5_000 },
    ];
    if (!yes || !no) throw new Error("two conditions");
    expect([matches("all", yes, no), matches("all", yes, yes)]).toEqual([false, true]);
    expect([matches("any", no, yes), matches("any", no, no)]).toEqual([true, false]);
  });

  it("never holds for a field that the message does not have, and for recipients beyond 200", () => {
    const recipients = Array.from({ length: 300 }, (_, index) => `r${index}@example.org`);
    const empty: FilteredMessage = { from: [], to: recipients, subject: [""], list_id: listIdTexts(null), size: 0 };
    const run = (condition: FilterCondition) =>
      filterBy([{ id: "f", match: { mode: "all", conditions: [condition] }, actions: [{ type: "flag" }] }])(empty)
        .flagged;
    expect(run({ field: "from", op: "contains", value: "a" })).toBe(false);
    expect(run({ field: "list_id", op: "contains", value: "a" })).toBe(false);
    expect(run({ field: "to", op: "is", value: "r199@example.org" })).toBe(true);
    expect(run({ field: "to", op: "is", value: "r200@example.org" })).toBe(false);
  });
});

describe("the actions of filters", () => {
  const move = (folderId: number): FilterAction => ({ type: "move", folder: `f${folderId}`, folderId });
  const forward = (address: string): FilterAction => ({ type: "forward", address, key: address, workspace: 1 });
  const run = (...filters: FilterAction[][]) =>
    filterBy(
      filters.map((actions, index) => ({
        ...{ id: `f${index}`, actions },
        match: { mode: "all", conditions: [{ field: "size", op: "over", value: 0 }] },
      })),
    )(message);

  it("add up, and the first that moves or discards a message decides where it is", () => {
    const label = { type: "label" as const, labelId: "l" };
    expect(run([{ type: "flag" }, move(7)], [{ type: "discard" }, label], [{ type: "mark_read" }, label])).toEqual({
      ...{ placement: move(7), labelIds: ["l"], flagged: true, seen: true, forwards: [] },
    });
    expect(run([{ type: "discard" }], [move(7)]).placement).toBe("discard");
  });

  it("end after the filter that stops, of which all are taken", () => {
    expect(run([{ type: "stop" }, { type: "flag" }], [{ type: "mark_read" }])).toMatchObject({
      flagged: true,
      seen: false,
    });
  });

  it("forward once to an address, and to ten at most", () => {
    const many = Array.from({ length: 12 }, (_, index) => forward(`a${index}@example.org`));
    expect(run([forward("a0@example.org")], many).forwards.map(({ filter, key }) => [filter, key])).toEqual([
      ["f0", "a0@example.org"],
      ...Array.from({ length: 9 }, (_, index) => ["f1", `a${index + 1}@example.org`]),
    ]);
  });
});
