/**
 * A plain interpreter of what becomes of emails and their outbox rows, after docs/contract/delivery.md#attempts-and-waits: it shares no
 * code with src. Times are in milliseconds.
 */

/** How long a run, and an egress that renews, hold a row. */
const RUN_LEASE = 2 * 60_000;
const EGRESS_LEASE = 15 * 60_000;
/** From this claim on, the emails of a shared row get rows of their own. */
const SPLIT_AT = 3;
/** An email whose claims are more has failed. */
const MAX_CLAIMS = 8;

/** Word of an egress about an email, in its reply or in a report. */
export type Word = "accepted" | "held" | "deferred" | "returned";
/** Fault of a variant of the model. */
export type Fault = "two rows of one id" | "a lost renewal" | "a late report that wins" | "a double claim";

/** An email that a run has claimed, and may hand over. */
export interface Claimed {
  email: string;
  row: string;
  token: string;
  /** An earlier claim has ended without an outcome. */
  isMarked: boolean;
  /** Deed of the run with it. */
  plan: "send" | "split" | "fail";
}

interface Email {
  state: "scheduled" | "queued" | "final";
  /** Its row. */
  row: string;
  /** The hand-overs after which it may have been delivered, or may still be. */
  open: Set<string>;
  /** The hand-over that the receiver has accepted was marked. */
  isMarked: boolean;
}

export interface Row {
  /** Null: later than now, at a time that the model does not know. */
  dueAt: number | null;
  leasedUntil: number;
  token: string | null;
  claims: number;
}

export class Model {
  readonly emails = new Map<string, Email>();
  readonly rows = new Map<string, Row>();
  /** Emails that were handed over twice without a mark. */
  readonly doubles: string[] = [];
  readonly #fault: Fault | null;

  constructor(fault: Fault | null = null) {
    this.#fault = fault;
  }

  /** Accepts emails that share a row; a lone one has its id. */
  accept(row: string, ids: readonly string[], dueAt: number, state: "queued" | "scheduled" = "queued"): void {
    this.rows.set(row, { dueAt, leasedUntil: 0, token: null, claims: 0 });
    for (const id of ids) this.emails.set(id, { state, row, open: new Set(), isMarked: false });
  }

  /** Emails that are not final, of a row or all. */
  waiting(row?: string): string[] {
    return [...this.emails].flatMap(([id, email]) =>
      email.state !== "final" && (row === undefined || email.row === row) ? [id] : [],
    );
  }

  /** Returns the emails that a claim takes: of rows that a message names, and of due ones that no run has claimed before. */
  claim(token: string, now: number, named: ReadonlySet<string>): Claimed[] {
    const taken: Claimed[] = [];
    for (const [id, row] of this.rows) {
      const isFree = row.leasedUntil <= now || this.#fault === "a double claim";
      const isDue = row.dueAt !== null && row.dueAt <= now;
      if (!isFree || !isDue || !(named.has(id) || row.claims === 0)) continue;
      Object.assign(row, { token, leasedUntil: now + RUN_LEASE, claims: row.claims + 1 });
      const emails = this.waiting(id);
      const isSplit = row.claims >= SPLIT_AT && emails.length > 1;
      const plan = isSplit ? "split" : row.claims > MAX_CLAIMS ? "fail" : "send";
      for (const email of emails) taken.push({ email, row: id, token, isMarked: row.claims > 1, plan });
    }
    for (const { email } of taken) this.#get(email).state = "queued";
    return taken;
  }

  /** Ends the claim of an email that the run does not send. */
  settle(claimed: Claimed, now: number): void {
    if (claimed.plan === "split") this.#ownRow(claimed, now);
    if (claimed.plan === "fail") this.#finish(claimed.email, false);
  }

  handOver({ email, token, isMarked }: Claimed): void {
    const { open } = this.#get(email);
    if (open.size > 0 && !isMarked) this.doubles.push(email);
    open.add(token);
  }

  /** Takes the word of an egress about a hand-over. */
  hear(claimed: Claimed, word: Word, now: number): void {
    const email = this.#get(claimed.email);
    const isHeld = this.#holds(claimed) || this.#fault === "a late report that wins";
    if (word === "deferred" || word === "returned") email.open.delete(claimed.token);
    if (email.state === "final" || word === "held") return;
    if (word === "accepted") this.#finish(claimed.email, claimed.isMarked);
    else if (isHeld) this.#ownRow(claimed, word === "returned" ? now : null);
  }

  /** Makes the lease of a hand-over last longer, while it is held. */
  renew({ row: id, token }: Claimed, now: number): void {
    const row = this.rows.get(id);
    if (row?.token !== token || this.#fault === "a lost renewal") return;
    row.leasedUntil = Math.max(row.leasedUntil, now + EGRESS_LEASE);
  }

  /** Moves or cancels (null) a scheduled email. Returns false when it is not scheduled. */
  reschedule(id: string, dueAt: number | null): boolean {
    const email = this.#get(id);
    if (email.state !== "scheduled") return false;
    const row = this.rows.get(email.row);
    if (dueAt === null) this.#finish(id, false);
    else if (row) row.dueAt = dueAt;
    return true;
  }

  /** The fence: who has claimed the row last. */
  #holds({ email, row, token }: Claimed): boolean {
    return this.rows.get(row)?.token === token && this.#get(email).row === row;
  }

  #finish(id: string, isMarked: boolean): void {
    const email = this.#get(id);
    Object.assign(email, { state: "final", isMarked });
    this.#deleteEmpty(email.row);
  }

  #ownRow({ email: id, row, isMarked }: Claimed, dueAt: number | null): void {
    const email = this.#get(id);
    const own = this.#fault === "two rows of one id" ? `${id} again` : id;
    email.row = own;
    this.rows.set(own, { dueAt, leasedUntil: 0, token: null, claims: isMarked ? 1 : 0 });
    this.#deleteEmpty(row);
  }

  #deleteEmpty(row: string): void {
    if (this.waiting(row).length === 0) this.rows.delete(row);
  }

  #get(id: string): Email {
    const email = this.emails.get(id);
    if (!email) throw new Error(`the model has no email ${id}`);
    return email;
  }
}
