/** The order of the binding calls of one request, and the number of hops that it makes. */

export type BindingKind = "D1" | "R2" | "queue" | "rate limit" | "Durable Object";

/** One binding call. `start` and `end` are positions in the order of all starts and ends, since clocks stand still between awaits. */
export interface BindingCall {
  kind: BindingKind;
  /** The method, such as `batch`. */
  method: string;
  start: number;
  /** Null: the call has not ended. */
  end: number | null;
}

/** The binding calls of one request with its response. */
export interface TracedRequest {
  calls: BindingCall[];
  respondedAt: number;
}

export class Trace {
  readonly #calls: BindingCall[] = [];
  #position = 0;
  #respondedAt = Number.POSITIVE_INFINITY;

  /** Runs a binding call and records its start and its end. */
  async record<Result>(kind: BindingKind, method: string, run: () => Promise<Result>): Promise<Result> {
    const call: BindingCall = { kind, method, start: ++this.#position, end: null };
    this.#calls.push(call);
    try {
      return await run();
    } finally {
      call.end = ++this.#position;
    }
  }

  /** Marks the moment when the response is returned. */
  respond(): void {
    this.#respondedAt = ++this.#position;
  }

  read(): TracedRequest {
    return { calls: this.#calls, respondedAt: this.#respondedAt };
  }
}

/** Splits the calls of a request into those that ended before its response, and the others. */
export function splitAtResponse({ calls, respondedAt }: TracedRequest): {
  before: BindingCall[];
  after: BindingCall[];
} {
  const isBefore = ({ end }: BindingCall) => end !== null && end < respondedAt;
  return { before: calls.filter(isBefore), after: calls.filter((call) => !isBefore(call)) };
}

/**
 * Groups calls by hop: a call belongs to hop n + 1 when it started after a call of hop n had ended. The number of groups
 * is the length of the longest chain of calls that do not overlap. It is an upper bound: a call that started later need
 * not depend on the calls that had ended.
 */
export function toHops(calls: readonly BindingCall[]): BindingCall[][] {
  const hops: BindingCall[][] = [];
  const hopOf = new Map<BindingCall, number>();
  for (const call of calls.toSorted((a, b) => a.start - b.start)) {
    const earlier = calls.filter(({ end }) => end !== null && end < call.start);
    const hop = Math.max(0, ...earlier.map((other) => hopOf.get(other) ?? 0)) + 1;
    hopOf.set(call, hop);
    hops[hop - 1] = [...(hops[hop - 1] ?? []), call];
  }
  return hops;
}

/** Formats calls in their order: `D1 first > D1 batch + R2 put` for a read and, after it, two calls that overlap. */
export function formatCalls(calls: readonly BindingCall[]): string {
  const names = toHops(calls).map((hop) =>
    hop.map(({ kind, method }) => (kind === "rate limit" ? kind : `${kind} ${method}`)).join(" + "),
  );
  return names.join(" > ");
}
