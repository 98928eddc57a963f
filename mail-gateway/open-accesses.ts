import type { Clock, Timer } from "./clock.ts";
import { log } from "./log.ts";
import type { WorkerClient } from "./worker-client.ts";

/** A mailbox and the secret that opened it, as the Worker names them. */
export interface MailboxAccess {
  id: string;
  secret: string;
}

/** Time between two questions about all accesses, in ms: with the call itself less than the ten seconds of the contract. */
const ASK_MS = 4_000;
/** Accesses of a call, the limit of the Worker. */
const MAX_ASKED = 2_000;

interface OpenAccess {
  access: MailboxAccess;
  /** One for each connection. */
  onEnd: Set<() => void>;
}

/**
 * The accesses of open connections to mailboxes, of IMAP and submission. The Worker is asked about all of them together, and the
 * connections of those that have ended are closed. While it cannot be reached they stay open; their commands fail then.
 */
export class OpenAccesses {
  readonly #worker: WorkerClient;
  readonly #timer: Timer;
  /** By access as JSON: programs open several connections by one login. */
  readonly #open = new Map<string, OpenAccess>();

  constructor(worker: WorkerClient, clock: Clock) {
    this.#worker = worker;
    this.#timer = clock.every(ASK_MS, () => this.ask());
  }

  /** Calls a listener each time when an access is found to have ended, until the returned function is called. */
  add(access: MailboxAccess, onEnd: () => void): () => void {
    const key = JSON.stringify(access);
    const open = this.#open.get(key) ?? { access, onEnd: new Set() };
    this.#open.set(key, open);
    // A listener of each connection, also when several have the same function.
    const listener = () => onEnd();
    open.onEnd.add(listener);
    return () => {
      open.onEnd.delete(listener);
      if (open.onEnd.size === 0 && this.#open.get(key) === open) this.#open.delete(key);
    };
  }

  /** Asks about all accesses, or about those to one mailbox. */
  ask(mailboxId?: string): void {
    const asked = [...this.#open.values()].filter(({ access: { id } }) => mailboxId === undefined || id === mailboxId);
    for (let at = 0; at < asked.length; at += MAX_ASKED)
      void this.#askTogether(asked.slice(at, at + MAX_ASKED)).catch((error: unknown) =>
        log("access.check.failed", { error: String(error) }),
      );
  }

  close(): void {
    this.#timer.cancel();
  }

  async #askTogether(asked: readonly OpenAccess[]): Promise<void> {
    const { ended } = await this.#worker.call("accesses", { accesses: asked.map(({ access }) => access) });
    for (const n of ended as number[]) for (const listener of asked[n]?.onEnd ?? []) listener();
  }
}
