import { type Clock, type Timer, wait } from "../mail-gateway/clock.ts";
import { StatusError } from "../mail-gateway/errors.ts";
import { log } from "../mail-gateway/log.ts";
import type { ReportedOutcome, ReportedRecipient, ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { HeldEmail } from "./hold.ts";
import type { Leases } from "./leases.ts";
import { isOfFinalDot } from "./results.ts";

export interface ReporterOptions {
  /** Tells the Worker results. Returns the tickets whose lease is lost. Throws when nothing is known about the call. */
  call(body: { address: string; outcomes: ReportedOutcome[] }): Promise<string[]>;
  leases: Pick<Leases, "keep" | "release">;
  /** The source address. */
  address: string;
  /** The longest wait of a result for others, in ms. */
  groupMs: number;
  /** Results of final dots without acknowledgement from which `permit` waits. */
  unacknowledged: number;
  clock: Clock;
}

/** Results of one email that go in one call, by recipient: a later one replaces that it is held. */
interface Waiting {
  results: Map<string, ReportedResult>;
  finalDots: number;
}

/** The same in a call. */
interface Told {
  email: HeldEmail;
  outcome: ReportedOutcome;
  finalDots: number;
}

/** Emails in one call, bytes of their JSON (the Worker reads 262,144), and calls at a time. */
const GROUP = 100;
const GROUP_BYTES = 200_000;
const MAX_CALLS = 4;
/** Between two attempts of a call, in ms: doubled after each one up to the second. */
const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** The Worker counts as down when it acknowledges none of the results that wait for so long, in ms. */
const STUCK_MS = 30_000;

/** Returns whether the Worker does not take a call for its content: the same call would fail again. */
function isAboutContent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof StatusError && (cause.status === 413 || cause.status === 422);
}

/** Tells the Worker results in groups, each until it is acknowledged, and keeps the leases of their rows until then. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #waiting = new Map<HeldEmail, Waiting>();
  /** Emails in calls: what comes about one of them meanwhile is told by a later call, so that the Worker sees results in order. */
  readonly #inCalls = new Set<HeldEmail>();
  readonly #permits: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #timer: Timer | null = null;
  #calls = 0;
  #finalDots = 0;
  /** When the last call was acknowledged, or the first result came after that, in ms of `Clock.elapsed`. Null: nothing waits. */
  #waitingSince: number | null = null;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Results of final dots that are not acknowledged. */
  get unacknowledged(): number {
    return this.#finalDots;
  }

  /** Returns whether the Worker has not acknowledged any results for too long. */
  get isStuck(): boolean {
    return this.#waitingSince !== null && this.#options.clock.elapsed() - this.#waitingSince >= STUCK_MS;
  }

  /** Adds results of one transaction. */
  report(email: HeldEmail, recipients: readonly ReportedRecipient[]): void {
    // If the lease of the row ended before the Worker has this report, another run would send the email again.
    if (!this.#waiting.has(email) && !this.#inCalls.has(email)) this.#options.leases.keep(email.lease);
    this.#waitingSince ??= this.#options.clock.elapsed();
    const waiting = this.#waiting.get(email) ?? { results: new Map(), finalDots: 0 };
    const finalDots = recipients.some(({ result }) => isOfFinalDot(result)) ? 1 : 0;
    for (const { address, result } of recipients) waiting.results.set(address, result);
    waiting.finalDots += finalDots;
    this.#finalDots += finalDots;
    this.#waiting.set(email, waiting);
    this.#sendSoon();
  }

  /** Waits until a further final dot may be sent. */
  permit(): Promise<void> {
    if (this.#finalDots < this.#options.unacknowledged) return Promise.resolve();
    return new Promise((resolve) => this.#permits.push(resolve));
  }

  /** Resolves when everything is acknowledged. */
  flushed(): Promise<void> {
    this.#send();
    if (this.#calls === 0 && this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #sendSoon(): void {
    if (this.#waiting.size >= GROUP || this.#idle.length > 0) this.#send();
    else this.#timer ??= this.#options.clock.after(this.#options.groupMs, () => this.#send());
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = null;
    while (this.#calls < MAX_CALLS) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      void this.#tell(group);
    }
  }

  #takeGroup(): Told[] {
    const group: Told[] = [];
    let bytes = 0;
    for (const [email, { results, finalDots }] of this.#waiting) {
      if (this.#inCalls.has(email)) continue;
      const recipients = Array.from(results, ([address, result]) => ({ address, result }));
      const outcome = { ticket: email.ticket, recipients };
      bytes += Buffer.byteLength(JSON.stringify(outcome)) + 1;
      if (group.length === GROUP || (group.length > 0 && bytes > GROUP_BYTES)) break;
      this.#waiting.delete(email);
      group.push({ email, outcome, finalDots });
    }
    return group;
  }

  async #tell(group: readonly Told[]): Promise<void> {
    this.#calls += 1;
    for (const { email } of group) this.#inCalls.add(email);
    await this.#tellUntilAcknowledged(group);
    for (const { email } of group) {
      this.#inCalls.delete(email);
      if (!this.#waiting.has(email)) this.#options.leases.release(email.lease);
    }
    this.#waitingSince = this.#waiting.size + this.#inCalls.size > 0 ? this.#options.clock.elapsed() : null;
    this.#calls -= 1;
    if (this.#finalDots < this.#options.unacknowledged) for (const resolve of this.#permits.splice(0)) resolve();
    if (this.#waiting.size > 0) this.#sendSoon();
    else if (this.#calls === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /**
   * Tells results until they are acknowledged. What the Worker does not take for its content is told in halves, so that the others are
   * told, and is dropped when it is alone: the lease of its row ends without a report.
   */
  async #tellUntilAcknowledged(group: readonly Told[]): Promise<void> {
    const outcomes = group.map(({ outcome }) => outcome);
    for (let ms = RETRY_MS; ; ms = Math.min(2 * ms, MAX_RETRY_MS)) {
      try {
        const lost = new Set(await this.#options.call({ address: this.#options.address, outcomes }));
        for (const { email } of group) if (lost.has(email.ticket)) email.lease.isLost = true;
        return this.#acknowledge(group);
      } catch (error) {
        if (!isAboutContent(error)) await wait(this.#options.clock, ms);
        else if (group.length > 1) return this.#tellInHalves(group);
        else {
          log("report.dropped", { ticket: outcomes[0]?.ticket, error: String(error) });
          return this.#acknowledge(group);
        }
      }
    }
  }

  async #tellInHalves(group: readonly Told[]): Promise<void> {
    const half = Math.ceil(group.length / 2);
    await this.#tellUntilAcknowledged(group.slice(0, half));
    await this.#tellUntilAcknowledged(group.slice(half));
  }

  #acknowledge(group: readonly Told[]): void {
    for (const { finalDots } of group) this.#finalDots -= finalDots;
  }
}
