import { createHash } from "node:crypto";
import { Refusal, tryAgain } from "./errors.ts";
import { type Answer, GroupedCalls } from "./grouped-calls.ts";
import type { WorkerAnswer, WorkerClient } from "./worker-client.ts";

/** Logins of a call, below the limit of the Worker. */
const MAX_LOGINS = 16;

interface Login {
  username: string;
  password: string;
  /** Address of the client, and id of its connection. */
  ip: string;
  connection: string;
}

/**
 * Checks logins. One of several equal logins goes first: the Worker checks its password by scrypt and then knows it, so the
 * others cost nothing and share a call, and a program that opens 50 connections at once does not look like 50 guesses.
 */
export class Logins {
  readonly #calls: GroupedCalls<Login, string>;

  constructor(worker: WorkerClient) {
    this.#calls = new GroupedCalls({
      call: (logins) => callWorker(worker, logins),
      maxItems: MAX_LOGINS,
      maxOctets: Number.POSITIVE_INFINITY,
      octetsOf: () => 0,
    });
  }

  /** Returns the token of the session of a connection. Throws Refusal. */
  check(login: Login): Promise<string> {
    const key = createHash("sha256").update(JSON.stringify([login.username, login.password]));
    return this.#calls.send(key.digest("base64"), login);
  }
}

async function callWorker(worker: WorkerClient, logins: readonly Login[]): Promise<Answer<string>[]> {
  const [{ username, password } = { username: "", password: "" }] = logins;
  const connections = logins.map(({ ip, connection }) => ({ ip, connection }));
  try {
    const { answers } = await worker.call("sessions", { username, password, connections });
    const given = Array.isArray(answers) ? (answers as WorkerAnswer[]) : [];
    return logins.map((_, index) => toAnswer(given[index]));
  } catch (error) {
    // An answer for each, so that nothing is remembered of a password after a call that failed.
    return logins.map(() => ({ error }));
  }
}

function toAnswer(answer: WorkerAnswer | undefined): Answer<string> {
  if (!answer) return { error: tryAgain() };
  return answer.reply === null ? { value: String(answer.token) } : { error: new Refusal(answer.reply) };
}
