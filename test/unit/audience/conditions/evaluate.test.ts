import { expect, it } from "vitest";
import { type Condition, Conditions, evaluate, type Person } from "../../../../src/audience/conditions/index.ts";
import { DAY_MS } from "../../../../src/lib/time.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const LIST = "019aa7c0-4a00-7b3d-8f21-000000000001";
const TOPIC = "019aa7c0-4a00-7b3d-8f21-000000000002";
const BROADCAST = "019aa7c0-4a00-7b3d-8f21-000000000003";
const OTHER = "019aa7c0-4a00-7b3d-8f21-000000000009";
const SEGMENTS = new Map<string, Condition>([
  ["s1", { list: LIST }],
  ["s2", { segment: "s1" }],
  ["s3", { segment: "s2" }],
  ["s4", { segment: "s3" }],
  ["loop", { not: { segment: "loop" } }],
]);

const metadata = JSON.parse(
  `{"plan": "Gold", "orders": 12, "spent": "99.50", "vip": true, "csv_vip": "TRUE", "tags": ["red", 7], "empty": "", "nothing": null,
    "born": "1990-05-17", "seen": "2026-11-26 10:00", "at": "2026-11-26T10:00:00+02:00", "bad": "2026-02-31", "hex": "0x10", "own": {"a": 1}}`,
) as Record<string, unknown>;

const ada: Person = {
  key: "ada@example.org",
  contacts: [
    {
      list: LIST,
      id: "c1",
      email: "Ada@Example.org",
      name: "Ada Löve",
      metadata,
      createdAt: NOW - 10 * DAY_MS,
      isPending: false,
    },
    {
      list: OTHER,
      id: "c2",
      email: "ada@example.org",
      name: null,
      metadata: { plan: "free" },
      createdAt: NOW - DAY_MS,
      isPending: true,
    },
  ],
  activity: { received: NOW - 2 * DAY_MS, opened: NOW - 40 * DAY_MS },
  broadcasts: new Set([`opened ${BROADCAST}`]),
  topics: new Set([TOPIC]),
};
const event = { order: { total: 42, "a.b": 1 }, "order.total": "direct", nested: { deep: { id: "x" } } };

const of = (condition: Condition, person = ada) => evaluate(condition, person, { now: NOW, event, segments: SEGMENTS });
const field = (name: string, is: string, value?: unknown) =>
  ({ field: name, is, ...(value === undefined ? {} : { value }) }) as Condition;

it.each<[string, Condition, boolean]>([
  ["a list of the person", { list: LIST }, true],
  ["another list", { list: TOPIC }, false],
  ["equal without letter case", field("plan", "equals", "gold"), true],
  ["equal in any contact", field("plan", "equals", "FREE"), true],
  ["not equal in none", field("plan", "not_equals", "gold"), false],
  ["not equal of a missing field", field("city", "not_equals", "Paris"), true],
  ["a number and its text", field("orders", "equals", "12"), true],
  ["a text that is a number", field("spent", "equals", 99.5), true],
  ["a boolean of CSV", field("csv_vip", "equals", true), true],
  ["a boolean is no number", field("vip", "greater", 0), false],
  ["greater", field("orders", "greater", 11), true],
  ["greater is not equal", field("orders", "greater", 12), false],
  ["less of a text of CSV", field("spent", "less", 100), true],
  ["less of a text that is no number", field("plan", "less", 100), false],
  ["hexadecimal is no number", field("hex", "greater", 1), false],
  ["contains", field("plan", "contains", "OL"), true],
  ["contains in a list", field("tags", "contains", "red"), true],
  ["contains a whole item only", field("tags", "contains", "re"), false],
  ["contains not in an object", field("own", "contains", "a"), false],
  ["an address in any letter case", field("email", "contains", "EXAMPLE.ORG"), true],
  ["a name with a decomposed letter", field("name", "contains", "lo\u0308ve"), true],
  ["an empty text is missing", field("empty", "missing"), true],
  ["null is missing", field("nothing", "exists"), false],
  ["an inherited member is missing", field("constructor", "exists"), false],
  ["a date before", field("born", "before", "1990-05-18"), true],
  ["a date is its first moment", field("born", "before", "1990-05-17T00:00:00Z"), false],
  ["a time without zone is UTC", field("seen", "after", "2026-11-26T09:59:59Z"), true],
  ["a time without zone is not local", field("seen", "before", "2026-11-26T10:00:01"), true],
  ["a time with an offset", field("at", "before", "2026-11-26T08:00:01Z"), true],
  ["a date that does not exist", field("bad", "after", "1990-01-01"), false],
  ["a topic", { topic: TOPIC, subscribed: true }, true],
  ["a topic the other way", { topic: TOPIC, subscribed: false }, false],
  ["another topic", { topic: OTHER, subscribed: false }, true],
  ["first added by the oldest contact", { added_within_days: 9 }, false],
  ["first added at the limit", { added_within_days: 10 }, true],
  ["received within days", { activity: "received", within_days: 2 }, true],
  ["opened too long ago", { activity: "opened", within_days: 39 }, false],
  ["opened ever", { activity: "opened" }, true],
  ["never clicked", { activity: "clicked" }, false],
  ["opened a broadcast", { activity: "opened", broadcast_id: BROADCAST }, true],
  ["clicked a broadcast", { activity: "clicked", broadcast_id: BROADCAST }, false],
  ["a segment", { segment: "s1" }, true],
  ["three segments", { segment: "s3" }, true],
  ["four segments", { segment: "s4" }, false],
  ["a missing segment", { segment: "gone" }, false],
  ["a segment in itself ends", { segment: "loop" }, true],
  ["a value of the event", { event: "order.a.b", is: "exists" }, false],
  ["a path of the event", { event: "nested.deep.id", is: "equals", value: "X" }, true],
  ["a name with a dot first", { event: "order.total", is: "equals", value: "direct" }, true],
  ["a value that no event before has", { event: "order.total", is: "same" }, false],
  ["an inherited member of the event", { event: "order.constructor", is: "exists" }, false],
  ["all", { all: [{ list: LIST }, { list: TOPIC }] }, false],
  ["any", { any: [{ list: TOPIC }, { list: LIST }] }, true],
  ["not", { not: { list: TOPIC } }, true],
])("%s", (_, condition, expected) => {
  expect(of(condition)).toBe(expected);
});

