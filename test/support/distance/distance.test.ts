import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { createContext } from "../../../src/platform/create-context.ts";
import { countExactly } from "../../../src/platform/rate-limits/exact.ts";
import { hourlyPolicy } from "../../../src/platform/rate-limits/rules.ts";
import { expectSince } from "../expect-since.ts";
import { advanceClock, runningNow, stopClock } from "./clock.ts";
import { asInvocation, currentInvocation, Invocation } from "./invocation.ts";
import { Remote } from "./remote.ts";
import { type Distance, ERRORS, FAR, fateOf, readDistance } from "./rules.ts";

/** The Worker's bindings without those that the test runner adds. */
const bindings = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("__"))) as unknown as Env;
const NEAR: Distance = {
  ...FAR,
  d1Ms: 0,
  statementMs: 0,
  commitMs: 0,
  rowMs: 0,
  r2Ms: 0,
  queueMs: 0,
  objectMs: 0,
  jitter: 0,
};

/** Returns bindings at a distance, and a clock that is moved by their waits alone. */
function at(distance: Partial<Distance>) {
  let now = 0;
  const wait = async (ms: number) => {
    const end = now + ms;
    await null;
    now = Math.max(now, end);
  };
  const remote = new Remote({ ...NEAR, ...distance }, { now: () => now, wait });
  /** Returns the milliseconds that the calls of work wait. */
  const millisecondsOf = async (work: () => Promise<unknown>) => {
    const start = now;
    await work();
    return now - start;
  };
  return { remote, far: remote.bindingsOf(bindings), millisecondsOf };
}

describe("bindings at a distance", () => {
  it("answer after their round trip", async () => {
    const { far, millisecondsOf } = at({ d1Ms: 30, r2Ms: 40, queueMs: 50, objectMs: 20 });
    const policy = hourlyPolicy("distance", 10);
    expect(await millisecondsOf(() => far.DB.prepare("SELECT 1").first())).toBe(30);
    expect(await millisecondsOf(() => far.CONTENT.get("distance/none"))).toBe(40);
    expect(await millisecondsOf(() => far.HITS.sendBatch([]).catch(() => {}))).toBe(50);
    const count = () => countExactly(createContext(far, "distance"), policy, crypto.randomUUID());
    expect(await millisecondsOf(count)).toBe(20);
  });

  it("vary by the jitter", async () => {
    const { far, millisecondsOf } = at({ d1Ms: 20, jitter: 1 });
    const times: number[] = [];
    for (let call = 0; call < 4; call++) times.push(await millisecondsOf(() => far.DB.prepare("SELECT 1").first()));
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(5);
  });

  it("fail at the same calls for the same seed", async () => {
    const errorsOf = async (seed: number) => {
      const { far } = at({ overloaded: 0.3, ambiguous: 0.3, seed });
      const errors: string[] = [];
      for (let call = 0; call < 20; call++) {
        const error = await far.DB.prepare("SELECT 1")
          .first()
          .then(() => "", String);
        errors.push(error);
      }
      return errors;
    };
    const errors = await errorsOf(7);
    expect(await errorsOf(7)).toEqual(errors);
    expect(await errorsOf(8)).not.toEqual(errors);
    expect(new Set(errors).size).toBe(3);
  });

  it("have databases that execute one call after the other, each on its own; a round trip occupies none", async () => {
    const { remote, far, millisecondsOf } = at({ d1Ms: 20, statementMs: 15 });
    const call = () => far.DB.batch([far.DB.prepare("SELECT 1"), far.DB.prepare("SELECT 2")]);
    const work = () => Promise.all([call(), call(), call(), call(), far.MAIL_0.prepare("SELECT 1").all()]);
    expect(await millisecondsOf(work)).toBe(20 + 4 * 30);
    expect(remote.take().busyMs).toEqual({ DB: 120, MAIL_0: 15 });
    expect(remote.take().busyMs).toEqual({});
  });

  it("have databases that are busier when they write", async () => {
    const { remote, far } = at({ statementMs: 1, commitMs: 5, rowMs: 2 });
    const insert = "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'distance', '', 0)";
    const { meta } = await far.DB.prepare(insert).bind(crypto.randomUUID()).run();
    expect(meta.rows_written).toBeGreaterThan(0);
    expect(remote.take().busyMs.DB).toBe(1 + 5 + 2 * meta.rows_written);
  });

  it("refuse their share of calls as overloaded, and then have done nothing", async () => {
    const { remote, far } = at({ overloaded: 1 });
    const key = `distance/${crypto.randomUUID()}`;
    await expect(far.DB.prepare("SELECT 1").first()).rejects.toThrow(ERRORS.D1.overloaded);
    await expect(far.CONTENT.put(key, "content")).rejects.toThrow(ERRORS.R2.overloaded);
    await expect(far.HITS.sendBatch([])).rejects.toThrow(ERRORS.queue.overloaded);
    expect(await bindings.CONTENT.head(key)).toBeNull();
    expect(remote.take().ended).toMatchObject({ fair: 0, overloaded: 3 });
  });

  it("lose the connection of their share of calls, half of them before the work and half after it", async () => {
    const { far } = at({ ambiguous: 1 });
    const keys = Array.from({ length: 24 }, () => `distance/${crypto.randomUUID()}`);
    const results = await Promise.allSettled(keys.map((key) => far.CONTENT.put(key, "content")));
    expect(
      results.every((result) => result.status === "rejected" && String(result.reason).includes(ERRORS.R2.lost)),
    ).toBe(true);
    const stored = (await Promise.all(keys.map((key) => bindings.CONTENT.head(key)))).filter(
      (object) => object !== null,
    );
    expect(stored.length).toBeGreaterThan(4);
    expect(stored.length).toBeLessThan(20);
  });

  it("answer their share of calls late", async () => {
    const { far, millisecondsOf } = at({ slow: 1, slowMs: 80 });
    expect(await millisecondsOf(() => far.DB.prepare("SELECT 1").first())).toBe(80);
  });

  it("fail in the shares that were asked for", () => {
    const shares = { ...NEAR, overloaded: 0.1, ambiguous: 0.2, slow: 0.3 };
    const fates = [0, 0.099, 0.11, 0.21, 0.31, 0.59, 0.61, 0.99].map((random) => fateOf(shares, random));
    expect(fates).toEqual(["overloaded", "overloaded", "lost-before", "lost-after", "slow", "slow", "fair", "fair"]);
    expect(readDistance({})).toBeNull();
    expect(readDistance({ DISTANCE: '{"slow":0.5}' })).toEqual({ ...FAR, slow: 0.5 });
  });
});

