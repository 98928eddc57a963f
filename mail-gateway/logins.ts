import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";
import { Refusal, tryAgain } from "./errors.ts";
import { type CallResult, GroupedCalls } from "./grouped-calls.ts";
import type { Leases } from "./leases.ts";
import type { MailboxAccess } from "./open-accesses.ts";
import type { WorkerClient, WorkerResponse } from "./worker-client.ts";

/** Logins of a call, below the limit of the Worker. */
const MAX_LOGINS = 16;
/** How long other connections may use the token of a login, in ms. A token is valid for an hour, as long as a connection. */
const REUSE_MS = 60_000;
/** The reply to a username or password that the Worker does not take, such as one with a NUL: that of a wrong one. */
const WRONG_LOGIN = "535 5.7.8 The username or the password is wrong";
/** Logins that are remembered. */
const MAX_KNOWN = 2_000;

interface Login {
  username: string;
  password: string;
  /** Address of the client, and id of its connection. */
  ip: string;
  connection: string;
}

/** A login that the Worker has accepted. */
export interface AcceptedLogin {
  /** Token of the Worker, which names the credential. */
  token: string;
  /** Id of the credential, or the username when the Worker is of a version that does not tell it. */
  credential: string;
}

/** A login with the access to the mailbox that the client sends from; null: it has an SMTP credential. */
interface OpenedLogin extends AcceptedLogin {
  access: MailboxAccess | null;
}

interface KnownLogin extends OpenedLogin {
  reusableUntil: number;
}

/**
 * Checks logins. One of several equal logins goes first: the Worker checks its password by scrypt and then knows it, so the
 * others cost nothing and share a call, and a program that opens 50 connections at once does not look like 50 guesses. While
 * the credential has a lease, an equal login needs no call.
 */
export class Logins {
  readonly #calls: GroupedCalls<Login, OpenedLogin>;
  readonly #leases: Leases;
  readonly #clock: Clock;
  /** By the HMAC of username and password, the oldest first. */
  readonly #known = new Map<string, KnownLogin>();
  readonly #key = randomBytes(32);

  constructor(worker: WorkerClient, leases: Leases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
    this.#calls = new GroupedCalls({
      clock,
      call: (logins) => callWorker(worker, leases, logins),
      maxItems: MAX_LOGINS,
      maxBytes: Number.POSITIVE_INFINITY,
      bytesOf: () => 0,
    });
  }

  /** Returns the token and credential of a connection. Throws Refusal. */
  async check(login: Login): Promise<OpenedLogin> {
    const text = JSON.stringify([login.username, login.password]);
    const key = createHmac("sha256", this.#key).update(text).digest("base64");
    const known = this.#known.get(key);
    if (known && this.#clock.elapsed() < known.reusableUntil && this.#leases.covers(known.credential, null))
      return known;
    const reusableUntil = this.#clock.elapsed() + REUSE_MS;
    const accepted = await this.#calls.send(key, login);
    this.#known.delete(key);
    this.#known.set(key, { ...accepted, reusableUntil });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return accepted;
  }
}

async function callWorker(
  worker: WorkerClient,
  leases: Leases,
  logins: readonly Login[],
): Promise<CallResult<OpenedLogin>[]> {
  const [{ username, password } = { username: "", password: "" }] = logins;
  const connections = logins.map(({ ip, connection }) => ({ ip, connection }));
  const startedAt = leases.now();
  try {
    const { answers: responses } = await worker.call("sessions", { username, password, connections }, WRONG_LOGIN);
    const given = Array.isArray(responses) ? (responses as WorkerResponse[]) : [];
    return logins.map((_, index) => toResponse(given[index], username, leases, startedAt));
  } catch (error) {
    // A response for each, so that nothing is remembered of a password after a call that failed.
    return logins.map(() => ({ error }));
  }
}

function toResponse(
  response: WorkerResponse | undefined,
  username: string,
  leases: Leases,
  startedAt: number,
): CallResult<OpenedLogin> {
  if (!response) return { error: tryAgain() };
  if (response.reply !== null) return { error: new Refusal(response.reply) };
  const credential = typeof response.credential === "string" ? response.credential : username;
  leases.grant(credential, [], startedAt, response.lease_ms);
  const access = (response.access ?? null) as MailboxAccess | null;
  return { value: { token: String(response.token), credential, access } };
}