it("a person without contacts was not added", () => {
  expect(of({ added_within_days: 3_650 }, { ...ada, contacts: [] })).toBe(false);
});

it("a segment is evaluated once a person however often it is named", () => {
  let reads = 0;
  const counted = {
    get list() {
      reads += 1;
      return TOPIC;
    },
  } as { list: string };
  const segments = new Map<string, Condition>([
    ["a", { any: Array.from({ length: 49 }, () => ({ segment: "b" })) }],
    ["b", counted],
  ]);
  evaluate({ any: Array.from({ length: 49 }, () => ({ segment: "a" })) }, ada, { now: NOW, segments });
  expect(reads).toBe(ada.contacts.length);
});

const messages = (value: unknown) =>
  Conditions.safeParse(value, { reportInput: true }).error?.issues.map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );

it.each<[string, unknown, string]>([
  ["nothing", undefined, ": a condition must be an object"],
  ["a list", [], ": a condition must be an object"],
  ["an unknown one", { lists: LIST }, ": a condition must have exactly one of all, any, not"],
  ["two in one", { list: LIST, segment: LIST }, ": a condition must have exactly one of"],
  ["an empty group", { all: [] }, "all: all must be a list of at least one condition"],
  ["a group with more", { all: [{ list: LIST }], x: 1 }, ": all takes no other field"],
  ["a field too many", { not: { list: LIST, x: 1 } }, "not: Unrecognized key"],
  ["an id that is none", { any: [{ list: LIST }, { list: "x" }] }, "any.1.list: must be a UUID"],
  ["no value", field("a", "equals"), "value: value is required with this comparison"],
  ["a value too many", field("a", "exists", 1), "value: exists takes no value"],
  ["greater than a text", field("a", "greater", "x"), "value: value must be a number"],
  ["after a text", field("a", "after", "yesterday"), "value: value must be a date such as 1970-01-01"],
  ["a value of another kind", field("a", "equals", { b: 1 }), "value: value must be a text of at most 1000"],
  ["a field with a line break", field("a\r\nb", "exists"), "field: must not contain control characters"],
  ["a NUL in a value", field("a", "equals", "x\0"), "value: must not contain control"],
  ["days below one", { added_within_days: 0 }, "added_within_days:"],
  [
    "a time and a broadcast",
    { activity: "opened", within_days: 1, broadcast_id: BROADCAST },
    "broadcast_id: within_days and",
  ],
])("conditions with %s are refused", (_, value, message) => {
  expect(messages(value)?.join("\n")).toContain(message);
});

it("conditions have at most five levels and fifty parts, and ids in lower case", () => {
  const nested = (levels: number): unknown =>
    levels === 1 ? { list: LIST.toUpperCase() } : { not: nested(levels - 1) };
  expect(Conditions.parse(nested(5))).toEqual({ not: { not: { not: { not: { list: LIST } } } } });
  expect(messages(nested(6))).toEqual(["not.not.not.not.not: conditions are nested deeper than 5 levels"]);
  const wide = (parts: number) => ({ any: Array.from({ length: parts }, () => ({ list: LIST })) });
  expect(messages(wide(49))).toBeUndefined();
  expect(messages(wide(50))).toEqual([": there are more than 50 conditions"]);
  expect(messages(wide(100_000))).toEqual([": there are more than 50 conditions"]);
});

it("a hundred thousand levels are refused without recursion", () => {
  let deep: unknown = { list: LIST };
  for (let level = 0; level < 100_000; level++) deep = level % 2 ? { not: deep } : { all: [deep] };
  expect(messages(deep)?.join()).toContain("nested deeper than 5 levels");
});
