import { describe, expect, it } from "vitest";
import {
  type HostStatus,
  hostSteps,
  isOwner,
  nextStep,
  type Observation,
  observe,
} from "../../../src/domains/hosts/rules.ts";
import { testContext } from "../../support/workspace.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const statuses = Object.keys(hostSteps) as HostStatus[];

describe("the steps of a host", () => {
  const table: [HostStatus, Observation, HostStatus, string | null][] = [
    ["pending", "absent", "pending", "create"],
    ["pending", "waiting", "pending", null],
    ["pending", "ready", "active", null],
    ["pending", "expired", "pending", "restart"],
    ["pending", "blocked", "failed", null],
    ["pending", "moved", "failed", "restart"],
    ["pending", "refused", "failed", null],
    ["active", "ready", "active", null],
    ["active", "waiting", "pending", null],
    ["active", "absent", "pending", "create"],
    ["active", "expired", "failed", "restart"],
    ["active", "moved", "failed", "restart"],
    ["active", "blocked", "failed", null],
    ["failed", "ready", "active", null],
    ["failed", "waiting", "pending", null],
    ["failed", "absent", "failed", "create"],
    ["removing", "ready", "removing", "remove"],
    ["removing", "absent", "removing", "forget"],
  ];
  it.each(table)("from %s at %s lead to %s with the call %s", (from, seen, to, action) => {
    expect(nextStep(from, seen, 0)).toMatchObject({ to, action });
  });

  it("never leave a status because the API did not respond, and wait at least a minute", () => {
    for (const status of statuses) {
      expect(nextStep(status, "unavailable", 0)).toMatchObject({ to: status, action: null });
      for (const { waitMs } of Object.values(hostSteps[status])) expect(waitMs).toBeGreaterThanOrEqual(MINUTE);
    }
  });

  it("look at a certificate that is issued each minute for an hour, then each hour", () => {
    expect(nextStep("pending", "waiting", HOUR).waitMs).toBe(MINUTE);
    expect(nextStep("pending", "waiting", HOUR + 1).waitMs).toBe(HOUR);
  });
});

describe("a custom hostname", () => {
  const table: [status: string, certificate: string | null, Observation][] = [
    ["pending", null, "waiting"],
    ["pending", "active", "waiting"],
    ["active", "pending_validation", "waiting"],
    ["active", "active", "ready"],
    ["active_redeploying", "active", "ready"],
    ["active", "validation_timed_out", "expired"],
    ["active", "expired", "expired"],
    ["moved", "active", "moved"],
    ["deleted", "active", "moved"],
    ["blocked", "pending_validation", "blocked"],
    ["a new word", "active", "waiting"],
  ];
  it.each(table)("that is %s with the certificate %s is %s", (status, certificate, seen) => {
    expect(observe({ status, certificate })).toBe(seen);
  });
});

describe("the token of an email at a host", () => {
  const emailId = testContext().newId();
  const madeAt = Number.parseInt(emailId.slice(0, 8) + emailId.slice(9, 13), 16);
  it.each([
    ["of its workspace works", { workspace: 1, past: [] }, true],
    ["of another workspace does not", { workspace: 2, past: [] }, false],
    ["of a workspace that had the domain then works", { workspace: 2, past: [[1, madeAt]] }, true],
    ["that is younger than the transfer does not", { workspace: 2, past: [[1, madeAt - 1]] }, false],
    ["does not work at an unknown host", null, false],
  ] as const)("%s", (_, owners, works) => {
    expect(isOwner(owners, { workspace: 1, emailId })).toBe(works);
  });
});
