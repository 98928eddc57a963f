/** Receivers with limits that stand in no table, on a clock of the test: how much of them is used, and how often they refuse. */
import { describe, expect, it } from "vitest";
import { isFull } from "../../host/support/extent.ts";
import {
  fewConnections,
  fixedWindow,
  type LimitedReceiver,
  slidingWindow,
  tokenBucket,
} from "./support/limited-receivers.ts";
import { type PaceRun, runPace } from "./support/pace-run.ts";

const HOUR = 3_600_000;
/** Two hours of mail at the rate, but no more emails than this wait in the outbox. */
const MAX_WAITING = 20_000;

interface Row {
  name: string;
  receiver: () => LimitedReceiver;
  /** Messages a minute that it accepts. */
  rate: number;
  hours: number;
  latencyMs?: number;
  limits?: PaceRun["limits"];
  /** Least part of the rate that is used. */
  used?: number;
  /** Tested in `npm run test:full` alone. */
  isLong?: boolean;
}

const rows: Row[] = [
  { name: "5 in each second", receiver: () => fixedWindow(5, 1), rate: 300, hours: 1 },
  { name: "5 in each second, a second each", receiver: () => fixedWindow(5, 1), rate: 300, hours: 1, latencyMs: 1_000 },
  { name: "20 in each second", receiver: () => fixedWindow(20, 1), rate: 1_200, hours: 1, isLong: true },
  { name: "10 in any second", receiver: () => slidingWindow(10, 1), rate: 600, hours: 1 },
  { name: "30 in each minute", receiver: () => fixedWindow(30, 60), rate: 30, hours: 2 },
  { name: "100 in each minute", receiver: () => fixedWindow(100, 60), rate: 100, hours: 2 },
  { name: "1,000 in each minute", receiver: () => fixedWindow(1_000, 60), rate: 1_000, hours: 1, isLong: true },
  { name: "300 in any minute", receiver: () => slidingWindow(300, 60), rate: 300, hours: 1 },
  { name: "500 in each five minutes", receiver: () => fixedWindow(500, 300), rate: 100, hours: 2 },
  { name: "1,000 in each hour", receiver: () => fixedWindow(1_000, 3_600), rate: 1_000 / 60, hours: 8 },
  {
    name: "10,000 in each hour",
    receiver: () => fixedWindow(10_000, 3_600),
    rate: 10_000 / 60,
    hours: 8,
    isLong: true,
  },
  // The rate that a first hour shows is low, and grows slowly.
  { name: "2,000 in any hour", receiver: () => slidingWindow(2_000, 3_600), rate: 2_000 / 60, hours: 8, used: 0.8 },
  { name: "one a second", receiver: () => tokenBucket(60, 5), rate: 60, hours: 2 },
  { name: "600 a minute", receiver: () => tokenBucket(600, 20), rate: 600, hours: 1 },
  { name: "600 a minute, and as many at once", receiver: () => tokenBucket(600, 600), rate: 600, hours: 1 },
  { name: "3,000 a minute", receiver: () => tokenBucket(3_000, 100), rate: 3_000, hours: 1, isLong: true },
  ...[1, 3, 5, 8].map((most): Row => {
    const rate = most * 120;
    return {
      name: `${most} connections`,
      receiver: () => fewConnections(most),
      rate,
      hours: 1,
      latencyMs: 500,
      used: 0.95,
    };
  }),
];

function run({ receiver, rate, hours, latencyMs = 100, limits }: Row) {
  const emails = Math.ceil(Math.min(MAX_WAITING, rate * 120));
  const result = runPace({
    receiver: receiver(),
    latencyMs,
    forMs: hours * HOUR,
    emails,
    ...(limits ? { limits } : {}),
  });
  return {
    used: result.accepted / (rate * (result.forMs / 60_000)),
    refused: result.refused / result.attempts,
    result,
  };
}

describe("after the first five minutes", () => {
  it.each(rows.filter(({ isLong = false }) => isFull || !isLong))(
    "a receiver that accepts $name refuses at most 1 % of the attempts, and most of its rate is used",
    (row) => {
      const { used, refused } = run(row);
      expect(refused).toBeLessThanOrEqual(0.01);
      expect(used).toBeGreaterThanOrEqual(row.used ?? 0.85);
    },
  );

  it.each([60, 600])("a receiver whose limit of %i a minute is known refuses none, and its rate is used", (rate) => {
    const receiver = () => tokenBucket(rate, Math.max(5, rate / 30));
    const { used, result } = run({ name: "", receiver, rate, hours: 1, limits: { messagesPerMinute: rate } });
    expect(result.refused).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.95);
  });
});