describe("an invocation", () => {
  it("has six connections: a further call waits until one is free, and sockets hold theirs while they are open", async () => {
    const invocation = new Invocation();
    const gates = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
    let [running, most] = [0, 0];
    const calls = gates.map(({ promise }) =>
      invocation.connected(async () => {
        running += 1;
        most = Math.max(most, running);
        await promise.finally(() => {
          running -= 1;
        });
      }),
    );
    await expect.poll(() => running).toBe(6);
    for (const { resolve } of gates) resolve();
    await Promise.all(calls);
    expect(most).toBe(6);

    const closed = Promise.withResolvers<void>();
    for (let socket = 0; socket < 6; socket++) invocation.hold(closed.promise);
    let isDone = false;
    const call = invocation.connected(async () => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(isDone).toBe(false);
    closed.resolve();
    await call;
  });

  it("counts calls to D1, R2 and queues as connections, those of each invocation on their own", async () => {
    const { far, millisecondsOf } = at({ d1Ms: 30, r2Ms: 30 });
    const seven = () =>
      asInvocation(() =>
        Promise.all(
          Array.from({ length: 7 }, (_, n) =>
            n % 2 === 0 ? far.DB.prepare("SELECT 1").first() : far.CONTENT.head("distance/none"),
          ),
        ),
      );
    expect(await millisecondsOf(seven)).toBe(60);
    expect(asInvocation(currentInvocation)).not.toBe(asInvocation(currentInvocation));
  });

  it("makes 1,000 D1 queries, those of a batch counted singly, and no further one", async () => {
    const { far } = at({});
    await asInvocation(async () => {
      const batch = Array.from({ length: 500 }, () => far.DB.prepare("SELECT 1"));
      await far.DB.batch(batch);
      await far.DB.batch(batch);
      await expect(far.DB.prepare("SELECT 1").first()).rejects.toThrow("Too many API requests");
    });
    await asInvocation(() => far.DB.prepare("SELECT 1").first());
  });
});

describe("the clock of an isolate", () => {
  let restore = () => {};
  afterEach(() => restore());

  it("stands still while the Worker computes, and goes on with a call or a timer", async () => {
    const far = new Remote({ ...NEAR, d1Ms: 20 }).bindingsOf(bindings);
    restore = stopClock();
    const times = () => [Date.now(), Date.parse(new Date().toISOString()), performance.now()];
    const before = times();
    for (const end = runningNow() + 15; runningNow() < end; );
    await null;
    expect(times()).toEqual(before);
    await far.DB.prepare("SELECT 1").first();
    const afterCall = times();
    for (const [index, time] of afterCall.entries()) expect(time).toBeGreaterThanOrEqual((before[index] ?? 0) + 15);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(Date.now()).toBeGreaterThan(afterCall[0] ?? 0);
    expect(new Date(5).getTime()).toBe(5);
    restore();
    const real = Date.now();
    advanceClock();
    expectSince(real, Date.now());
  });
});
