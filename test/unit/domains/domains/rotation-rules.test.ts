import { describe, expect, it } from "vitest";
import {
  LAST_KEY_MS,
  nextStep,
  PUBLISHED_MS,
  ROTATION_MS,
  type RotatingKey,
  UNPUBLISHED_MS,
} from "../../../../src/domains/domains/rotation-rules.ts";

const NOW = 2_000_000_000_000;
const signing = (since: number): Key => ({ id: "signing", activatedAt: since, retiredAt: null, publishedAt: 1 });
const retired = (at: number): Key => ({ id: "retired", activatedAt: 1, retiredAt: at, publishedAt: 1 });
const fresh = (publishedAt: number | null): Key => ({ id: "fresh", activatedAt: null, retiredAt: null, publishedAt });

type Key = RotatingKey & { id: string };

describe("the next step of a rotation", () => {
  it.each([
    ["no key signs", [fresh(1), fresh(1)], false, { kind: "none" }],
    ["a slot is empty", [signing(1)], false, { kind: "none" }],
    [
      "the last key retired a moment ago",
      [signing(NOW), retired(NOW)],
      false,
      { kind: "wait", until: NOW + LAST_KEY_MS },
    ],
    [
      "the last key has 1 ms left",
      [signing(1), retired(NOW - LAST_KEY_MS + 1)],
      false,
      { kind: "wait", until: NOW + 1 },
    ],
    ["the last key retired 14 days ago", [signing(1), retired(NOW - LAST_KEY_MS)], false, { kind: "replace" }],
    [
      "the key signs for less than 90 days",
      [signing(NOW - 5), fresh(1)],
      false,
      { kind: "wait", until: NOW - 5 + ROTATION_MS },
    ],
    ["the next key is not published", [signing(1), fresh(null)], false, { kind: "wait", until: NOW + UNPUBLISHED_MS }],
    [
      "the next key is published for a moment",
      [signing(1), fresh(NOW)],
      false,
      { kind: "wait", until: NOW + PUBLISHED_MS },
    ],
    ["both times are over", [signing(NOW - ROTATION_MS), fresh(NOW - PUBLISHED_MS)], false, { kind: "switch" }],
    ["the customer asks before the time", [signing(NOW - 5), fresh(NOW - PUBLISHED_MS)], true, { kind: "switch" }],
    [
      "the customer asks for an unpublished key",
      [signing(NOW - 5), fresh(null)],
      true,
      { kind: "wait", until: NOW + UNPUBLISHED_MS },
    ],
    ["the customer asks twice", [signing(NOW), retired(NOW)], true, { kind: "wait", until: NOW + LAST_KEY_MS }],
  ])("when %s", (_, keys, isAsked, expected) => {
    expect(nextStep(keys, NOW, isAsked)).toMatchObject(expected);
    expect(nextStep(keys.toReversed(), NOW, isAsked)).toMatchObject(expected);
  });
});
