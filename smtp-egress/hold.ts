import type { ReportedRecipient, ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { RowLease } from "./leases.ts";

/** An email in memory, under the lease of its outbox row, or while its sender waits for the result. */
export interface HeldEmail {
  /** Takes the results of an email without an outbox row; null: they are reported. */
  readonly respond: ((results: readonly ReportedRecipient[]) => void) | null;
  readonly ticket: string;
  lease: RowLease;
  /** Return path. */
  readonly from: string;
  /** Shared by all recipients. Empty once each of them has a result. */
  content: readonly Buffer[];
  readonly size: number;
  readonly needsSmtpUtf8: boolean;
  readonly needs8BitMime: boolean;
  /** Results by recipient; null: none yet. */
  readonly results: Map<string, ReportedResult | null>;
}

/** Memory of an email beside its content, in bytes. */
export const EMAIL_BYTES = 2_048;
/** Emails with results that are remembered, so that a repeated hand-over gets them: some 10 MB. */
const MAX_KNOWN = 10_000;

/** Keeps emails in memory, bounded in all. */
export class Hold {
  readonly #limit: number;
  readonly #emails = new Map<string, HeldEmail>();
  readonly #known = new Map<string, HeldEmail>();
  readonly #tickets = new Set<string>();
  #used = 0;

  /** `limit`: bytes of all emails. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  get free(): number {
    return this.#limit - this.#used;
  }

  /** The emails of which a recipient has no result yet. */
  get emails(): Iterable<HeldEmail> {
    return this.#emails.values();
  }

  get count(): number {
    return this.#emails.size;
  }

  /** Takes room for an email. Returns false when the memory is full. Room needs a `release`, or an `add` and the results. */
  reserve(bytes: number): boolean {
    if (this.#used + bytes > this.#limit) return false;
    this.#used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }

  /** Adds an email whose room was reserved. */
  add(email: HeldEmail): void {
    this.#emails.set(nameOf(email.ticket, [...email.results.keys()]), email);
    this.#tickets.add(email.ticket);
  }

  /** Returns whether an email with this ticket was handed over before. */
  knows(ticket: string): boolean {
    return this.#tickets.has(ticket);
  }

  /** Returns the email that was handed over with the same ticket and recipients, with the results that it has. */
  find(ticket: string, recipients: readonly string[]): HeldEmail | null {
    const name = nameOf(ticket, recipients);
    return this.#emails.get(name) ?? this.#known.get(name) ?? null;
  }

  /** Removes the content of an email that needs none any more, but remembers its results. */
  settle(email: HeldEmail): void {
    const name = nameOf(email.ticket, [...email.results.keys()]);
    if (!this.#emails.delete(name)) return;
    this.release(email.size + EMAIL_BYTES);
    email.content = [];
    this.#known.set(name, email);
    const [oldest] = this.#known;
    if (this.#known.size <= MAX_KNOWN || !oldest) return;
    this.#known.delete(oldest[0]);
    this.#tickets.delete(oldest[1].ticket);
  }
}

const nameOf = (ticket: string, recipients: readonly string[]) => `${ticket} ${[...recipients].sort().join(" ")}`;
