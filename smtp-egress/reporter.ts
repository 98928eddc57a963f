import { type HeldEmail, ticketOf } from "./hold.ts";
import { isOfFinalDot, type RecipientResult } from "./outcomes.ts";

export interface ReporterOptions {
  /** Tells the Worker results. Returns the tickets whose lease is lost. Throws when nothing is known about the call. */
  call(body: { address: string; outcomes: { ticket: string; recipients: RecipientResult[] }[] }): Promise<string[]>;
  /** The source address. */
  address: string;
  /** The longest wait of a result for others, in ms. */
  groupMs: number;
  /** Results of final dots without acknowledgement from which `permit` waits. */
  unacknowledged: number;
}

/** Results of one email that go in one call. */
interface Waiting {
  recipients: RecipientResult[];
  finalDots: number;
}

/** Emails in one call, and calls at a time. */
const GROUP = 100;
const MAX_CALLS = 4;
/** Between two attempts of a call, in ms: doubled after each one up to the second. */
const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Tells the Worker results in groups, each until it is acknowledged. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #waiting = new Map<HeldEmail, Waiting>();
  readonly #permits: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
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
    const waiting = this.#waiting.get(email) ?? { recipients: [], finalDots: 0 };
    const finalDots = recipients.some(({ result }) => isOfFinalDot(result)) ? 1 : 0;
    waiting.recipients.push(...recipients);
    waiting.finalDots += finalDots;
    this.#finalDots += finalDots;
    this.#waiting.set(email, waiting);
    this.#sendSoon();
  }

  /** Waits until a further final dot may be sent. */
  permit(): Promise<void> {
    if (this.#permits.length === 0 && this.#finalDots < this.#options.unacknowledged) return Promise.resolve();
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
    else this.#timer ??= setTimeout(() => this.#send(), this.#options.groupMs);
  }

  #send(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#calls < MAX_CALLS && this.#waiting.size > 0) {
      const group = [...this.#waiting].slice(0, GROUP);
      for (const [email] of group) this.#waiting.delete(email);
      void this.#tell(group);
    }
  }

  async #tell(group: [HeldEmail, Waiting][]): Promise<void> {
    this.#calls += 1;
    const outcomes = group.map(([email, { recipients }]) => ({ ticket: ticketOf(email), recipients }));
    const lost = new Set(await this.#callUntilAcknowledged({ address: this.#options.address, outcomes }));
    for (const [index, [email, { finalDots }]] of group.entries()) {
      if (lost.has(outcomes[index]?.ticket ?? "")) email.lease.isLost = true;
      this.#finalDots -= finalDots;
    }
    this.#calls -= 1;
    for (const resolve of this.#permits.splice(0, Math.max(0, this.#options.unacknowledged - this.#finalDots)))
      resolve();
    if (this.#waiting.size > 0) this.#sendSoon();
    else if (this.#calls === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #callUntilAcknowledged(body: Parameters<ReporterOptions["call"]>[0]): Promise<string[]> {
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      try {
        return await this.#options.call(body);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }
}
