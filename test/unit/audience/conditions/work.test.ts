/**
 * The characters that each kind of condition reads of the largest person: 200 contacts with fields of 1,000,000 characters. A kind or
 * comparison without a row fails.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type Condition,
  comparisons,
  evaluate,
  type Person,
  questions,
} from "../../../../src/audience/conditions/index.ts";
import { testIssue } from "../../../../src/audience/conditions/values.ts";

const CONTACTS = 200;
const CHARACTERS = 1_000_000;
const id = "019aa7c0-4a00-7b3d-8f21-000000000001";

const person: Person = {
  key: "ada@example.org",
  contacts: Array.from({ length: CONTACTS }, (_, n) => ({
    list: `list ${n}`,
    id: `contact ${n}`,
    email: "ada@example.org",
    name: null,
    metadata: { note: String(n).padStart(CHARACTERS / CONTACTS, "É") },
    createdAt: 0,
    isPending: false,
  })),
  activity: {},
  broadcasts: new Set(),
  topics: new Set(),
};
const event = { note: "É".repeat(16_000) };
const eventBefore = { note: "È".repeat(16_000) };

/** Returns the characters whose case and form a condition folds to compare them. */
function foldedBy(condition: Condition, segments: ReadonlyMap<string, Condition> = new Map()): number {
  const normalize = vi.spyOn(String.prototype, "normalize");
  expect(evaluate(condition, person, { now: 0, event, eventBefore, segments })).toBe(false);
  return normalize.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
}

afterEach(() => {
  vi.restoreAllMocks();
});

const note = (is: string, value?: string) =>
  ({ field: "note", is, ...(value === undefined ? {} : { value }) }) as Condition;
const wanted = "é".repeat(250);

const FIELDS: [is: string, condition: Condition, characters: number][] = [
  ["equals", note("equals", wanted), CHARACTERS + CONTACTS * wanted.length],
  ["not_equals", { not: note("not_equals", wanted) }, CHARACTERS + CONTACTS * wanted.length],
  ["contains", note("contains", `${wanted.slice(1)}x`), CHARACTERS + CONTACTS * wanted.length],
  ["greater", note("greater", "1"), 0],
  ["less", note("less", "1"), 0],
  ["before", note("before", "2026-11-26"), 0],
  ["after", note("after", "2026-11-26"), 0],
  ["exists", { not: note("exists") }, 0],
  ["missing", note("missing"), 0],
];

const OTHERS: [kind: string, condition: Condition, characters: number][] = [
  [
    "all",
    {
      all: Array(49)
        .fill({ not: note("equals", wanted) })
        .concat({ list: id }),
    },
    CHARACTERS + 49 * CONTACTS * wanted.length,
  ],
  ["any", { any: Array(49).fill(note("equals", wanted)) }, CHARACTERS + 49 * CONTACTS * wanted.length],
  ["not", { not: { not: { list: id } } }, 0],
  ["list", { list: id }, 0],
  ["event", { event: "note", is: "equals", value: wanted }, 16_000 + wanted.length],
  ["same", { event: "note", is: "same" }, 2 * 16_000],
  ["topic", { topic: id, subscribed: true }, 0],
  ["added_within_days", { not: { added_within_days: 1 } }, 0],
  ["activity", { activity: "opened" }, 0],
  ["segment", { any: Array(50).fill({ segment: id }) }, CHARACTERS + 50 * CONTACTS * wanted.length],
];

describe("the characters of the largest person that a condition folds", () => {
  it.each(FIELDS)("%s", (_, condition, characters) => {
    expect(foldedBy(condition)).toBe(characters);
  });

  it.each(OTHERS)("%s", (_, condition, characters) => {
    expect(foldedBy(condition, new Map([[id, { any: Array(50).fill(note("equals", wanted)) }]]))).toBe(characters);
  });

  it("are of each comparison and question, and a text that is contained has at most 250", () => {
    const ofFields = questions.filter((is) => is !== "same");
    expect(FIELDS.map(([is]) => is)).toEqual([...comparisons, ...ofFields]);
    expect(testIssue({ is: "contains", value: wanted })).toBeNull();
    expect(testIssue({ is: "contains", value: `${wanted}é` })).toBe("contains takes at most 250 characters");
    expect(testIssue({ is: "equals", value: `${wanted}é` })).toBeNull();
  });
});

it("conditions that compare more than 200,000,000 characters of a person hold for no one, whatever they are inside", () => {
  const contains = note("contains", "0");
  const segments = new Map<string, Condition>(
    Array.from({ length: 5 }, (_, n) => [`${id}${n}`, { all: Array(50).fill(contains) }]),
  );
  const inSegments = (count: number): Condition => ({
    all: Array.from({ length: count }, (_, n) => ({ segment: `${id}${n}` })),
  });
  expect(evaluate(inSegments(3), person, { now: 0, segments })).toBe(true);
  expect(evaluate(inSegments(5), person, { now: 0, segments })).toBe(false);
  expect(evaluate({ not: inSegments(5) }, person, { now: 0, segments })).toBe(false);
});
