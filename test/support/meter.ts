/** Counts the calls that the Worker makes to its bindings, and traces the order of the calls of one request. */
import type { BindingKind, Trace } from "./trace.ts";
import { type Call, watchBindings } from "./watch-bindings.ts";

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

/** A statement that claims outbox rows: only claims count the claims of a row up (src/platform/outbox/lease.ts). */
const CLAIM = /claims = claims \+ 1/;
const CLASS_A = new Set(["put", "createMultipartUpload", "list", "uploadPart", "complete"]);
const CLASS_B = new Set(["get", "head"]);

/**
 * Returns `env` with bindings that count their calls in `meter` and record their order in `trace`. Throws for a binding
 * of an unknown class, so that no call stays uncounted.
 */
export function metered(env: Env, meter: Meter, trace: Trace | null = null): Env {
  const counted =
    (kind: BindingKind, count: (method: string, args: readonly unknown[]) => void): Call =>
    (method, args, run) => {
      count(method, args);
      return trace ? trace.record(kind, method, run) : run();
    };
  return watchBindings(env, {
    database: () => async (method, statements, run) => {
      meter.add("d1Calls");
      const name = method === "batch" ? `batch of ${statements.length}` : method;
      const results = await (trace ? trace.record("D1", name, run) : run());
      results.forEach((result, index) => {
        countResult(meter, statements[index]?.sql ?? "", result);
      });
      return results;
    },
    bucket: counted("R2", (method) => {
      if (CLASS_A.has(method)) meter.add("r2ClassA");
      if (CLASS_B.has(method)) meter.add("r2ClassB");
    }),
    queue: counted("queue", (method, args) => {
      meter.add("queueOperations", method === "send" ? 1 : [...(args[0] as Iterable<unknown>)].length);
    }),
    rateLimit: counted("rate limit", () => meter.add("rateLimitCalls")),
    // Every method call of a stub is one billed request.
    object: counted("Durable Object", () => meter.add("durableObjectRequests")),
  });
}

function countResult(meter: Meter, sql: string, { meta, results }: D1Result): void {
  meter.add("rowsRead", meta.rows_read);
  meter.add("rowsWritten", meta.rows_written);
  if (!CLAIM.test(sql) || results.length === 0) return;
  meter.add("claims");
  meter.add("claimedRows", results.length);
}
