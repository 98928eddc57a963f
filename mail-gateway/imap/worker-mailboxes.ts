import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { WorkerClient } from "../worker-client.ts";
import { Access, type AccessOptions } from "./access.ts";
import { ChangeSockets } from "./change-sockets.ts";
import type { Mailbox, Mailboxes } from "./mailbox.ts";
import { type ImapCalls, toCalls } from "./worker-calls.ts";
import { WorkerMailbox } from "./worker-mailbox.ts";

interface Login {
  username: string;
  password: string;
  ip: string;
}

/**
 * Opens the mailboxes of clients by the Worker. Clients with equal logins share one access with its token, and the accesses to a
 * mailbox share the socket that tells what changed. While one of them is connected, the login of another needs no call.
 */
export class WorkerMailboxes implements Mailboxes {
  readonly #calls: ImapCalls;
  readonly #shared: AccessOptions;
  /** By the HMAC of username and password. */
  readonly #accesses = new Map<string, Access>();
  /** Logins that run, so that equal ones at once are checked once. */
  readonly #running = new Map<string, Promise<Access>>();
  readonly #key = randomBytes(32);

  constructor(worker: WorkerClient, clock: Clock) {
    this.#calls = toCalls(worker);
    this.#shared = { calls: this.#calls, sockets: new ChangeSockets(this.#calls.openChanges, clock), clock };
  }

  async logIn({ username, password, ip }: Login): Promise<Mailbox> {
    const key = createHmac("sha256", this.#key)
      .update(JSON.stringify([username, password]))
      .digest("base64");
    // In one step with the look at it: the last other client may leave at any time, which ends the access.
    const known = this.#accesses.get(key);
    if (known?.isOpen) return new WorkerMailbox(this.#calls, known.use());
    const running = this.#running.get(key) ?? this.#open(key, { username, password, ip });
    this.#running.set(key, running);
    try {
      const access = await running;
      return new WorkerMailbox(this.#calls, access.use());
    } finally {
      if (this.#running.get(key) === running) this.#running.delete(key);
    }
  }

  close(): void {
    for (const access of this.#accesses.values()) access.end();
  }

  async #open(key: string, login: Login): Promise<Access> {
    const session = await this.#calls.startSession(login);
    const access = new Access(this.#shared, session, () => {
      if (this.#accesses.get(key) === access) this.#accesses.delete(key);
    });
    this.#accesses.set(key, access);
    return access;
  }
}
