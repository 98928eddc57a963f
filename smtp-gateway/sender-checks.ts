import type { WorkerClient } from "./worker-client.ts";

interface Check {
  /** Token of the session that asked last. */
  token: string;
  result: Promise<void>;
}

/**
 * Asks the Worker about envelope senders. Connections of one username that wait for an answer about the same sender share
 * a call, which begins after each of them has asked: a credential that was deleted before is refused.
 */
export class SenderChecks {
  readonly #worker: WorkerClient;
  /** The check that runs, and the one that begins after it, by username and address. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Check>();

  constructor(worker: WorkerClient) {
    this.#worker = worker;
  }

  /** Throws Refusal unless the sender may be used. */
  async check(username: string, token: string, address: string): Promise<void> {
    const key = JSON.stringify([username, address]);
    const running = this.#running.get(key);
    if (!running) return this.#start(key, () => token, address);
    const next = this.#next.get(key);
    if (next) {
      next.token = token;
      return next.result;
    }
    const check: Check = { token, result: Promise.resolve() };
    check.result = running
      .catch(() => {})
      .then(() => {
        this.#next.delete(key);
        return this.#start(key, () => check.token, address);
      });
    this.#next.set(key, check);
    return check.result;
  }

  async #start(key: string, token: () => string, address: string): Promise<void> {
    const call = this.#worker.call("senders", { token: token(), address }).then(() => {});
    this.#running.set(key, call);
    try {
      await call;
    } finally {
      if (this.#running.get(key) === call) this.#running.delete(key);
    }
  }
}
