import { GroupedCalls } from "./grouped-calls.ts";
import type { WorkerClient } from "./worker-client.ts";

/** Connections that share a call. */
const MAX_CHECKS = 256;

interface Check {
  /** Token of the session that asks. */
  token: string;
  address: string;
}

/**
 * Asks the Worker about envelope senders. Connections of one username that ask about the same sender share a call, which
 * begins after each of them has asked: a credential that was deleted before is refused.
 */
export class SenderChecks {
  readonly #calls: GroupedCalls<Check, void>;

  constructor(worker: WorkerClient) {
    this.#calls = new GroupedCalls({
      // All have one username and address. The newest token has the most time left.
      async call(checks) {
        const answer = await worker.call("senders", checks.at(-1)).then(
          () => ({ value: undefined }),
          (error: unknown) => ({ error }),
        );
        return checks.map(() => answer);
      },
      maxItems: MAX_CHECKS,
      maxOctets: Number.POSITIVE_INFINITY,
      octetsOf: () => 0,
    });
  }

  /** Throws Refusal unless the sender may be used. */
  check(username: string, token: string, address: string): Promise<void> {
    return this.#calls.send(JSON.stringify([username, address]), { token, address });
  }
}
