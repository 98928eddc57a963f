/** Counts the calls that the Worker makes to its bindings, and traces the order of the calls of one request. */
import { meteredDatabase } from "./meter-d1.ts";
import { meteredBucket, meteredNamespace, meteredQueue, meteredRateLimit } from "./meter-others.ts";
import type { Trace } from "./trace.ts";

/** Counts of binding calls, in billed units unless said otherwise. */
export interface Readings {
  /** Requests and batches of queue messages. Each is one billed invocation of the Worker. */
  requests: number;
  /** Calls to D1; a batch is one call. Not billed. */
  d1Calls: number;
  rowsRead: number;
  rowsWritten: number;
  /** Claims that got at least one outbox row, and the outbox rows they got. Not billed. */
  claims: number;
  claimedRows: number;
  /** Message writes; bench/worker.ts adds the read and the delete of each message. */
  queueOperations: number;
  r2ClassA: number;
  r2ClassB: number;
  durableObjectRequests: number;
  /** Not billed. */
  rateLimitCalls: number;
}

const zeroReadings = (): Readings => ({
  requests: 0,
  d1Calls: 0,
  rowsRead: 0,
  rowsWritten: 0,
  claims: 0,
  claimedRows: 0,
  queueOperations: 0,
  r2ClassA: 0,
  r2ClassB: 0,
  durableObjectRequests: 0,
  rateLimitCalls: 0,
});

export class Meter {
  #readings = zeroReadings();

  add(name: keyof Readings, count = 1): void {
    this.#readings[name] += count;
  }

  /** Returns the counts since the last call. */
  take(): Readings {
    const taken = this.#readings;
    this.#readings = zeroReadings();
    return taken;
  }
}

/** Receives the calls of a metered binding. */
export interface Recorder {
  meter: Meter;
  /** Null: the order of calls is not recorded. */
  trace: Trace | null;
}

/**
 * Returns `env` with bindings that count their calls in `meter` and record their order in `trace`. Throws for a binding
 * of an unknown class, so that no call stays uncounted.
 */
export function metered(env: Env, meter: Meter, trace: Trace | null = null): Env {
  const recorder = { meter, trace };
  const bindings = Object.entries(env).map(([name, binding]) => [name, meteredBinding(name, binding, recorder)]);
  return Object.fromEntries(bindings) as Env;
}

function meteredBinding(name: string, binding: unknown, recorder: Recorder): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  const kind: string = binding.constructor.name;
  switch (kind) {
    case "D1Database":
      return meteredDatabase(binding as D1Database, recorder);
    case "R2Bucket":
      return meteredBucket(binding as R2Bucket, recorder);
    case "WorkerQueue":
      return meteredQueue(binding as Queue, recorder);
    case "Ratelimit":
      return meteredRateLimit(binding as RateLimit, recorder);
    case "DurableObjectNamespace":
      return meteredNamespace(binding as DurableObjectNamespace, recorder);
    case "Fetcher":
      // The static assets, whose requests are not billed.
      return binding;
    case "Object":
    case "Array":
      // A variable with a JSON value.
      return binding;
    default:
      throw new Error(`The bench does not count calls of the binding ${name}, a ${kind}`);
  }
}
