import { seeded } from "../failures.ts";
import { type Call, watchBindings } from "../watch-bindings.ts";
import type { DatabaseCall } from "../watch-database.ts";
import { advanceClock, runningNow, wait } from "./clock.ts";
import { connected, currentInvocation } from "./invocation.ts";
import { type Distance, ERRORS, type Fate, fateOf } from "./rules.ts";

/** The calls to the bindings of an isolate. */
export interface Traffic {
  /** Milliseconds that each database was busy, by its binding. */
  busyMs: Record<string, number>;
  /** Calls by the way they ended. */
  ended: Record<Fate, number>;
}

/** Does the work of a call that arrives at `at`, and returns the time at which its result leaves. */
type Work<Result> = (at: number) => Promise<{ result: Result; leavesAt: number }>;

/** Reads a time and waits, both in milliseconds. */
interface Clock {
  now(): number;
  wait(ms: number): Promise<void>;
}

/** The bindings of an isolate at a distance. Times are those of a clock that runs while the Worker computes. */
export class Remote {
  readonly #distance: Distance;
  readonly #random: () => number;
  readonly #clock: Clock;
  /** When each database has done the calls that it has, by its binding. */
  readonly #freeAt = new Map<string, number>();
  #traffic = noTraffic();

  constructor(distance: Distance, clock: Clock = { now: runningNow, wait }) {
    this.#distance = distance;
    this.#clock = clock;
    this.#random = seeded(distance.seed);
  }

  /** Returns `env` with bindings at this distance. */
  bindingsOf(env: Env): Env {
    const { r2Ms, queueMs, objectMs } = this.#distance;
    const far =
      (kind: "R2" | "queue", ms: number): Call =>
      (_, __, run) =>
        connected(() => this.#call(kind, ms, atOnce(run)));
    return watchBindings(env, {
      database: (name) => this.#databaseCall(name),
      bucket: far("R2", r2Ms),
      queue: far("queue", queueMs),
      // It counts on the machine that runs the Worker.
      rateLimit: (_, __, run) => run(),
      // A call to an object is no connection (developers.cloudflare.com/workers/platform/limits, 2026-09-05).
      object: (_, __, run) => this.#call("object", objectMs, atOnce(run)),
    });
  }

  /** Returns what the bindings have done since the last call. */
  take(): Traffic {
    const taken = this.#traffic;
    this.#traffic = noTraffic();
    return taken;
  }

  /**
   * A database executes one call after the other, so that it has a capacity: a call waits for those that arrived before it, and
   * occupies it for each of its statements and each row that it writes.
   */
  #databaseCall(name: string): DatabaseCall {
    const { d1Ms, statementMs, commitMs, rowMs } = this.#distance;
    return (_, statements, run) => {
      currentInvocation()?.countStatements(statements.length);
      const work = async (at: number) => {
        const reading = statements.length * statementMs;
        const startsAt = Math.max(at, this.#freeAt.get(name) ?? 0);
        this.#occupy(name, startsAt, reading);
        await this.#waitUntil(startsAt);
        const result = await run();
        const rows = result.reduce((sum, { meta }) => sum + meta.rows_written, 0);
        // The rows are known only now. Calls that have come meanwhile do not wait for them, later ones do.
        const writing = rows > 0 ? commitMs + rows * rowMs : 0;
        this.#occupy(name, this.#freeAt.get(name) ?? 0, writing);
        return { result, leavesAt: startsAt + reading + writing };
      };
      return connected(() => this.#call("D1", d1Ms, work));
    };
  }

  #occupy(name: string, from: number, ms: number): void {
    this.#freeAt.set(name, from + ms);
    this.#traffic.busyMs[name] = (this.#traffic.busyMs[name] ?? 0) + ms;
  }

  /** Runs a call with a round trip of about `ms`. What the local simulator takes is a part of that time. */
  async #call<Result>(kind: keyof typeof ERRORS, ms: number, work: Work<Result>): Promise<Result> {
    const { jitter, slowMs } = this.#distance;
    const oneWay = (ms / 2) * (1 + jitter * (2 * this.#random() - 1));
    const fate = fateOf(this.#distance, this.#random());
    this.#traffic.ended[fate] += 1;
    const arrivesAt = this.#clock.now() + oneWay + (fate === "slow" ? slowMs : 0);
    let leavesAt = arrivesAt;
    try {
      await this.#waitUntil(arrivesAt);
      if (fate === "overloaded") throw new Error(ERRORS[kind].overloaded);
      if (fate === "lost-before") throw new Error(ERRORS[kind].lost);
      const done = await work(arrivesAt);
      leavesAt = done.leavesAt;
      if (fate === "lost-after") throw new Error(ERRORS[kind].lost);
      return done.result;
    } finally {
      await this.#waitUntil(leavesAt + oneWay);
      advanceClock();
    }
  }

  /** Waits until less than a millisecond is left: a timer has whole milliseconds, and may end early. */
  async #waitUntil(time: number): Promise<void> {
    const { now, wait } = this.#clock;
    for (let ms = time - now(); ms >= 1; ms = time - now()) await wait(ms);
  }
}

const atOnce =
  <Result>(run: () => Promise<Result>): Work<Result> =>
  async (at) => ({ result: await run(), leavesAt: at });

const noTraffic = (): Traffic => ({
  busyMs: {},
  ended: { fair: 0, slow: 0, overloaded: 0, "lost-before": 0, "lost-after": 0 },
});
