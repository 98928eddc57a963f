import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { countExactly, countFailure } from "../../../src/platform/rate-limits/exact.ts";
import { hourlyPolicy } from "../../../src/platform/rate-limits/rules.ts";
import { register, uniqueDomainName } from "../../support/domains.ts";
import { aKey, apiOn, aWorkspace, perTest, type TestWorkspace, testContext } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const workspace = perTest(aWorkspace);

afterEach(() => {
  vi.useRealTimers();
});

const limits = (registrations: number, verifications = 120) => ({
  DOMAIN_REGISTRATIONS_PER_HOUR: String(registrations),
  DOMAIN_VERIFICATIONS_PER_HOUR: String(verifications),
});
const post = (api: Pick<TestWorkspace, "post">, path = "/v1/domains/", body: unknown = { name: uniqueDomainName() }) =>
  api.post(path, body);

describe("an exact limit", () => {
  it("allows exactly its number of 200 concurrent calls, for each subject and policy alone", async () => {
    const ctx = testContext();
    const policy = hourlyPolicy("tests", 30);
    const count = async (subject: string, used = policy) => {
      const calls = Array.from({ length: 200 }, () => countExactly(ctx, used, subject));
      return (await Promise.all(calls)).filter(({ isAllowed }) => isAllowed).length;
    };
    expect(await Promise.all([count("a"), count("b")])).toEqual([30, 30]);
    expect(await count("a")).toBe(0);
    expect(await count("a", hourlyPolicy("other tests", 7))).toBe(7);
  });

  it("allows calls again when the first ones are an hour old", async () => {
    const ctx = testContext();
    const policy = hourlyPolicy("windows", 2);
    const start = Date.now();
    const decideAt = (now: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now });
      return countExactly(ctx, policy, "subject");
    };
    expect(await decideAt(start)).toEqual({ isAllowed: true });
    expect(await decideAt(start + 1_000)).toEqual({ isAllowed: true });
    expect(await decideAt(start + HOUR - 1)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(await decideAt(start + HOUR)).toEqual({ isAllowed: true });
    expect(await decideAt(start + HOUR + 999)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(await decideAt(start + HOUR + 1_000)).toEqual({ isAllowed: true });
  });

  it("keeps a success for 90 days, and nothing beside it after the alarm of the window", async () => {
    const limits = {
      network: [hourlyPolicy("of-network", 3), "a"],
      target: [hourlyPolicy("of-target", 3), "a"],
    } as const;
    const { exceeded, succeeded } = await countFailure(testContext(), limits);
    expect(exceeded).toBeNull();
    await succeeded();
    const stub = env.RATE_LIMITER.getByName("of-network/a");
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await runInDurableObject(stub, (_, { storage }) => storage.list())).toEqual(
      new Map([["succeeded-at", expect.any(Number)]]),
    );
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 91 * 24 * HOUR });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await runInDurableObject(stub, async (_, { storage }) => (await storage.list()).size)).toBe(0);
  });

  it("stores at most its number of times, and nothing after its alarm", async () => {
    const policy = hourlyPolicy("storage", 3);
    for (let call = 0; call < 10; call++) await countExactly(testContext(), policy, "subject");
    const stub = env.RATE_LIMITER.getByName("storage/subject");
    const stored = () => runInDurableObject(stub, (_, { storage }) => storage.list());
    expect([...(await stored()).values()]).toEqual([[expect.any(Number), expect.any(Number), expect.any(Number)]]);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect((await stored()).size).toBe(0);
  });
});

describe("POST /v1/domains/ beyond the registrations of an hour", () => {
  it("returns 429 with Retry-After and RateLimit-Policy to every key of the workspace, not to other workspaces", async () => {
    const api = apiOn(limits(3), workspace.apiKey);
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(api)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(9).fill(429)]);
    const refused = await post(apiOn(limits(3), await aKey(workspace)));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(3_500);
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(3_600);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"domain-registrations";q=3;w=3600');
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("3 domain registrations") });
    expect((await post(apiOn(limits(3), (await aWorkspace()).apiKey))).status).toBe(201);
  });

  it("returns 401 and 403 first, 429 before 413, 415 and 422, and counts calls with a bad body", async () => {
    const api = apiOn(limits(2), workspace.apiKey);
    const viewer = apiOn(limits(2), await aKey(workspace, { scopes: ["domains:view"] }));
    for (let call = 0; call < 5; call++) expect((await post(viewer)).status).toBe(403);
    expect((await post(api, "/v1/domains/", { name: "co.uk" })).status).toBe(422);
    expect((await api.call("POST", "/v1/domains/", "x", { "Content-Type": "text/plain" })).status).toBe(415);
    expect((await api.call("POST", "/v1/domains/", "x", { "Content-Type": "text/plain" })).status).toBe(429);
    expect((await post(api, "/v1/domains/", { name: "x".repeat(9_000_000) })).status).toBe(429);
    expect((await post(viewer)).status).toBe(403);
    expect((await post(apiOn(limits(2), null))).status).toBe(401);
  });
});

describe("POST /v1/domains/{domain_id}/verify beyond the verifications of an hour", () => {
  it("returns 429, whatever the domain, and registration goes on", async () => {
    const api = apiOn(limits(30, 2), workspace.apiKey);
    const [one, two] = [await register(workspace), await register(workspace)];
    const verify = (id: string) => api.post(`/v1/domains/${id}/verify`, undefined);
    expect([(await verify(one.id)).status, (await verify("nonsense")).status]).toEqual([200, 404]);
    const refused = await verify(two.id);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"domain-verifications";q=2;w=3600');
    expect((await post(api)).status).toBe(201);
    expect((await api.get(`/v1/domains/${two.id}`)).status).toBe(200);
  });
});
