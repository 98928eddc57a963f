import { randomUUID } from "node:crypto";
import { type Clock, resultWithin, type Timer, wait } from "../mail-gateway/clock.ts";
import { chunks } from "../src/lib/chunks.ts";
import { HAND_OVER_MS } from "../src/mail/egress-tickets/ticket.ts";

/** The lease of an outbox row, shared by the emails of the row. */
export interface RowLease {
  /** Number of the mail database, row and token, as they begin each of its tickets. */
  readonly key: string;
  /** One of its tickets. */
  readonly ticket: string;
  /** End, in ms of `Clock.elapsed`. */
  until: number;
  /** The Worker has given the row to another run, or has removed it: nothing further may begin. */
  isLost: boolean;
  /** Hand-overs, emails without a result and reports without acknowledgement that need it. */
  uses: number;
}

/** The Worker's response to a renewal. Times in ms since 1970, by the clock of the Worker. */
export interface Renewal {
  until: number;
  now: number;
  /** Tickets whose lease is lost. */
  lost: readonly string[];
}

export interface LeaseOptions {
  /** Renews the leases of tickets of one mail database at the Worker. Throws when it does not respond. */
  renew(tickets: readonly string[]): Promise<Renewal>;
  /** A lease with less than this left is renewed, in ms. */
  renewMs: number;
  clock: Clock;
}

/** The renewals of one mail database, one after the other: those that are due during one share the next one. */
interface Renewals {
  running: Promise<void>;
  next: Promise<void> | null;
  leases: Set<RowLease>;
}

/** Tickets in one call. */
const GROUP = 100;
/** Between two looks for leases to renew, and after a call that failed, in ms. */
const CHECK_MS = 1_000;
/** A call that takes longer counts as failed, in ms: the leases that wait for it have a minute. */
const CALL_MS = 10_000;

/** Keeps the leases of the outbox rows whose emails are held, and renews them: each row once, however many emails it has. */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #leases = new Map<string, RowLease>();
  /** By mail database, so that one that does not respond delays no other. */
  readonly #renewals = new Map<string, Renewals>();
  readonly #timer: Timer;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timer = options.clock.every(CHECK_MS, () => {
      for (const lease of this.#leases.values()) if (this.#isDue(lease)) void this.renew(lease);
    });
  }

  /** Returns the lease of a ticket that was received just now. Needs a `release`. */
  take(ticket: string): RowLease {
    const key = ticket.split(".", 3).join(".");
    const lease = this.#leases.get(key) ?? { key, ticket, until: 0, isLost: false, uses: 0 };
    lease.until = Math.max(lease.until, this.#options.clock.elapsed() + HAND_OVER_MS);
    return this.keep(lease);
  }

  /** Returns a lease of an email without an outbox row, whose sender waits for its result: it ends after `ms`, for good. */
  withoutRow(ms: number): RowLease {
    const until = this.#options.clock.elapsed() + ms;
    return { key: `direct ${randomUUID()}`, ticket: "", until, isLost: false, uses: 1 };
  }

  /** Keeps a lease until a further `release`, and returns it. */
  keep(lease: RowLease): RowLease {
    lease.uses += 1;
    this.#leases.set(lease.key, lease);
    return lease;
  }

  /** Renews a lease no more when nothing else needs it. */
  release(lease: RowLease): void {
    lease.uses -= 1;
    if (lease.uses === 0) this.#leases.delete(lease.key);
  }

  /** Returns whether nothing further may begin under the lease. */
  isOver(lease: RowLease): boolean {
    return lease.isLost || this.#left(lease) <= 0;
  }

  /** Returns whether so much of the lease is left, in ms. */
  has(lease: RowLease, ms: number): boolean {
    return !lease.isLost && this.#left(lease) >= ms;
  }

  /** Renews the lease until so much of it is left, in ms, or until it is over. */
  async ensure(lease: RowLease, ms: number): Promise<void> {
    while (!this.isOver(lease) && !this.has(lease, ms)) {
      await this.renew(lease);
      if (!lease.isLost && !this.has(lease, ms)) await wait(this.#options.clock, CHECK_MS);
    }
  }

  /** Renews a lease, if it is due, by the next call for its mail database. Never throws. */
  renew(lease: RowLease): Promise<void> {
    const database = lease.key.split(".", 1).join();
    const renewals = this.#renewals.get(database) ?? { running: Promise.resolve(), next: null, leases: new Set() };
    this.#renewals.set(database, renewals);
    renewals.leases.add(lease);
    renewals.next ??= renewals.running.then(() => {
      const due = [...renewals.leases].filter((one) => this.#isDue(one));
      renewals.leases.clear();
      renewals.next = null;
      renewals.running = this.#renewAll(due);
      return renewals.running;
    });
    return renewals.next;
  }

  close(): void {
    this.#timer.cancel();
  }

  #left({ until }: RowLease): number {
    return until - this.#options.clock.elapsed();
  }

  #isDue(lease: RowLease): boolean {
    return lease.uses > 0 && !this.isOver(lease) && this.#left(lease) < this.#options.renewMs;
  }

  async #renewAll(leases: readonly RowLease[]): Promise<void> {
    await Promise.all(chunks(leases, GROUP).map((group) => this.#renewGroup(group).catch(() => {})));
  }

  async #renewGroup(group: readonly RowLease[]): Promise<void> {
    const { clock, renew } = this.#options;
    const sentAt = clock.elapsed();
    const renewal = await resultWithin(clock, CALL_MS, renew(group.map(({ ticket }) => ticket)));
    if (renewal === null) return;
    const until = sentAt + renewal.until - renewal.now;
    const lost = new Set(renewal.lost);
    for (const lease of group) {
      if (lost.has(lease.ticket)) lease.isLost = true;
      else lease.until = Math.max(lease.until, until);
    }
  }
}
