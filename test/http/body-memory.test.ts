import { describe, expect, it, vi } from "vitest";
import { BodyBudget, type BudgetLimits, UNKNOWN_CALLER } from "../../src/http/body-budget.ts";
import { BodyStream } from "../../src/http/body-stream.ts";
import { smallBodies } from "../../src/http/early-body.ts";
import { largeBodies } from "../../src/http/json-body.ts";
import { byExtent } from "../support/extent.ts";
import { aMail, aWorkspace, type TestWorkspace, until } from "../support/workspace.ts";

const MIB = 1024 * 1024;

/** A body of `text`, of which the last byte never comes until `end` is called. */
function stalledBody(text: string) {
  const gate = Promise.withResolvers<void>();
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream({
    async pull(controller) {
      if (at === bytes.length) return controller.close();
      if (at === bytes.length - 1) await gate.promise;
      const next = Math.max(Math.min(at + 65_536, bytes.length - 1), at + 1);
      controller.enqueue(bytes.slice(at, next));
      at = next;
    },
  });
  return { body, end: () => gate.resolve() };
}

const apiOf = (workspace: TestWorkspace) => workspace.withoutQueue;
const json = { "Content-Type": "application/json" };
const fileOf = (bytes: number) => ({ filename: "a.bin", content_base64: "AAAA".repeat(bytes / 3) });

describe("a body budget", () => {
  const limits: BudgetLimits = { total: 100, perWorkspace: 60, unknownCallers: 30, tries: 3, pollMs: 1 };

  it("gives unknown callers a share of their own, and moves their bytes to a workspace that has room", async () => {
    const budget = new BodyBudget(limits);
    const [unknown, second, own] = [budget.open(UNKNOWN_CALLER), budget.open(UNKNOWN_CALLER), budget.open(7)];
    expect([unknown.tryGrowTo(30), second.tryGrowTo(1)]).toEqual([true, false]);
    await own.growTo(40);
    await expect(unknown.moveTo(7)).rejects.toMatchObject({ status: 429 });
    expect(budget.held).toBe(70);
    own.free();
    await unknown.moveTo(7);
    expect([budget.held, second.tryGrowTo(30), own.tryGrowTo(31)]).toEqual([30, true, false]);
    for (const hold of [unknown, second, own]) hold.free();
    expect(budget.held).toBe(0);
  });

  it("refuses with 429, Retry-After and RateLimit-Policy when there is no room after all tries", async () => {
    const budget = new BodyBudget(limits);
    await budget.open(1).growTo(60);
    const refusal = budget.open(1).growTo(1);
    await expect(refusal).rejects.toMatchObject({
      status: 429,
      extra: {
        headers: {
          "Retry-After": expect.stringMatching(/^\d+$/),
          "RateLimit-Policy": '"request-bodies";q=60;qu="content-bytes"',
        },
      },
    });
    expect(budget.held).toBe(60);
  });

  it("lets a waiting body go on as soon as another one is released", async () => {
    const budget = new BodyBudget({ ...limits, tries: 1_000 });
    const first = budget.open(1);
    await first.growTo(50);
    const second = budget.open(1);
    const waiting = second.growTo(30);
    first.free();
    await waiting;
    expect(budget.held).toBe(30);
    second.free();
    expect(budget.held).toBe(0);
  });

  it("keeps room for other workspaces, and refuses with 413 what a workspace may never hold", async () => {
    const budget = new BodyBudget(limits);
    await budget.open(1).growTo(60);
    await expect(budget.open(1).growTo(1)).rejects.toMatchObject({ status: 429 });
    await budget.open(2).growTo(40);
    await expect(budget.open(3).growTo(61)).rejects.toMatchObject({ status: 413 });
  });

  it("grows a hold to the greatest size asked for, and releases all of it once", async () => {
    const budget = new BodyBudget(limits);
    const hold = budget.open(1);
    for (const bytes of [10, 30, 20]) await hold.growTo(bytes);
    expect(budget.held).toBe(30);
    hold.free();
    hold.free();
    expect(budget.held).toBe(0);
  });
});

describe("a slow client", () => {
  const pace = { idleMs: 20, minBytesPerSecond: 1_000_000 };

  it("that sends nothing is 408", async () => {
    const stream = new BodyStream(new ReadableStream({ pull: () => new Promise(() => {}) }), false, pace);
    await expect(stream.next()).rejects.toMatchObject({ status: 408 });
  });

  it("that sends below the minimum rate is 408, however steadily", async () => {
    const trickle = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new Uint8Array(1));
      },
    });
    const stream = new BodyStream(trickle, false, pace);
    const read = async () => {
      for (let chunks = 0; chunks < 1_000; chunks++) await stream.next();
    };
    await expect(read()).rejects.toMatchObject({ status: 408 });
  });

  it("is not blamed for the time in which the service waits", async () => {
    const twoChunks = new ReadableStream({
      start(controller) {
        for (let chunk = 0; chunk < 2; chunk++) controller.enqueue(new Uint8Array(1));
        controller.close();
      },
    });
    const stream = new BodyStream(twoChunks, false, { ...pace, idleMs: 15_000 });
    await stream.next();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    expect(await stream.next()).toHaveLength(1);
    vi.useRealTimers();
  });
});

