import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideCall,
  formatPolicy,
  hourlyPolicy,
  isSendRoute,
  requestPolicies,
  sendPolicies,
} from "../../../src/platform/rate-limits/rules.ts";
import { readSettings } from "../../../src/platform/settings/settings.ts";
import wranglerToml from "../../../wrangler.toml?raw";
import { routeScopes } from "../../support/route-tests.ts";

const policy = { name: "calls", limit: 3, windowSeconds: 10 };

describe("decideCall", () => {
  it("allows `limit` calls and refuses the next with the time until the oldest leaves the window", () => {
    expect(decideCall([], policy, 1_000)).toEqual({ decision: { isAllowed: true }, times: [1_000] });
    expect(decideCall([1_000, 2_000], policy, 3_000).times).toEqual([1_000, 2_000, 3_000]);
    const refused = decideCall([1_000, 2_000, 3_000], policy, 4_001);
    expect(refused).toEqual({
      decision: { isAllowed: false, retryAfterSeconds: 7 },
      times: [1_000, 2_000, 3_000],
    });
  });

  it("allows a call to the millisecond when the oldest leaves the window", () => {
    const times = [1_000, 2_000, 3_000];
    expect(decideCall(times, policy, 10_999).decision).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(decideCall(times, policy, 11_000)).toEqual({
      decision: { isAllowed: true },
      times: [2_000, 3_000, 11_000],
    });
  });

  it("allows no extra call when the clock is set back, and never asks to wait longer than a window", () => {
    const decided = decideCall([50_000, 50_000, 50_000], policy, 1_000);
    expect(decided.decision).toEqual({ isAllowed: false, retryAfterSeconds: 10 });
  });

  it("refuses every call under a limit of zero, and counts more stored calls than a lowered limit", () => {
    expect(decideCall([], { ...policy, limit: 0 }, 5).decision).toEqual({ isAllowed: false, retryAfterSeconds: 10 });
    const lowered = decideCall([1_000, 2_000, 3_000], { ...policy, limit: 2 }, 4_000);
    expect(lowered.decision).toEqual({ isAllowed: false, retryAfterSeconds: 8 });
  });

  it("in any sequence no window has more than `limit` allowed calls, and retryAfterSeconds is sufficient", () => {
    const gaps = fc.array(fc.nat({ max: 6_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 5 }), (waits, limit) => {
        const allowed: number[] = [];
        let times: number[] = [];
        let now = 1_000_000;
        for (const wait of waits) {
          now += wait;
          const result = decideCall(times, { ...policy, limit }, now);
          times = result.times;
          if (result.decision.isAllowed) allowed.push(now);
          else {
            const later = now + result.decision.retryAfterSeconds * 1000;
            expect(decideCall(times, { ...policy, limit }, later).decision.isAllowed).toBe(true);
          }
          expect(times.length).toBeLessThanOrEqual(limit);
        }
        for (const start of allowed) {
          expect(allowed.filter((time) => time >= start && time < start + 10_000).length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});

describe("the limits of production", () => {
  it("are 600 requests and 6,000 sends a minute of a credential and ten times as many of a workspace, in wrangler.toml and in the policies", () => {
    const found = [
      ...wranglerToml.matchAll(/name = "(\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = (\d+) \}/g),
    ];
    expect(found.map(([, name, limit, period]) => [name, Number(limit), Number(period)])).toEqual([
      ["REQUEST_RATE_LIMIT", 600, 60],
      ["SEND_RATE_LIMIT", 6_000, 60],
      ["WORKSPACE_REQUEST_RATE_LIMIT", 6_000, 60],
      ["WORKSPACE_SEND_RATE_LIMIT", 60_000, 60],
    ]);
    const policies = [requestPolicies, sendPolicies].flatMap(({ credential, workspace }) => [credential, workspace]);
    expect(policies.map(formatPolicy)).toEqual([
      '"requests";q=600;w=60',
      '"workspace-requests";q=6000;w=60',
      '"sends";q=6000;w=60',
      '"workspace-sends";q=60000;w=60',
    ]);
  });

  it("are 30 domain registrations and 120 verifications an hour unless variables say otherwise", () => {
    const MASTER_KEYS = `1:${btoa("x".repeat(32))}`;
    expect(readSettings({ MASTER_KEYS })).toMatchObject({
      domainRegistrationsPerHour: 30,
      domainVerificationsPerHour: 120,
    });
    expect(wranglerToml).not.toContain("_PER_HOUR");
    expect(formatPolicy(hourlyPolicy("domain-registrations", 30))).toBe('"domain-registrations";q=30;w=3600');
  });

  it("the sending routes count as sends, and they exist", () => {
    const sends = Object.keys(routeScopes).filter(isSendRoute);
    expect(sends.sort()).toEqual([
      "POST /compat/resend/emails",
      "POST /compat/resend/emails/batch",
      "POST /gateway/submissions",
      "POST /v1/emails/",
      "POST /v1/emails/batch",
      "POST /v1/events",
      "POST /v1/events/batch",
    ]);
  });
});
