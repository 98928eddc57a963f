import type { Clock } from "./clock.ts";
import { GroupedCalls } from "./grouped-calls.ts";
import type { Leases } from "./leases.ts";
import type { AcceptedLogin } from "./logins.ts";
import type { WorkerClient } from "./worker-client.ts";

/** Connections that share a call. */
const MAX_CHECKS = 256;

interface Check {
  login: AcceptedLogin;
  address: string;
}

/**
 * Asks the Worker about envelope senders, unless it has just allowed one. Connections of one credential that ask about the
 * same sender share a call, which begins after each of them has asked: a credential that was deleted before is refused.
 */
export class SenderChecks {
  readonly #calls: GroupedCalls<Check, void>;
  readonly #leases: Leases;

  constructor(worker: WorkerClient, leases: Leases, clock: Clock) {
    this.#leases = leases;
    this.#calls = new GroupedCalls({
      clock,
      call: async (checks) => {
        const response = await this.#callWorker(worker, checks).then(
          () => ({ value: undefined }),
          (error: unknown) => ({ error }),
        );
        return checks.map(() => response);
      },
      maxItems: MAX_CHECKS,
      maxBytes: Number.POSITIVE_INFINITY,
      bytesOf: () => 0,
    });
  }

  /** Throws Refusal unless the sender may be used. */
  async check(login: AcceptedLogin, address: string): Promise<void> {
    if (this.#leases.covers(login.credential, address)) return;
    await this.#calls.send(JSON.stringify([login.credential, address]), { login, address });
  }

  /** All checks have one credential and address. The newest token has the most time left. */
  async #callWorker(worker: WorkerClient, checks: readonly Check[]): Promise<void> {
    const { login, address } = checks.at(-1) ?? { login: { token: "", credential: "" }, address: "" };
    const startedAt = this.#leases.now();
    const { lease_ms } = await worker.call("senders", { token: login.token, address });
    this.#leases.grant(login.credential, [address], startedAt, lease_ms);
  }
}
