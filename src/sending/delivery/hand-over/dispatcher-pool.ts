import { EMAILS_PER_TURN } from "../rules.ts";
import type { SharedConnections } from "./shared-connections.ts";

interface PoolOptions {
  /** Those of the invocation; null: the stream has no egress and needs none. */
  connections: SharedConnections | null;
  /** Dispatchers at once. */
  max: number;
  /** Runs a dispatcher until it ends. */
  dispatch: () => Promise<void>;
  /** Returns whether an email waits for a dispatcher. */
  hasMail: () => boolean;
  /** Called when a dispatcher has ended. */
  onChange: () => void;
  /** Called when the stream has waited for too long for its first connection. */
  onNoConnection: () => void;
}

/** The dispatchers of a stream, each with one of the connections that the streams of an invocation share. */
export class DispatcherPool {
  readonly #options: PoolOptions;
  readonly #running = new Set<Promise<void>>();
  /** Dispatchers that end to pass their connection on. */
  #passing = 0;
  /** Emails since the stream got its first connection. */
  #emails = 0;
  #isWaiting = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** True when no dispatcher runs and none will by itself. */
  get isIdle(): boolean {
    return this.#running.size === 0 && !this.#isWaiting;
  }

  /** Starts up to so many dispatchers, as far as connections are free. Without any, the stream waits for its first. */
  start(count: number): void {
    const { connections, max } = this.#options;
    for (let n = 0; n < count && this.#running.size < max && !this.#isWaiting; n++) {
      if (!connections || connections.tryTake()) this.#run();
      else if (this.#running.size === 0) this.#wait(connections);
      else return;
    }
  }

  /** Counts an email that a dispatcher has taken. */
  noteEmail(): void {
    this.#emails += 1;
  }

  /** Returns true when the dispatcher that asks must end: another stream has no connection, and this one had its turn. */
  mustPassOn(): boolean {
    const { connections, hasMail } = this.#options;
    const hasOthers = this.#running.size - this.#passing > 1;
    const isSpare = hasOthers || this.#emails >= EMAILS_PER_TURN || !hasMail();
    if (!isSpare || !connections?.promise()) return false;
    this.#passing += 1;
    return true;
  }

  /** Resolves when all dispatchers have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #wait(connections: SharedConnections): void {
    this.#isWaiting = true;
    const grant = () => {
      this.#isWaiting = false;
      this.#run();
    };
    connections.takeFirst(grant, () => {
      this.#isWaiting = false;
      this.#options.onNoConnection();
    });
  }

  #run(): void {
    const { connections, dispatch, hasMail, onChange } = this.#options;
    if (this.#running.size === 0) this.#emails = 0;
    const dispatcher = dispatch().finally(() => {
      this.#running.delete(dispatcher);
      const isPassedOn = this.#passing > 0;
      if (isPassedOn) this.#passing -= 1;
      connections?.free(isPassedOn);
      // One that could not connect is not started again: a server may limit the number of connections.
      if (isPassedOn && hasMail()) this.start(1);
      onChange();
    });
    this.#running.add(dispatcher);
  }
}
