import { describe, expect, it } from "vitest";
import {
  blockerOf,
  KEPT_MS,
  keptUntil,
  nextPolicy,
  POLICY_SECONDS,
  type PolicyEvent,
  type PolicyMode,
  policySteps,
  TEST_MS,
} from "../../../../src/domains/hosts/policy-rules.ts";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

describe("the steps of a policy", () => {
  const table: [PolicyMode, PolicyEvent, [PolicyMode, boolean] | null, [PolicyMode, boolean] | null][] = [
    // The state after the event: when the service may enforce the policy, and when an owner chose testing.
    ["testing", "enforce", ["enforce", false], ["enforce", false]],
    ["testing", "testing", ["testing", true], ["testing", true]],
    ["testing", "passed", ["enforce", false], ["testing", true]],
    ["testing", "mx_lost", ["none", false], ["none", true]],
    ["testing", "mx_found", ["testing", false], ["testing", true]],
    ["enforce", "enforce", ["enforce", false], ["enforce", true]],
    ["enforce", "testing", ["testing", true], ["testing", true]],
    ["enforce", "passed", ["enforce", false], ["enforce", true]],
    ["enforce", "mx_lost", ["none", false], ["none", true]],
    ["enforce", "mx_found", ["enforce", false], ["enforce", true]],
    ["none", "enforce", null, null],
    ["none", "testing", null, null],
    ["none", "passed", ["none", false], ["none", true]],
    ["none", "mx_lost", ["none", false], ["none", true]],
    ["none", "mx_found", ["testing", false], ["testing", true]],
  ];

  it.each(table)("from %s after %s are as the table says", (mode, event, free, held) => {
    const state = (next: [PolicyMode, boolean] | null) => next && { mode: next[0], isHeld: next[1] };
    expect(nextPolicy({ mode, isHeld: false }, event)).toEqual(state(free));
    expect(nextPolicy({ mode, isHeld: true }, event)).toEqual(state(held));
  });

  it("are all in the table", () => {
    const steps = Object.entries(policySteps).flatMap(([mode, events]) =>
      Object.keys(events).map((event) => [mode, event]),
    );
    expect(table.map(([mode, event]) => [mode, event])).toEqual(expect.arrayContaining(steps));
    expect(table).toHaveLength(steps.length);
  });
});

describe("the test of a policy", () => {
  const passed = {
    ...{ since: NOW - TEST_MS, now: NOW, isPublished: true, findings: ["dmarc_missing"], reports: 1, failures: 0 },
  };

  it.each([
    ["passes after 14 days with a report and no failure", {}, null],
    ["takes 14 days", { since: NOW - TEST_MS + 1 }, "time"],
    ["needs its records and its host", { isPublished: false }, "records"],
    ["needs a report", { reports: 0 }, "no_report"],
    ["fails by one failure, whatever the number of reports", { reports: 500, failures: 1 }, "failures"],
    ["fails while an MX record leads elsewhere", { findings: ["mx_partly_elsewhere"] }, "findings"],
    ["fails while the policy does not name a server", { findings: ["mta_sts_other_mx"] }, "findings"],
    ["fails while TLS fails", { findings: ["tls_failures"] }, "findings"],
  ] as const)("%s", (_, change, blocker) => {
    expect(blockerOf({ ...passed, ...change })).toBe(blocker);
  });
});

it("a policy that enforces is kept for longer than senders keep it, and another one as it was known", () => {
  expect(keptUntil("enforce", null, NOW)).toBe(NOW + KEPT_MS);
  expect(KEPT_MS).toBeGreaterThan(POLICY_SECONDS.enforce * 1_000);
  expect(keptUntil("testing", NOW + DAY, NOW)).toBe(NOW + DAY);
  expect(keptUntil("none", null, NOW)).toBeNull();
});

it("only a policy that enforces is kept for weeks", () => {
  expect(POLICY_SECONDS).toEqual({ testing: 86_400, enforce: 14 * 86_400, none: 86_400 });
});