describe("stalled uploads of one workspace, far more than fit", () => {
  it("hold a bounded number of bytes, and large and small bodies of others are served meanwhile", async () => {
    const [attacker, other] = await Promise.all([aWorkspace(), aWorkspace()]);
    const text = JSON.stringify(aMail(attacker, { attachments: [fileOf(3 * MIB)] }));
    const uploads = Array.from({ length: byExtent({ quick: 30, full: 100, long: 100 }) }, () => stalledBody(text));
    const responses = uploads.map(({ body }) => apiOf(attacker).call("POST", "/v1/emails/", body, json));
    await until(
      async () => largeBodies.held,
      (held) => held > 0.8 * largeBodies.limits.perWorkspace,
    );
    expect(largeBodies.held).toBeLessThanOrEqual(largeBodies.limits.perWorkspace);
    const attachments = [fileOf(8 * 3 * 349_525)];
    const served = await Promise.all([
      apiOf(other).post("/v1/emails/", aMail(other, { attachments })),
      apiOf(other).post("/v1/emails/", aMail(other, { html: "é".repeat(2_000_000) })),
      apiOf(other).post("/v1/emails/", aMail(other)),
      apiOf(attacker).post("/v1/emails/", aMail(attacker)),
      apiOf(other).get("/v1/emails/"),
    ]);
    expect(served.map(({ status }) => status)).toEqual([202, 202, 202, 202, 200]);
    for (const { end } of uploads) end();
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 202 && status !== 429)).toEqual([]);
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(0);
    expect([largeBodies.held, smallBodies.held]).toEqual([0, 0]);
  }, 120_000);

  it("give everything back when the connections break", async () => {
    const workspace = await aWorkspace();
    const broken = () => {
      let sent = 0;
      return new ReadableStream({
        pull(controller) {
          if (sent++ === 0) controller.enqueue(new TextEncoder().encode(`{"html":"${"x".repeat(200_000)}`));
          else controller.error(new Error("the connection broke"));
        },
      });
    };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => apiOf(workspace).call("POST", "/v1/emails/", broken(), json)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]));
    expect([largeBodies.held, smallBodies.held]).toEqual([0, 0]);
  });
});

describe("a JSON bomb", () => {
  const bombs: [string, string, number][] = [
    ["7.8 MB of nested arrays", `{"x":${"[".repeat(3_900_000)}${"]".repeat(3_900_000)}}`, 422],
    ["7.8 MB of empty arrays", `{"x":[${"[],".repeat(2_600_000)}[]]}`, 413],
    ["8 MB of objects with one key each", `{"x":[${'{"a":1},'.repeat(1_000_000)}1]}`, 413],
    ["30 MB of one number", `{"x":${"1".repeat(30_000_000)}}`, 422],
    ["30 MB of one key", `{"${"k".repeat(30_000_000)}":1}`, 422],
    ["30 MB of nested arrays in an item of a list", `[${"[".repeat(15_000_000)}${"]".repeat(15_000_000)}]`, 413],
  ];
  for (const [what, text, status] of bombs) {
    it(`of ${what} is ${status}, and holds at most a workspace's share`, async () => {
      const workspace = await aWorkspace();
      const path = text.startsWith("[") ? "/v1/emails/batch" : "/v1/emails/";
      const response = await workspace.post(path, text);
      expect(response.status).toBe(status);
    });
  }

  it("in one item of a batch is that item's error; the others are sent", async () => {
    const workspace = await aWorkspace();
    const good = JSON.stringify(aMail(workspace, { text: "x".repeat(70_000) }));
    const deep = `${good.slice(0, -1)},"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const level = (count: number) => `${good.slice(0, -1)},"x":${"[".repeat(count)}${"]".repeat(count)}}`;
    const response = await workspace.post("/v1/emails/batch", `[${good},${deep},${level(31)},${level(32)},${good}]`);
    expect(response.status).toBe(202);
    const { results } = await response.json<{ results: { status: string; rejection_reason: string | null }[] }>();
    expect(results.map(({ status }) => status)).toEqual(["queued", "error", "queued", "error", "queued"]);
    expect(results[1]?.rejection_reason).toMatch(/^x\.0.*: Nested deeper than 32 levels$/);
  });
});
