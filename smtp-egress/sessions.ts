import { ConnectError, type Connection } from "../src/mail/smtp/client.ts";
import { type ConnectSettings, connectTo } from "./connect.ts";
import type { MxHost } from "./route.ts";
import type { Unreachable } from "./unreachable.ts";

/** A kept connection to a host of a receiver. */
export interface Session {
  readonly connection: Connection;
  readonly host: string;
  readonly address: string;
  /** TLS was enforced. */
  readonly isVerified: boolean;
  /** Messages that were sent on it. */
  sent: number;
}

/** Hosts of a delivery, in the order in which they are tried. */
export interface Destination {
  hosts: readonly MxHost[];
  /** Returns whether TLS with a valid certificate is enforced for a host, or null when mail must not go there. */
  enforcesTls(host: string): boolean | null;
}

/** Signals that no host of a destination could be used. It has the failure of the last one. */
export class UnusableHosts extends ConnectError {
  /** The last host that was tried. */
  readonly host: string;

  constructor(host: string, { phase, reply, message }: ConnectError) {
    super(phase, reply, message);
    this.name = "UnusableHosts";
    this.host = host;
  }
}

export interface SessionsOptions {
  connect: ConnectSettings;
  unreachable: Unreachable;
  /** Time for which an unused session is kept, in ms. */
  idleMs: number;
}

/** Addresses that one delivery tries. */
const MAX_ATTEMPTS = 5;

/** Connections to the hosts of one receiver: kept ones are used again, also for other domains on the same host. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #idle = new Map<Session, NodeJS.Timeout>();
  #busy = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Connections, used or not. */
  get count(): number {
    return this.#busy + this.#idle.size;
  }

  /** Returns a session that is at the end of one of the best hosts, kept or new. Throws UnusableHosts. Needs a `give`. */
  async take(destination: Destination, limit: number): Promise<Session> {
    const kept = this.#takeKept(destination);
    this.#busy += 1;
    if (kept) return kept;
    for (const session of this.#idle.keys()) if (this.count > limit) this.#close(session);
    try {
      return await this.#open(destination);
    } catch (error) {
      this.#busy -= 1;
      throw error;
    }
  }

  /** Returns a session after a transaction. It is kept unless it has ended, or `keep` is false. */
  give(session: Session, keep: boolean): void {
    this.#busy -= 1;
    if (keep && session.connection.usable)
      this.#idle.set(session, setTimeout(() => this.#close(session), this.#options.idleMs).unref());
    else void session.connection.close();
  }

  /** Closes all sessions that are not used. */
  close(): void {
    for (const session of this.#idle.keys()) this.#close(session);
  }

  #close(session: Session): void {
    clearTimeout(this.#idle.get(session));
    this.#idle.delete(session);
    void session.connection.close();
  }

  #takeKept({ hosts, enforcesTls }: Destination): Session | null {
    const best = new Set(hosts.filter(({ preference }) => preference === hosts[0]?.preference).map(({ name }) => name));
    for (const session of [...this.#idle.keys()].reverse()) {
      if (!session.connection.usable) this.#close(session);
      else if (best.has(session.host) && (session.isVerified || enforcesTls(session.host) === false)) {
        clearTimeout(this.#idle.get(session));
        this.#idle.delete(session);
        return session;
      }
    }
    return null;
  }

  /** Connects to the hosts in their order, one address after the other, without those that could not be reached just now. */
  async #open({ hosts, enforcesTls }: Destination): Promise<Session> {
    const { unreachable, connect } = this.#options;
    const targets = hosts.flatMap(({ name, addresses }) => {
      const enforces = enforcesTls(name);
      return enforces === null ? [] : addresses.map((address) => ({ host: name, address, enforcesTls: enforces }));
    });
    let [error, last] = [NONE_ALLOWED, hosts[0]?.name ?? ""];
    for (const target of targets.slice(0, MAX_ATTEMPTS)) {
      last = target.host;
      const known = unreachable.errorOf(target.address);
      if (known) {
        error = known;
        continue;
      }
      try {
        const connection = await connectTo(target, connect);
        const { host, address } = target;
        return { connection, host, address, isVerified: target.enforcesTls, sent: 0 };
      } catch (failure) {
        if (!(failure instanceof ConnectError)) throw failure;
        error = failure;
        unreachable.note(target.address, failure);
      }
    }
    throw new UnusableHosts(last, error);
  }
}

const NONE_ALLOWED = new ConnectError("tls", null, "the MTA-STS policy of the domain allows none of its mail servers");
