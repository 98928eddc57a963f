/** The rate and the connections that a receiver without known limits turns out to allow. */
import { describe, expect, it } from "vitest";
import {
  newLearnedConnections,
  noteAcceptedConnections,
  noteTooManyConnections,
} from "../../../smtp-egress/learned-connections.ts";
import {
  LEAST_PER_MINUTE,
  type LearnedRate,
  MAX_WAIT_MS,
  newLearnedRate,
  noteAcceptedRate,
  noteRateRefused,
} from "../../../smtp-egress/learned-rate.ts";
import { ReceiverPace } from "../../../smtp-egress/receiver-pace.ts";
import type { PaceLimits } from "../../../smtp-egress/receivers/types.ts";
import { toReply } from "./support/replies.ts";

const T0 = Date.UTC(2026, 10, 23);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const limits: PaceLimits = { connections: 10, messagesPerConnection: 100, messagesPerMinute: 6_000 };

/** Notes accepted messages, one each `ms`, from a time on. Returns the time of the last one. */
function accept(learned: LearnedRate, count: number, from: number, ms: number) {
  let state = learned;
  for (let n = 0; n < count; n++) state = noteAcceptedRate(state, limits, from + n * ms);
  return { learned: state, at: from + (count - 1) * ms };
}

/** Returns the state after replies that refuse, each at the end of the wait of the one before, and the time of the last. */
function refuse(learned: LearnedRate, count: number, from: number) {
  let [state, at] = [learned, from];
  for (let n = 0; n < count; n++) {
    if (n > 0) at += state.waitMs;
    state = noteRateRefused(state, limits, at);
  }
  return { learned: state, at };
}

describe("the rate after a slow-down", () => {
  it.each([
    { accepted: 1_000, each: 10, refusals: 1, rate: 5_820, waitMs: SECOND },
    // It accepted a tenth of what was sent: not below half at once, and to the rate by and by.
    { accepted: 100, each: 100, refusals: 1, rate: 3_000, waitMs: SECOND },
    { accepted: 100, each: 100, refusals: 2, rate: 1_500, waitMs: 2 * SECOND },
    { accepted: 100, each: 100, refusals: 4, rate: 375, waitMs: 8 * SECOND },
    // 100 within 10 s, and nothing in 63 s.
    { accepted: 100, each: 100, refusals: 7, rate: 6_000 / 72.9, waitMs: 64 * SECOND },
    { accepted: 1, each: 100, refusals: 20, rate: LEAST_PER_MINUTE, waitMs: MAX_WAIT_MS },
  ])(
    "of $accepted messages, one each $each ms, is $rate a minute after $refusals of them, and the next try is after $waitMs ms",
    ({ accepted, each, refusals, rate, waitMs }) => {
      const sent = accept(newLearnedRate(T0), accepted, T0, each);
      const { learned } = refuse(sent.learned, refusals, sent.at);
      expect(learned.messagesPerMinute).toBeCloseTo(rate, 0);
      expect(learned.waitMs).toBe(waitMs);
    },
  );

  it("is that of the hour when a quota of the hour was used up at once", () => {
    const sent = accept(newLearnedRate(T0), 1_000, T0, 10);
    let { learned, at } = refuse(sent.learned, 1, sent.at);
    while (at + learned.waitMs < T0 + HOUR) ({ learned, at } = refuse(learned, 1, at + learned.waitMs));
    learned = noteAcceptedRate(learned, limits, at + learned.waitMs);
    expect(learned.messagesPerMinute).toBeGreaterThan(0.85 * (1_000 / 60));
    expect(learned.messagesPerMinute).toBeLessThan(1.15 * (1_000 / 60));
  });

  it("is that of the time before when one message is accepted between two of them", () => {
    const sent = accept(newLearnedRate(T0), 100, T0, 50);
    let { learned, at } = refuse(sent.learned, 2, sent.at);
    at += 2 * SECOND;
    learned = refuse(accept(learned, 1, at, 0).learned, 1, at).learned;
    // 100 within 5 s and waits of 3 s; the one message alone would have halved it.
    expect(learned.messagesPerMinute).toBeGreaterThan(101 / (8 / 60) - 20);
  });

  it("does not take a time without mail for a low rate", () => {
    const sent = accept(newLearnedRate(T0), 100, T0, 10);
    const { learned } = refuse(sent.learned, 1, sent.at + 5 * HOUR);
    expect(learned.messagesPerMinute).toBe(3_000);
  });

  it("waits for eight messages of the rate, at least a second", () => {
    const slow: LearnedRate = { ...newLearnedRate(T0), messagesPerMinute: 20, slowedAt: T0 };
    const sent = accept(slow, 100, T0, 3 * SECOND);
    const { learned } = refuse(sent.learned, 1, sent.at + 3 * SECOND);
    expect(learned.messagesPerMinute).toBeCloseTo(19.4, 5);
    expect(learned.waitMs).toBeCloseTo(24_742, 0);
  });

  it("is never above that of the table", () => {
    const low = { ...limits, messagesPerMinute: 5 };
    const sent = accept(newLearnedRate(T0), 100, T0, 10);
    expect(noteRateRefused(sent.learned, low, sent.at).messagesPerMinute).toBe(4.85);
  });
});

