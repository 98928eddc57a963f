import type { Ctx } from "../../platform/context.ts";
import type { Paced } from "./hand-over.ts";

/** Domains that one run remembers. */
const MAX_DOMAINS = 1_000;

/** A receiver that takes no mail for a time, as an egress told. */
interface ReceiverWait extends Paced {
  /** End of the wait, in ms since 1970. */
  until: number;
}

/** A domain of recipients whose receiver waits, as FIND_WAITS finds it. */
export interface ReceiverWaitRow extends Pick<ReceiverWait, "receiver" | "label" | "reason" | "until"> {
  domain: string;
}

/** Finds the domains of a JSON array whose receivers wait at a time. Which domain a receiver has is known for a day. */
export const FIND_WAITS = `
  SELECT d.domain, w.receiver, w.label, w.reason, w.until
    FROM json_each(?1) j CROSS JOIN receiver_domains d ON d.domain = j.value CROSS JOIN receiver_waits w ON w.receiver = d.receiver
   WHERE w.until > ?2 AND d.seen_at > ?2 - 86400000`;

/** The receivers that the egress lets wait, by the domains of recipients: a run asks once for each. */
export class ReceiverWaits {
  readonly #byDomain = new Map<string, ReceiverWait>();
  readonly #unsaved = new Set<string>();

  /** Adds the waits that other runs have stored. */
  addStored(rows: readonly ReceiverWaitRow[]): void {
    for (const { domain, ...wait } of rows) this.#add(domain, { kind: "paced", ...wait, waitMs: 0, isPause: true });
  }

  /** Notes the wait of a recipient, as the egress replied. Only a pause concerns other emails. */
  note(address: string, paced: Paced, now: number): void {
    const domain = domainOf(address);
    if (!paced.isPause || this.find(address, now) !== null) return;
    this.#add(domain, { ...paced, until: now + paced.waitMs });
    this.#unsaved.add(domain);
  }

  /** Returns how long mail to an address waits, or null when the egress must be asked. */
  find(address: string, now: number): Paced | null {
    const wait = this.#byDomain.get(domainOf(address));
    return wait && wait.until > now ? { ...wait, waitMs: wait.until - now } : null;
  }

  #add(domain: string, wait: ReceiverWait): void {
    if (this.#byDomain.size < MAX_DOMAINS) this.#byDomain.set(domain, wait);
  }

  /** Stores the waits that are new in the main database, so that other runs and the timelines know them. */
  async save(ctx: Pick<Ctx, "db" | "now">): Promise<void> {
    const rows = [...this.#unsaved].flatMap((domain) => {
      const { receiver, label, reason, until } = this.#byDomain.get(domain) ?? {};
      return receiver === undefined ? [] : [{ domain, receiver, label, reason, until }];
    });
    this.#unsaved.clear();
    if (rows.length === 0) return;
    const values = JSON.stringify(rows);
    await ctx.db.batch([ctx.db.prepare(SAVE_DOMAINS).bind(values, ctx.now()), ctx.db.prepare(SAVE_WAITS).bind(values)]);
  }
}

/** Returns the domain of an address in lower case. */
export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

const SAVE_DOMAINS = `
  INSERT INTO receiver_domains (domain, receiver, seen_at)
  SELECT value->>'domain', value->>'receiver', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET receiver = excluded.receiver, seen_at = excluded.seen_at`;

const SAVE_WAITS = `
  INSERT INTO receiver_waits (receiver, label, reason, until)
  SELECT value->>'receiver', value->>'label', value->>'reason', value->>'until' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET label = excluded.label, reason = excluded.reason, until = excluded.until`;
