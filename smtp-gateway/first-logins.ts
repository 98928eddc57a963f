import { createHash } from "node:crypto";

/**
 * Lets one of several equal logins go first. The Worker checks its password by scrypt and then knows it, so the others
 * cost nothing, and a program that opens 50 connections at once does not look like 50 guesses.
 */
export class FirstLogins {
  readonly #running = new Map<string, Promise<unknown>>();

  /** Runs a login after an equal one that is running has ended. */
  async run<Result>(credentials: readonly string[], login: () => Promise<Result>): Promise<Result> {
    const key = createHash("sha256").update(JSON.stringify(credentials)).digest("base64");
    const first = this.#running.get(key);
    if (first) {
      await first.catch(() => {});
      return login();
    }
    const result = login();
    this.#running.set(key, result);
    try {
      return await result;
    } finally {
      this.#running.delete(key);
    }
  }
}
