import { AsyncLocalStorage } from "node:async_hooks";
import { MAX_CONNECTIONS, MAX_STATEMENTS, TOO_MANY_STATEMENTS } from "./rules.ts";

/** An invocation of the Worker, with limits that it may use up. */
export class Invocation {
  #statements = 0;
  #connections = 0;
  readonly #waiting: (() => void)[] = [];

  /** Counts D1 queries, those of a batch singly: Cloudflare does not document how it counts them. Throws beyond 1,000. */
  countStatements(count: number): void {
    this.#statements += count;
    if (this.#statements > MAX_STATEMENTS) throw new Error(TOO_MANY_STATEMENTS);
  }

  /** Runs `act` with a connection: at once when fewer than six are open, otherwise when its turn comes. */
  async connected<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#connections >= MAX_CONNECTIONS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#connections += 1;
    return act().finally(() => this.#release());
  }

  /** Counts a socket as a connection until it is closed. One is never refused: the sockets alone stay below the limit. */
  hold(closed: Promise<unknown>): void {
    this.#connections += 1;
    const release = () => this.#release();
    closed.then(release, release);
  }

  /** Passes a connection on to the first that waits. */
  #release(): void {
    const next = this.#connections > MAX_CONNECTIONS ? undefined : this.#waiting.shift();
    if (next) next();
    else this.#connections -= 1;
  }
}

const current = new AsyncLocalStorage<Invocation>();

/** Runs `act` as a new invocation. Its limits hold for all that it starts, also after it has ended. */
export const asInvocation = <Result>(act: () => Result): Result => current.run(new Invocation(), act);

/** Returns the invocation that the code runs in; null in a Durable Object, whose calls have no limits here. */
export const currentInvocation = (): Invocation | null => current.getStore() ?? null;

/** Runs `act` with a connection of the current invocation. */
export function connected<Result>(act: () => Promise<Result>): Promise<Result> {
  return currentInvocation()?.connected(act) ?? act();
}