describe("the rate after accepted messages", () => {
  /** `each`: ms between the messages that were accepted before. */
  const slowed = (each = 100) => {
    const sent = accept(newLearnedRate(T0), 10_000, T0, each);
    const { learned, at } = refuse(sent.learned, 1, sent.at);
    return accept(learned, 1, at + SECOND, 0);
  };

  it.each([
    ["is what it was before the slow-down", 10, 1 / 0.97],
    // It fell by more than half, which may have been too much.
    ["is a quarter more when it fell further", 100, 1.25],
  ])("grows by the same amount with each: after 1,000 it %s", (_, each, growth) => {
    const { learned, at } = slowed(each);
    const [first = 0, half = 0, whole = 0] = [0, 500, 1_000].map(
      (count) => accept(learned, count, at, 0).learned.messagesPerMinute,
    );
    expect(Math.min(whole, limits.messagesPerMinute) / first).toBeCloseTo(growth, 5);
    expect(half).toBeCloseTo((first + Math.min(whole, limits.messagesPerMinute)) / 2, 5);
  });

  it("is that of the table in the end", () => {
    const { learned, at } = slowed();
    expect(accept(learned, 100_000, at, 1).learned.messagesPerMinute).toBe(Number.POSITIVE_INFINITY);
  });

  it("grows faster when an hour had no slow-down, so that the lowest one is left within a day", () => {
    const least = { ...slowed().learned, messagesPerMinute: LEAST_PER_MINUTE, step: 0, slowedAt: T0 };
    let [state, at] = [least, T0 + HOUR + 1];
    for (; at < T0 + 8 * HOUR; at += MINUTE / state.messagesPerMinute) state = noteAcceptedRate(state, limits, at);
    expect(state.messagesPerMinute).toBeGreaterThan(100);
  });
});

describe("the connections that a receiver allows", () => {
  it("are one less than those that it refused, and never none", () => {
    let learned = noteTooManyConnections(newLearnedConnections(), 8);
    expect(learned.connections).toBe(7);
    learned = noteTooManyConnections(learned, 4);
    expect(learned.connections).toBe(3);
    for (let n = 0; n < 5; n++) learned = noteTooManyConnections(learned, 1);
    expect(learned.connections).toBe(1);
  });

  it("are tried again one by one, each after 1,000 messages, up to those of the table", () => {
    let learned = noteTooManyConnections(newLearnedConnections(), 9);
    const counts = [];
    for (let n = 1; n <= 3_000; n++) {
      learned = noteAcceptedConnections(learned, limits);
      if (n === 999 || n === 1_000 || n === 2_000) counts.push(learned.connections);
    }
    expect(counts).toEqual([8, 9, Number.POSITIVE_INFINITY]);
  });
});

