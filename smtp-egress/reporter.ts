import { type Clock, type Timer, wait } from "../mail-gateway/clock.ts";
import { StatusError } from "../mail-gateway/errors.ts";
import { log } from "../mail-gateway/log.ts";
import { type HeldEmail, ticketOf } from "./hold.ts";
import { isOfFinalDot, type RecipientResult, type Result } from "./outcomes.ts";

export interface ReporterOptions {
  /** Tells the Worker results. Returns the tickets whose lease is lost. Throws when nothing is known about the call. */
  call(body: { address: string; outcomes: { ticket: string; recipients: RecipientResult[] }[] }): Promise<string[]>;
  /** Waits for renewals of leases that are in progress: the Worker may have made one before it took a report. */
  renewed(): Promise<void>;
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
  results: Map<string, Result>;
  finalDots: number;
}

/** The same in a call. */
interface Told {
  email: HeldEmail;
  outcome: { ticket: string; recipients: RecipientResult[] };
  finalDots: number;
}

/** Emails in one call, bytes of their JSON (the Worker reads 262,144), and calls at a time. */
const GROUP = 100;
const GROUP_BYTES = 200_000;
const MAX_CALLS = 4;
/** Between two attempts of a call, in ms: doubled after each one up to the second. */
const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Returns whether the Worker does not take a call for its content: the same call would fail again. */
function isAboutContent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof StatusError && (cause.status === 413 || cause.status === 422);
}

const withPresentTicket = (told: Told): Told => ({
  ...told,
  outcome: { ...told.outcome, ticket: ticketOf(told.email) },
});

/** Tells the Worker results in groups, each until it is acknowledged. */
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

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Results of final dots that are not acknowledged. */
  get unacknowledged(): number {
    return this.#finalDots;
  }

  /** Adds results of one transaction. */
  report(email: HeldEmail, recipients: readonly RecipientResult[]): void {
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
      const outcome = { ticket: ticketOf(email), recipients };
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
    for (const { email } of group) this.#inCalls.delete(email);
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
        const renewed = await this.#noteLost(group.filter(({ outcome }) => lost.has(outcome.ticket)));
        this.#acknowledge(group.filter((told) => !renewed.includes(told)));
        return renewed.length > 0 ? await this.#tellUntilAcknowledged(renewed.map(withPresentTicket)) : undefined;
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

  /** Notes the lost leases of results. Returns those whose lease was renewed meanwhile instead: they had an earlier ticket. */
  async #noteLost(lost: readonly Told[]): Promise<Told[]> {
    if (lost.length === 0) return [];
    await this.#options.renewed();
    const renewed = lost.filter(({ email, outcome }) => ticketOf(email) !== outcome.ticket);
    for (const told of lost) if (!renewed.includes(told)) told.email.lease.isLost = true;
    return renewed;
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
