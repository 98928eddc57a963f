import type { Ctx } from "../../../platform/context.ts";
import {
  domainOf,
  type ReceiverWait,
  type ReceiverWaitRow,
  receiverDomainsStatement,
  receiverWaitsStatement,
} from "../../receivers/index.ts";
import type { Paced } from "./hand-over.ts";

/** Domains that one run remembers. */
const MAX_DOMAINS = 1_000;

/** The receivers that the egress lets wait, by the domains of recipients: a run asks once for each. */
export class ReceiverWaits {
  readonly #byDomain = new Map<string, ReceiverWait>();
  readonly #unsaved = new Set<string>();
  /** Name of the egress. Others have waits of their own. */
  readonly #egress: string;

  constructor(egress: string) {
    this.#egress = egress;
  }

  /** Adds the waits that other runs have stored. */
  addStored(rows: readonly ReceiverWaitRow[]): void {
    for (const { domain, egress: _, ...wait } of rows) this.#add(domain, wait);
  }

  /** Notes the wait of a recipient, as the egress replied. Only a pause concerns other emails. */
  note(address: string, { receiver, label, reason, waitMs, isPause }: Paced, now: number): void {
    const domain = domainOf(address);
    if (!isPause || this.find(address, now) !== null) return;
    this.#add(domain, { receiver, label, reason, until: now + waitMs });
    this.#unsaved.add(domain);
  }

  /** Returns how long mail to an address waits, or null when the egress must be asked. */
  find(address: string, now: number): Paced | null {
    const wait = this.#byDomain.get(domainOf(address));
    if (!wait || wait.until <= now) return null;
    const { receiver, label, reason, until } = wait;
    return { kind: "paced", receiver, label, reason, waitMs: until - now, isPause: true };
  }

  /** Stores the waits that are new in the main database, so that other runs and the timelines know them. */
  async save(ctx: Pick<Ctx, "db" | "now">): Promise<void> {
    const waits = [...this.#unsaved].flatMap((domain) => {
      const wait = this.#byDomain.get(domain);
      return wait ? [{ domain, ...wait }] : [];
    });
    this.#unsaved.clear();
    if (waits.length === 0) return;
    await ctx.db.batch([receiverDomainsStatement(ctx, waits), receiverWaitsStatement(ctx, waits, this.#egress)]);
  }

  #add(domain: string, wait: ReceiverWait): void {
    if (this.#byDomain.size < MAX_DOMAINS) this.#byDomain.set(domain, wait);
  }
}