describe("a receiver that asks to slow down", () => {
  const aPace = () =>
    new ReceiverPace({ name: "r", label: "R", mxSuffixes: [], limits: {}, rules: [] }, null, () => {}, T0);
  const tooFast = toReply("450 4.7.28 unusual rate of mail");
  const sending = () => {
    const pace = aPace();
    for (let n = 0; n < 600; n++) pace.noteAccepted(1, T0 + n * 100, 1_000);
    return { pace, at: T0 + MINUTE };
  };

  it("has a lower rate, which places in the line and the waits that the Worker is told follow", () => {
    const { pace, at } = sending();
    pace.noteRefusal(tooFast, at);
    expect(pace.limits(at).messagesPerMinute).toBe(3_000);
    const waits = Array.from({ length: 101 }, () => pace.takePlace(at, { holdMs: 0, inMemory: 0 }).ms);
    // A second without mail, then 3,000 a minute.
    expect(waits[100]).toBeGreaterThanOrEqual(SECOND + 99 * 20);
    expect(waits[100]).toBeLessThanOrEqual(SECOND + 101 * 20);
  });

  it("is asked by one message after the wait, and by all connections that are left when it accepts that", () => {
    const { pace, at } = sending();
    expect([pace.connections(at), pace.takeTurn(at, 1_000)]).toEqual([10, 0]);
    pace.noteRefusal(tooFast, at);
    expect([pace.connections(at), pace.takeTurn(at, 1_000)]).toEqual([0, SECOND]);
    expect([pace.connections(at + SECOND), pace.takeTurn(at + SECOND, 1_000)]).toEqual([1, 0]);
    pace.noteAccepted(1, at + SECOND + 100, 1_000);
    expect(pace.connections(at + SECOND + 100)).toBe(5);
  });

  it("is asked once for the replies to messages that ran side by side", () => {
    const { pace, at } = sending();
    for (let ms = 0; ms < 900; ms += 100) pace.noteRefusal(tooFast, at + ms);
    expect(pace.limits(at).messagesPerMinute).toBe(3_000);
    // One that was accepted meanwhile is no probe.
    pace.noteAccepted(1, at + 950, 1_000);
    expect(pace.connections(at + SECOND)).toBe(1);
  });

  it("tells waits of more than a minute as a pause with its reply, and shorter ones as places in the line", () => {
    const { pace, at } = sending();
    const causes = [];
    for (let now = at, n = 0; n < 8; n++) {
      pace.noteRefusal(tooFast, now);
      const until = pace.pausedUntil(now) ?? now;
      causes.push([(until - now) / SECOND, pace.takePlace(now, { holdMs: 0, inMemory: 0 }).reason]);
      now = until;
    }
    expect(causes.slice(-2)).toEqual([
      [64, "450 4.7.28 unusual rate of mail"],
      [128, "450 4.7.28 unusual rate of mail"],
    ]);
    expect(causes.slice(0, 6).map(([, reason]) => reason)).toEqual(Array(6).fill(null));
  });

  it("because of its bytes has a lower rate of bytes, so that a large message waits longer than a small one", () => {
    const { pace, at } = sending();
    pace.noteRefusal(toReply("452 4.3.1 Too many bytes within a minute"), at);
    expect(pace.limits(at)).toMatchObject({ messagesPerMinute: 3_000, isLearned: false });
    const after = at + SECOND;
    expect(pace.takeTurn(after, 1_000)).toBe(0);
    expect(pace.takeTurn(after + 20, 1_000)).toBe(0);
    // 20,000 bytes are 20 messages of the usual size, of which 50 leave in a second.
    expect(pace.takeTurn(after + 20, 20_000)).toBe(400);
    expect(pace.takeTurn(after + 420, 20_000)).toBe(0);
  });

  it("because of its bytes keeps that rate of bytes when messages get smaller", () => {
    const { pace, at } = sending();
    pace.noteRefusal(toReply("452 4.3.1 Too many bytes within a minute"), at);
    let [now, sent] = [at + SECOND, 0];
    for (; now < at + 11 * SECOND; now += Math.max(1, pace.takeTurn(now, 100))) sent += 1;
    expect(sent).toBeGreaterThan(0.9 * 10 * 50 * 10);
  });

  it("because of its connections keeps its rate, and has fewer connections", () => {
    const { pace, at } = sending();
    pace.noteRefusal(toReply("421 4.7.0 Too many connections"), at);
    expect(pace.limits(at)).toMatchObject({ connections: 9, messagesPerMinute: 6_000, isLearned: false });
    expect(pace.connections(at)).toBe(5);
  });
});
