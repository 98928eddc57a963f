import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { BatchOut } from "../../../src/sending/emails/batch/schema.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, wrapDatabases } from "../../support/databases.ts";
import { type FailureInjection, failingDatabase, type Moment } from "../../support/failures.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

const count = async (table: "emails" | "changes" | "idempotency_keys") =>
  database.value(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?1`, [workspace.workspaceNumber]);
const objects = async () => (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects.length;
const mails = (many: number, changes: Record<string, unknown> = {}) =>
  Array.from({ length: many }, (_, i) => aMail(workspace, { to: [{ email: `f${i}@example.org` }], ...changes }));

describe("the work of the templates of a batch", () => {
  it("is 60,000,000 units, beyond which items are refused, and a next batch takes them", async () => {
    const api = apiWithoutQueue;
    const html_body = "{% assign r = x | append: x %}".repeat(45);
    const template = { name: "t", subject: "Hello", language: "liquid", html_body, text_body: "Hello" };
    const { id: template_id } = await (await api.post("/v1/templates/", template)).json<{ id: string }>();
    // 17,550,000 units: of 45 times 65,000 characters each is read and made twice, and counted by the package twice.
    const variables = { x: "x".repeat(65_000) };
    const items = mails(6, { subject: undefined, text: undefined, template_id, variables });
    const results = async (sent: typeof items) =>
      (await (await api.post("/v1/emails/batch", sent)).json<BatchOut>()).results;
    const first = await results(items);
    expect(first.map(({ status }) => status)).toEqual([...Array(4).fill("queued"), ...Array(2).fill("error")]);
    expect(first.at(-1)?.rejection_reason).toContain("60,000,000 characters for a batch");
    expect((await results(items.slice(4))).map(({ status }) => status)).toEqual(Array(2).fill("queued"));
  });
});

describe("limits of a D1 statement", () => {
  it("are kept with 25,000 recipients of long addresses and names, in a bounded number of round trips", async () => {
    const { bindings, trips } = countingDb();
    const items = Array.from({ length: 500 }, (_, i) =>
      aMail(workspace, {
        to: Array.from({ length: 50 }, (_, k) => ({
          email: `${`r${i}x${k}`.padEnd(60, "y")}@${"d".repeat(60)}.${"e".repeat(60)}.example.org`,
          name: "Ü".repeat(20),
        })),
      }),
    );
    const body = JSON.stringify(items);
    expect(body.length).toBeLessThan(8_000_000);
    const response = await apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey).post(
      "/v1/emails/batch",
      body,
    );
    expect(response.status, (await response.clone().text()).slice(0, 300)).toBe(202);
    expect((await response.json<BatchOut>()).sent).toBe(500);
    expect(await count("emails")).toBe(500);
    const sizes = trips.flatMap(({ statements }) =>
      statements.flatMap(({ values }) => values.map((value) => new TextEncoder().encode(String(value)).length)),
    );
    expect(Math.max(...sizes)).toBeLessThan(2_000_000);
    expect(trips.length).toBeLessThan(10);
  });

  it("are kept by the stored response, however long the invalid header names are", async () => {
    const items = [...mails(1), ...mails(7, { headers: { ["H".repeat(1_000_000)]: "x" } })];
    const call = () => apiWithoutQueue.post("/v1/emails/batch", items, { "Idempotency-Key": "long" });
    const response = await call();
    expect(response.status).toBe(202);
    const text = await response.text();
    expect((JSON.parse(text) as BatchOut).sent).toBe(1);
    for (const { rejection_reason } of (JSON.parse(text) as BatchOut).results.slice(1)) {
      expect(rejection_reason).toMatch(/^headers\.HHH/);
      expect(rejection_reason?.length).toBeLessThan(1_000);
    }
    expect(await (await call()).text()).toBe(text);
  });

  it("more than 250,000 JSON values are a 413; an item of 100,000 wrong tags fails alone", async () => {
    const values = aMail(workspace, { tags: Array(250_000).fill("") });
    expect((await apiWithoutQueue.post("/v1/emails/batch", [...mails(1), values])).status).toBe(413);
    const { sent, results } = await (
      await apiWithoutQueue.post("/v1/emails/batch", [
        ...mails(1),
        aMail(workspace, { tags: Array(100_001).fill("") }),
        ...mails(1),
      ])
    ).json<BatchOut>();
    expect(sent).toBe(2);
    expect(results[1]).toMatchObject({ id: null, status: "error" });
    expect(results[1]?.rejection_reason).toMatch(/^tags: There are 100001 entries/);
  });
});

describe("a bad string or bad nesting", () => {
  let nested: unknown = "deep";
  for (let i = 0; i < 40; i++) nested = [nested];
  const issues: [string, Record<string, unknown>, string][] = [
    ["NUL", { subject: "a\0b" }, "subject: NUL is not allowed"],
    ["a lone surrogate", { to: [{ email: "a@example.org", name: "\ud800" }] }, "to.0.name: "],
    ["nesting", { extra: nested }, "Nested deeper than 32 levels"],
  ];
  for (const [what, changes, reason] of issues) {
    it(`${what} refuses its item alone`, async () => {
      const items = JSON.stringify([...mails(1), aMail(workspace, changes), ...mails(1)]);
      const { sent, results } = await (await apiWithoutQueue.post("/v1/emails/batch", items)).json<BatchOut>();
      expect(sent).toBe(2);
      expect(results[1]).toMatchObject({ id: null, status: "error" });
      expect(results[1]?.rejection_reason).toContain(reason);
    });
  }
});

describe("a database that fails", () => {
  /** Returns a database that fails the calls numbered in `at`, before or after they run. */
  function failing(moment: Moment, at: readonly number[]) {
    let calls = 0;
    const random = () => {
      calls += 1;
      return at.includes(calls) ? 0 : 0.9;
    };
    const injection: FailureInjection = { random, chance: 0.5, bindings: ["database"], moments: [moment], count: 0 };
    return { injection, bindings: wrapDatabases((real) => failingDatabase(real, injection)) };
  }
  // The calls of a small batch: the credential with all reads, last_used_at, the commit and its tries. Of a large one: the
  // credential, last_used_at, the idempotency key, the check, the commit and its tries. A failure draws a second random
  // number for its moment.
  const plans: [string, number, number[][]][] = [
    ["small", 10, [[1], [2], [3], [3, 5], [3, 5, 7]]],
    ["large", 3_000, [[2], [3], [4], [5], [5, 7, 9]]],
  ];
  const cases = plans.flatMap(([size, length, positions]) => positions.map((at) => ({ size, length, at })));
  for (const moment of ["before", "after"] as const) {
    for (const { size, length, at } of cases) {
      it(`at call ${at.join()} of a ${size} batch ${moment} it runs: the call repeated with its key neither loses nor duplicates emails`, async () => {
        const items = [...mails(30).map((mail) => ({ ...mail, text: "x".repeat(length) })), "broken"];
        const { bindings, injection } = failing(moment, at);
        const first = await apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey).post(
          "/v1/emails/batch",
          items,
          {
            "Idempotency-Key": "k",
          },
        );
        const again = await apiWithoutQueue.post("/v1/emails/batch", items, { "Idempotency-Key": "k" });
        expect(injection.count).toBeGreaterThan(0);
        expect([202, 500]).toContain(first.status);
        expect(again.status).toBe(202);
        if (first.status === 202) expect(await again.text()).toBe(await first.text());
        expect(await count("emails")).toBe(30);
        expect(await count("changes")).toBe(1);
        expect(await count("idempotency_keys")).toBe(1);
      });
    }
  }
});

it("a batch that loses the race for its key deletes its object", async () => {
  const items = mails(3);
  const gate = Promise.withResolvers<void>();
  // The loser has not found its key, and waits before its R2 put until the winner has committed.
  const CONTENT = new Proxy(env.CONTENT, {
    get(bucket, name) {
      const value: unknown = Reflect.get(bucket, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (name === "put") await gate.promise;
        return Reflect.apply(value, bucket, args);
      };
    },
  });
  const loser = apiOn({ CONTENT, WORK: discardingQueue }, workspace.apiKey).post("/v1/emails/batch", items, {
    "Idempotency-Key": "race",
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const winner = await apiWithoutQueue.post("/v1/emails/batch", items, { "Idempotency-Key": "race" });
  gate.resolve();
  expect(await (await loser).text()).toBe(await winner.text());
  expect(await count("emails")).toBe(3);
  expect(await objects()).toBe(1);
});
