/** The actions that rules of receivers take on replies, rule by rule, in the words of the receivers. */
import { describe, expect, it } from "vitest";
import { boundedPattern } from "../../../smtp-egress/receivers/bounded-pattern.ts";
import { isTemporary, MAX_TIMES, noteReply, type SeenReplies } from "../../../smtp-egress/receivers/reactions.ts";
import { commonRules, receivers } from "../../../smtp-egress/receivers/table.ts";
import type { Action, ReplyRule } from "../../../smtp-egress/receivers/types.ts";
import { innocentReplies, replyRows } from "./support/reply-rows.ts";

const T0 = Date.UTC(2026, 10, 23);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const rulesOf = (name: string): readonly ReplyRule[] => {
  const receiver = receivers.find((known) => known.name === name);
  return [...(receiver?.rules ?? []), ...commonRules];
};

/** Notes one reply at several times and returns what the last one caused. */
function noteAll(rules: readonly ReplyRule[], reply: string, times: readonly number[]) {
  let seen: SeenReplies = new Map();
  return times
    .map((now) => {
      const noted = noteReply(seen, rules, { reply, now });
      seen = noted.seen;
      return noted.reaction;
    })
    .at(-1);
}

/** Returns an action as the rows write it. */
function wordOf(action: Action): string {
  if (action.kind === "slow") return `slow ${action.messagesPerMinute}`;
  return action.kind === "narrow" ? `narrow ${action.connections}` : action.kind;
}

describe.each(replyRows)("$name: $reply", ({ name, reply, threshold, action, minutes, isTemporary: temporary }) => {
  const rules = rulesOf(name);

  it(`acts at its ${threshold}. time within an hour, for its time, and not below`, () => {
    const times = Array.from({ length: threshold }, (_, n) => T0 + n * MINUTE);
    if (threshold > 1) expect(noteAll(rules, reply, times.slice(1))).toBeNull();
    const reaction = noteAll(rules, reply, times);
    const until = T0 + (threshold - 1 + minutes) * MINUTE;
    expect(reaction && { ...reaction, action: wordOf(reaction.action) }).toEqual({ action, until, reply });
    // The first of them was an hour before the last.
    if (threshold > 1)
      expect(noteAll(rules, reply, [T0 - HOUR, ...times.slice(1).map((at) => at - MINUTE)])).toBeNull();
  });

  it(`${temporary ? "is" : "is not"} a refusal of the rate or the address whose email is tried again`, () => {
    expect(isTemporary(rules, reply)).toBe(temporary);
  });
});

it("every rule of the table has a row", () => {
  const tested = new Set(replyRows.map(({ name, reply }) => rulesOf(name).find(({ pattern }) => pattern.test(reply))));
  const all = [...receivers.flatMap(({ rules }) => rules), ...commonRules];
  expect(all.filter((rule) => !tested.has(rule)).map(({ pattern }) => String(pattern))).toEqual([]);
  expect(all.filter(({ threshold }) => threshold > MAX_TIMES)).toEqual([]);
});

describe.each(innocentReplies)("a reply of another kind: %s", (reply) => {
  it("sets off no rule of any receiver, however often it comes", () => {
    const times = Array.from({ length: 50 }, (_, n) => T0 + n);
    for (const { name } of receivers) expect([name, noteAll(rulesOf(name), reply, times)]).toEqual([name, null]);
  });
});

describe("the replies that are remembered", () => {
  const rules = rulesOf("google");
  const reply = replyRows[0]?.reply ?? "";

  it("are of one rule each: other replies between them do not matter", () => {
    let seen: SeenReplies = new Map();
    for (let n = 0; n < 10; n++) {
      const noted = noteReply(seen, rules, { reply: `550 5.1.1 no such user ${n}`, now: T0 + n });
      expect([noted.seen, noted.reaction]).toEqual([seen, null]);
    }
    seen = noteReply(seen, rules, { reply, now: T0 }).seen;
    expect(noteReply(seen, rules, { reply, now: T0 + HOUR - 1 }).reaction).not.toBeNull();
    expect(noteReply(seen, rules, { reply, now: T0 + HOUR }).reaction).toBeNull();
  });

  it("are at most 100 of a rule", () => {
    let seen: SeenReplies = new Map();
    for (let n = 0; n < 1_000; n++) seen = noteReply(seen, rules, { reply, now: T0 + n }).seen;
    expect([...seen.values()].map((times) => times.length)).toEqual([MAX_TIMES]);
  });

  it("keep a reaction in force from the last of them", () => {
    const times = [T0, T0 + MINUTE, T0 + 20 * MINUTE];
    expect(noteAll(rules, reply, times)?.until).toBe(T0 + 50 * MINUTE);
  });
});

it("every pattern is one that an operator may write: it has few ways to match", () => {
  const all = [...receivers.flatMap(({ rules }) => rules), ...commonRules];
  for (const { pattern } of all) expect(() => boundedPattern(pattern.source), pattern.source).not.toThrow();
});

it("only rules of receivers without hosts of customers stop all mail", () => {
  const stops = (rules: readonly ReplyRule[]) => rules.some(({ action }) => action.kind === "pause-source");
  expect(stops(commonRules)).toBe(false);
  const names = receivers.filter(({ rules }) => stops(rules)).map(({ name }) => name);
  expect(names).toEqual(["yahoo", "apple", "laposte"]);
});
