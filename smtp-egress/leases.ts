import { randomUUID } from "node:crypto";
import { type Clock, type Timer, wait } from "../mail-gateway/clock.ts";
import { EGRESS_LEASE_MS } from "../src/mail/egress-tickets/ticket.ts";

/** The lease of an outbox row, shared by the emails of the row. */
export interface RowLease {
  /** Shard, row and token, as they begin each of its tickets. */
  readonly key: string;
  /** The rest of one of its tickets, after `until`. */
  readonly sample: string;
  /** End by the clock of the Worker, in ms since 1970, and as tickets have it. */
  until: number;
  untilText: string;
  /** The Worker has given the row to another run, or the lease has ended: nothing further may begin. */
  isLost: boolean;
  /** Emails that have no result yet. */
  emails: number;
}

/** The Worker's response to a renewal. */
export interface Renewal {
  now: number;
  lost: readonly string[];
  /** The renewed tickets by those that were sent. */
  tickets: Readonly<Record<string, string>>;
}

export interface LeaseOptions {
  /** Renews tickets at the Worker. Throws when it does not respond. */
  renew(tickets: readonly string[]): Promise<Renewal>;
  /** A lease with less than this left is renewed, in ms. */
  renewMs: number;
  clock: Clock;
}

/** Tickets in one call. */
const GROUP = 100;
/** Between two looks for leases to renew, and after a call that failed, in ms. */
const CHECK_MS = 1_000;
const BASE = 36;

/** Keeps the leases of the outbox rows whose emails are held, and renews them: each row once, however many emails it has. */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #leases = new Map<string, RowLease>();
  readonly #timer: Timer;
  /** The clock of the Worker minus that of this machine, in ms. */
  #offset = 0;
  #running: Promise<void> | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timer = options.clock.every(CHECK_MS, () => void this.#renewDue());
  }

  /** Returns the lease of an email's ticket. Each call needs a `release`. */
  hold(ticket: string): RowLease {
    const fields = ticket.split(".");
    const [key, untilText = "", sample] = [fields.slice(0, 3).join("."), fields[3], fields.slice(4).join(".")];
    const until = Number.parseInt(untilText, BASE);
    // A lease begins with its full time, so one that ends later than that tells of a clock that is ahead.
    this.#offset = Math.max(this.#offset, until - EGRESS_LEASE_MS - this.#options.clock.now());
    const lease = this.#leases.get(key) ?? { key, sample, until, untilText, isLost: false, emails: 0 };
    if (until > lease.until) Object.assign(lease, { until, untilText });
    lease.emails += 1;
    this.#leases.set(key, lease);
    return lease;
  }

  /** Returns a lease of an email without an outbox row, whose sender waits for its result: it ends after `ms`, for good. */
  withoutRow(ms: number): RowLease {
    const until = this.#options.clock.now() + this.#offset + ms;
    return { key: `direct ${randomUUID()}`, sample: "", until, untilText: "", isLost: false, emails: 1 };
  }

  /** Notes that an email of the row has its result. */
  release(lease: RowLease): void {
    lease.emails -= 1;
    if (lease.emails === 0) this.#leases.delete(lease.key);
  }

  /** Returns whether nothing further may begin under the lease. */
  isOver(lease: RowLease): boolean {
    return lease.isLost || this.#left(lease) <= 0;
  }

  /** Returns whether so much of the lease is left, in ms. */
  has(lease: RowLease, ms: number): boolean {
    return !lease.isLost && this.#left(lease) >= ms;
  }

  /** Renews the lease until so much of it is left, in ms. Returns false when it is over. */
  async ensure(lease: RowLease, ms: number): Promise<boolean> {
    for (;;) {
      if (this.isOver(lease)) return false;
      if (this.#left(lease) >= ms) return true;
      const checked = wait(this.#options.clock, CHECK_MS);
      await this.#renewDue();
      if (this.#left(lease) < ms) await checked;
    }
  }

  /** Resolves when no renewal is in progress: then the ends of all leases are known. */
  async known(): Promise<void> {
    await this.#running;
  }

  close(): void {
    this.#timer.cancel();
  }

  #left({ until }: RowLease): number {
    return until - (this.#options.clock.now() + this.#offset);
  }

  /** Renews all leases that are due. One run at a time: what became due meanwhile is in the next one. */
  async #renewDue(): Promise<void> {
    if (this.#running) return this.#running;
    const due = [...this.#leases.values()].filter((lease) => {
      return !this.isOver(lease) && this.#left(lease) < this.#options.renewMs;
    });
    const groups = Array.from({ length: Math.ceil(due.length / GROUP) }, (_, n) =>
      due.slice(n * GROUP, (n + 1) * GROUP),
    );
    this.#running = Promise.all(groups.map((group) => this.#renew(group).catch(() => {})))
      .then(() => {})
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #renew(group: readonly RowLease[]): Promise<void> {
    const ticketOf = ({ key, untilText, sample }: RowLease) => `${key}.${untilText}.${sample}`;
    const sent = group.map(ticketOf);
    const { now, lost, tickets } = await this.#options.renew(sent);
    this.#offset = now - this.#options.clock.now();
    for (const [index, lease] of group.entries()) {
      const ticket = sent[index] ?? "";
      const untilText = tickets[ticket]?.split(".")[3];
      if (lost.includes(ticket)) lease.isLost = true;
      else if (untilText) Object.assign(lease, { untilText, until: Number.parseInt(untilText, BASE) });
    }
  }
}
