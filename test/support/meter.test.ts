import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createContext } from "../../src/platform/create-context.ts";
import { onShard } from "../../src/platform/jobs/shards.ts";
import { claimStatements } from "../../src/platform/outbox/claim.ts";
import { newLease } from "../../src/platform/outbox/lease.ts";
import { countExactly } from "../../src/platform/rate-limits/exact.ts";
import { hourlyPolicy } from "../../src/platform/rate-limits/rules.ts";
import { database, FILE_SHARD } from "./databases.ts";
import { Meter, metered } from "./meter.ts";
import { formatCalls, splitAtResponse, Trace, toHops } from "./trace.ts";

/** The Worker's bindings without those that the test runner adds. */
const bindings = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("__"))) as unknown as Env;
const policy = hourlyPolicy("bench", 10);

describe("the meter of the bench", () => {
  it("counts the calls of every kind of binding", async () => {
    const meter = new Meter();
    const measured = metered(bindings, meter);
    await measured.DB.prepare("SELECT 1 AS one").first();
    await measured.DB.batch([measured.DB.prepare("SELECT ?1").bind(1), measured.DB.prepare("SELECT 2")]);
    await measured.CONTENT.put("bench/one", "content");
    await measured.CONTENT.get("bench/one");
    await measured.CONTENT.delete("bench/one");
    await measured.WORK.sendBatch(["a", "b", "c"].map((body) => ({ body })));
    await measured.SEND_RATE_LIMIT.limit({ key: "bench" });
    await countExactly(createContext(measured, "bench"), policy, crypto.randomUUID());
    expect(meter.take()).toMatchObject({
      d1Calls: 2,
      r2ClassA: 1,
      r2ClassB: 1,
      queueOperations: 3,
      rateLimitCalls: 1,
      durableObjectRequests: 1,
    });
    expect(Object.values(meter.take()).every((count) => count === 0)).toBe(true);
  });

  it("counts each call of a multipart upload", async () => {
    const meter = new Meter();
    const upload = await metered(bindings, meter).CONTENT.createMultipartUpload("bench/parts");
    await upload.complete([await upload.uploadPart(1, "content")]);
    expect(meter.take().r2ClassA).toBe(3);
  });

  it("counts the rows of a claim, and no claim that gets none", async () => {
    const meter = new Meter();
    const ctx = onShard(createContext(metered(bindings, meter), "bench"), FILE_SHARD);
    const rows = [1, 2, 3].map((dueAt) => ({ dueAt, id: crypto.randomUUID(), kind: "deliver" as const }));
    for (const { dueAt, id } of rows) {
      await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'deliver', '[0]')", [dueAt, id]);
    }
    await ctx.outbox.batch([claimStatements(ctx, rows, newLease(ctx), { addsDue: false }).claim]);
    await ctx.outbox.batch([claimStatements(ctx, rows, newLease(ctx), { addsDue: false }).claim]);
    expect(meter.take()).toMatchObject({ d1Calls: 2, claims: 1, claimedRows: 3 });
  });

  it("refuses a binding and a D1 method that it does not count", () => {
    class Pipeline {}
    expect(() => metered({ ...bindings, NEW: new Pipeline() } as Env, new Meter())).toThrow("NEW, a Pipeline");
    expect(() => metered(bindings, new Meter()).DB.exec("SELECT 1")).toThrow("D1Database.exec");
  });
});

describe("the trace of a request", () => {
  it("shows binding calls in their order, calls that overlap in one hop, and calls after the response apart", async () => {
    const trace = new Trace();
    const measured = metered(bindings, new Meter(), trace);
    await measured.DB.prepare("SELECT 1").first();
    await Promise.all([measured.DB.batch([measured.DB.prepare("SELECT 2")]), measured.CONTENT.get("bench/none")]);
    await measured.SEND_RATE_LIMIT.limit({ key: "bench" });
    await countExactly(createContext(measured, "bench"), policy, crypto.randomUUID());
    trace.respond();
    await measured.WORK.send("after");
    const { before, after } = splitAtResponse(trace.read());
    expect(formatCalls(before)).toBe("D1 first > D1 batch of 1 + R2 get > rate limit > Durable Object decide");
    expect(formatCalls(after)).toBe("queue send");
  });

  it("has as many hops as its longest chain of calls that do not overlap", () => {
    const call = (start: number, end: number | null) => ({ kind: "D1" as const, method: "first", start, end });
    expect(toHops([])).toHaveLength(0);
    expect(toHops([call(1, 2), call(3, 4), call(5, 6)])).toHaveLength(3);
    expect(toHops([call(1, 6), call(2, 3), call(4, 5)])).toHaveLength(2);
    expect(toHops([call(1, null), call(2, 3), call(4, 5)])).toHaveLength(2);
  });

  it("counts a call that ends after the response as a call after the response", async () => {
    const trace = new Trace();
    const slow = trace.record("queue", "send", () => new Promise((resolve) => setTimeout(resolve, 5)));
    trace.respond();
    await slow;
    expect(splitAtResponse(trace.read())).toMatchObject({ before: [], after: [{ kind: "queue" }] });
  });
});
