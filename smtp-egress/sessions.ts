import type { Clock, Timer } from "../mail-gateway/clock.ts";
import { ConnectError, type Connection } from "../src/mail/smtp/client.ts";
import { type ConnectSettings, connectTo } from "./connect.ts";
import type { MxHost } from "./route.ts";
import { type HostRule, keyOfRule } from "./tls-rule.ts";
import type { Unreachable } from "./unreachable.ts";

/** A kept connection to a host of a receiver. */
export interface Session {
  readonly connection: Connection;
  readonly host: string;
  readonly address: string;
  /** Key of the rule for TLS that it obeys. */
  readonly ruleKey: string;
  /** Messages that were sent on it. */
  sent: number;
  /** Those of them that it refused at MAIL. */
  refused: number;
}

/** Hosts of a delivery, in the order in which they are tried. */
export interface Destination {
  hosts: readonly (MxHost & { rule: HostRule })[];
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
  clock: Clock;
}

/** Addresses that one delivery tries. */
const MAX_ATTEMPTS = 5;
/** A receiver may count a connection for so long after it was closed, in ms. */
const COUNTED_MS = 100;

/** Connections to the hosts of one receiver: kept ones are used again, also for other domains on the same host. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #idle = new Map<Session, Timer>();
  readonly #closing = new Set<Promise<void>>();
  #busy = 0;
  #opening = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Connections, used or not. */
  get count(): number {
    return this.#busy + this.#opening + this.#idle.size;
  }

  /** A host takes messages now. */
  get hasOpen(): boolean {
    return this.#busy > 0 || [...this.#idle.keys()].some(({ connection }) => connection.usable);
  }

  /** Returns a session that is at the end of one of the best hosts, kept or new. Throws UnusableHosts. Needs a `give`. */
  async take(destination: Destination, limit: number): Promise<Session> {
    const kept = this.#takeKept(destination);
    if (kept) {
      this.#busy += 1;
      return kept;
    }
    this.#opening += 1;
    for (const session of this.#idle.keys()) if (this.count > limit) this.#close(session);
    try {
      if (this.count + this.#closing.size > limit) await Promise.all(this.#closing);
      const session = await this.#open(destination);
      this.#busy += 1;
      return session;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Returns a session after a transaction. It is kept unless it has ended, or `keep` is false. */
  give(session: Session, keep: boolean): void {
    this.#busy -= 1;
    const { clock, idleMs } = this.#options;
    if (keep && session.connection.usable)
      this.#idle.set(
        session,
        clock.after(idleMs, () => this.#close(session)),
      );
    else this.#quit(session);
  }

  /** Closes all sessions that are not used. */
  close(): void {
    for (const session of this.#idle.keys()) this.#close(session);
  }

  #close(session: Session): void {
    this.#idle.get(session)?.cancel();
    this.#idle.delete(session);
    this.#quit(session);
  }

  #quit({ connection }: Session): void {
    const { clock } = this.#options;
    const counted = () => new Promise<void>((over) => clock.after(COUNTED_MS, over));
    const closed = connection
      .close()
      .then(counted)
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #takeKept({ hosts }: Destination): Session | null {
    const best = hosts.filter(({ preference }) => preference === hosts[0]?.preference);
    const rules = new Map(best.map(({ name, rule }) => [name, rule]));
    for (const session of [...this.#idle.keys()].reverse()) {
      const rule = rules.get(session.host);
      if (!session.connection.usable) this.#close(session);
      else if (rule && (rule.kind === "opportunistic" || session.ruleKey === keyOfRule(rule))) {
        this.#idle.get(session)?.cancel();
        this.#idle.delete(session);
        return session;
      }
    }
    return null;
  }

  /** Connects to the hosts in their order, one address after the other, without those that could not be reached just now. */
  async #open({ hosts }: Destination): Promise<Session> {
    const { unreachable, connect } = this.#options;
    const targets = hosts.flatMap(({ name, addresses, rule }) =>
      rule.kind === "forbidden" ? [] : addresses.map((address) => ({ host: name, address, rule })),
    );
    let [error, last] = [forbiddenError(hosts.map(({ rule }) => rule)), hosts[0]?.name ?? ""];
    for (const target of targets.slice(0, MAX_ATTEMPTS)) {
      last = target.host;
      const known = unreachable.errorOf(target);
      if (known) {
        error = known;
        continue;
      }
      try {
        const connection = await connectTo(target, connect);
        const { host, address, rule } = target;
        return { connection, host, address, ruleKey: keyOfRule(rule), sent: 0, refused: 0 };
      } catch (failure) {
        if (!(failure instanceof ConnectError)) throw failure;
        error = failure;
        if (!this.hasOpen) unreachable.note(target, failure);
      }
    }
    throw new UnusableHosts(last, error);
  }
}

function forbiddenError(rules: readonly HostRule[]): ConnectError {
  const reasons = rules.flatMap((rule) => (rule.kind === "forbidden" ? [rule.reason] : []));
  return new ConnectError("tls", null, reasons[0] ?? "the domain has no mail server");
}
