import type { Clock, Timer } from "../clock.ts";
import type { ChangeSockets } from "./change-sockets.ts";
import type { ChangeListener } from "./mailbox.ts";
import type { ImapCalls, StartedSession } from "./worker-calls.ts";

/** Time between two renewals of a token, in ms. It is valid for an hour. */
const RENEW_MS = 15 * 60_000;

/** The part of an access that one client uses. */
export interface AccessUse {
  /** The token of calls. */
  readonly token: string;
  /** Calls a listener when the access ends, until the returned function is called. */
  onEnd(listener: () => void): () => void;
  watch(listener: ChangeListener): () => void;
  /** Ends the use. The access ends with the last one. */
  release(): void;
}

/** Shared by all accesses. */
export interface AccessOptions {
  calls: ImapCalls;
  sockets: ChangeSockets;
  clock: Clock;
}

/** The right of some clients to use a mailbox, by one login. It ends with the password, the assignment, the mailbox or its domain. */
export class Access {
  readonly #calls: ImapCalls;
  readonly #leaveSocket: () => void;
  readonly #onEnd: () => void;
  readonly #listeners = new Set<ChangeListener>();
  /** No promise: it would keep each client that ever waited for it. */
  readonly #endListeners = new Set<() => void>();
  readonly #timer: Timer;
  #session: StartedSession;
  #uses = 0;
  #isOpen = true;

  constructor({ calls, sockets, clock }: AccessOptions, session: StartedSession, onEnd: () => void) {
    this.#calls = calls;
    this.#session = session;
    this.#onEnd = onEnd;
    this.#leaveSocket = sockets.join(session.mailbox_id, {
      token: () => this.#session.token,
      onChange: (folders) => this.#tell(folders),
      onAccess: () => void this.#renew(),
    });
    this.#timer = clock.every(RENEW_MS, () => void this.#renew());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get token(): string {
    return this.#session.token;
  }

  get mailboxId(): string {
    return this.#session.mailbox_id;
  }

  /** Returns the access for one more client, by whose session the calls of all of them go on. */
  use(session: StartedSession): AccessUse {
    this.#session = session;
    this.#uses += 1;
    const tokenOf = () => this.#session.token;
    let isReleased = false;
    return {
      get token() {
        return tokenOf();
      },
      onEnd: (listener) => {
        this.#endListeners.add(listener);
        // It may have ended while this client logged in.
        if (!this.#isOpen) queueMicrotask(listener);
        return () => this.#endListeners.delete(listener);
      },
      watch: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#uses -= 1;
        if (this.#uses === 0) this.end();
      },
    };
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#timer.cancel();
    this.#leaveSocket();
    this.#onEnd();
    for (const listener of this.#endListeners) listener();
  }

  /** Tells clients which folders changed. Null: any of them may have. */
  #tell(folders: readonly string[] | null): void {
    for (const listener of this.#listeners) for (const folder of folders ?? [null]) listener({ folder });
  }

  /** Renews the token. The access ends when the Worker says so; while it cannot be reached the token is used on. */
  async #renew(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      const session = await this.#calls.renew(this.#session.token);
      if (session === null) this.end();
      else this.#session = session;
    } catch {
      // Tried again by the next renewal.
    }
  }
}
