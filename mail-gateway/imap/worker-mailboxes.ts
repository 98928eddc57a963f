import { createHmac, randomBytes } from "node:crypto";
import type { Clock, Timer } from "../clock.ts";
import { GroupedCalls } from "../grouped-calls.ts";
import { log } from "../log.ts";
import type { WorkerClient } from "../worker-client.ts";
import { Access, type AccessOptions } from "./access.ts";
import { ChangeSockets } from "./change-sockets.ts";
import { type ImapCalls, type StartedSession, toCalls } from "./worker-calls.ts";
import { WorkerMailbox } from "./worker-mailbox.ts";

/** Time between two checks of all accesses, in ms: with the call itself less than the eight seconds of the contract. */
const CHECK_MS = 6_000;
/** Accesses of a call, the limit of the Worker. */
const MAX_CHECKED = 200;
/** Equal logins that share a call. */
const MAX_LOGINS = 256;

interface Login {
  username: string;
  password: string;
  ip: string;
}

/**
 * Opens the mailboxes of clients by the Worker. Each login asks it, equal ones together in a call that begins after each of them. Clients
 * with equal logins share one access with its token, and the accesses to a mailbox share the socket that tells what changed. All
 * accesses are checked together, so one that has ended is used for a few seconds at most.
 */
export class WorkerMailboxes {
  readonly #calls: ImapCalls;
  readonly #shared: AccessOptions;
  /** By the HMAC of username and password. */
  readonly #accesses = new Map<string, Access>();
  readonly #logins: GroupedCalls<Login, StartedSession>;
  readonly #timer: Timer;
  readonly #key = randomBytes(32);

  constructor(worker: WorkerClient, clock: Clock) {
    this.#calls = toCalls(worker);
    this.#shared = { calls: this.#calls, sockets: new ChangeSockets(this.#calls.openChanges, clock), clock };
    this.#logins = new GroupedCalls({
      clock,
      call: async (logins) => {
        const [login = { username: "", password: "", ip: "" }] = logins;
        const response = await this.#calls.startSession(login).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        return logins.map(() => response);
      },
      maxItems: MAX_LOGINS,
      maxBytes: Number.POSITIVE_INFINITY,
      bytesOf: () => 0,
    });
    this.#timer = clock.every(CHECK_MS, () => this.#check());
  }

  /** Throws CommandError for a wrong address or password. */
  async logIn({ username, password, ip }: Login): Promise<WorkerMailbox> {
    const key = createHmac("sha256", this.#key)
      .update(JSON.stringify([username, password]))
      .digest("base64");
    const session = await this.#logins.send(key, { username, password, ip });
    const known = this.#accesses.get(key);
    const isSame = known?.isOpen && known.mailboxId === session.mailbox_id;
    const access = isSame ? known : this.#open(key, session);
    return new WorkerMailbox(this.#calls, access.use(session));
  }

  close(): void {
    this.#timer.cancel();
    for (const access of this.#accesses.values()) access.end();
  }

  #open(key: string, session: StartedSession): Access {
    // One with an earlier mailbox of the address has ended, and is not found here any more.
    this.#accesses.get(key)?.end();
    const access = new Access(this.#shared, session, () => {
      if (this.#accesses.get(key) === access) this.#accesses.delete(key);
    });
    this.#accesses.set(key, access);
    return access;
  }

  /** Ends the accesses of which the Worker says so. While it cannot be reached they go on. */
  #check(): void {
    const accesses = [...this.#accesses.values()];
    for (let at = 0; at < accesses.length; at += MAX_CHECKED)
      void this.#checkGroup(accesses.slice(at, at + MAX_CHECKED)).catch((error: unknown) =>
        log("imap.check.failed", { error: String(error) }),
      );
  }

  async #checkGroup(accesses: readonly Access[]): Promise<void> {
    const tokens = accesses.map(({ token }) => token);
    // A login meanwhile has replaced the token of its access by one that was just found valid.
    for (const n of await this.#calls.findEnded(tokens)) if (accesses[n]?.token === tokens[n]) accesses[n]?.end();
  }
}
