import { CONNECTION_WAIT_MS, MAX_CONNECTIONS } from "../rules.ts";

/** A stream without a connection. */
interface Waiting {
  /** Called when it has one. */
  grant: () => void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * The SMTP connections of one invocation, which the streams of several egresses share. A stream without a connection goes before
 * those that want a further one, and those that have one are asked to pass it on. It waits for CONNECTION_WAIT_MS at most: an egress
 * that is slow or down cannot hold up the mail of others for longer.
 */
export class SharedConnections {
  #free: number = MAX_CONNECTIONS;
  readonly #waiting: Waiting[] = [];
  /** Connections that streams have agreed to pass on and not ended yet. */
  #promised = 0;
  readonly #waitMs: number;
  readonly #onWanted: () => void;

  /** `onWanted` is called when a stream begins to wait: others look whether they pass a connection on. */
  constructor(onWanted: () => void, waitMs = CONNECTION_WAIT_MS) {
    this.#onWanted = onWanted;
    this.#waitMs = waitMs;
  }

  /** Takes a connection. Returns false when none is free, or when a stream without one waits. */
  tryTake(): boolean {
    if (this.#free === 0 || this.#waiting.length > 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a connection for a stream that has none, and calls `grant`; or calls `onTimeout` when none was free for too long. */
  takeFirst(grant: () => void, onTimeout: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      onTimeout();
    }, this.#waitMs);
    const waiting: Waiting = { grant, timer };
    this.#waiting.push(waiting);
    this.#onWanted();
  }

  /** Returns true when the caller must end a connection, because a stream without one waits. */
  promise(): boolean {
    if (this.#waiting.length <= this.#promised) return false;
    this.#promised += 1;
    return true;
  }

  /** Returns a connection that has ended. `isPromised`: it ended because `promise` returned true. */
  free(isPromised: boolean): void {
    if (isPromised) this.#promised -= 1;
    const next = this.#waiting.shift();
    if (!next) {
      this.#free += 1;
      return;
    }
    clearTimeout(next.timer);
    next.grant();
  }
}
