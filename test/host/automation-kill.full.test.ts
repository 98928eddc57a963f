/**
 * Kills the host (Node and workerd, by SIGKILL) while people are inside an automation. `npm run test:full` has fewer people than
 * `npm run test:long`; KILL_SEED=… repeats the kill times of a run.
 */
import { expect, it } from "vitest";
import { automationKillRun } from "./support/automation-kill-run.ts";
import { byExtent } from "./support/extent.ts";

const plan = byExtent({
  quick: { people: 300, mailed: 300, kills: 2, killWithinMs: 700, waitMinutes: 1, shareMs: 0 },
  full: { people: 50_000, mailed: 50_000, kills: 200, killWithinMs: 2_000, waitMinutes: 15, shareMs: 4_000 },
  long: { people: 1_000_000, mailed: 50_000, kills: 200, killWithinMs: 8_000, waitMinutes: 50, shareMs: 15_000 },
});
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));

it(`${plan.kills} kills while ${plan.people} people are inside: each step is done once`, {
  timeout: byExtent({ quick: 300_000, full: 3_600_000, long: 14_400_000 }),
}, async () => {
  const report = await automationKillRun(
    { ...plan, seed },
    byExtent({ quick: 200_000, full: 1_800_000, long: 7_200_000 }),
  );
  const description = `automation kill test, seed ${seed}: ${JSON.stringify(report)}`;
  console.log(description);
  const { people, mailed } = plan;
  expect(report, description).toMatchObject({
    ...{ inside: people, wrongEmails: 0, emails: 2 * mailed, wrongContacts: 0 },
    counters: { entered: people, active: 0, completed: people, exited: 0, removed: 0 },
    steps: {
      ...{ 0: people, 1: people, 2: people, "2.then_steps.0": people },
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`1.then_steps.${n}`, mailed])),
      ...(people > mailed ? { "1.else_steps.0": people - mailed } : {}),
    },
  });
  // A kill between a message and its outcome lets the next run send it again, marked as a possible duplicate.
  expect(report.messages, description).toBeGreaterThanOrEqual(2 * mailed);
  expect(report.late.p99, description).toBeLessThanOrEqual(60_000);
  expect(
    report.atKills.some((completed) => completed < people),
    description,
  ).toBe(true);
});
