import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { applyFacts, type EmailUpdate, syncDueAtStatement } from "../emails/index.ts";
import {
  findLeaseEnd,
  finishStatement,
  LEASE_MS,
  type Lease,
  mayStart,
  type RescheduledRow,
  releaseStatement,
  renewStatement,
  rescheduleStatement,
  shouldRenew,
} from "../outbox/index.ts";
import type { Claim, ClaimedMail } from "./claim.ts";
import { FLUSH_AFTER_MS, FLUSH_EVERY, FLUSH_OCTETS, MAX_UNWRITTEN, RENEW_EVERY_MS } from "./rules.ts";

/** Waits between tries of a write that the database refused, in milliseconds. */
const RETRY_MS = [50, 200, 800, 3000];

/**
 * Writes down what became of the mails of one claim: in sets, fenced by the lease, with at most 20 mails
 * between their MAIL FROM and their row at any moment. Keeps the lease while anything is under way.
 */
export class OutcomeWriter {
  readonly #ctx: Ctx;
  #lease: Lease;
  /** Mails of each held row that have no outcome on record yet. */
  readonly #unsettled: Map<string, Set<number>>;
  /** By emails.n. */
  readonly #mails: Map<number, ClaimedMail>;
  /** Mails that may have gone out without a word of it in the database. */
  readonly #attempted = new Set<number>();
  #pending: EmailUpdate[] = [];
  #emptied: string[] = [];
  #unwritten = 0;
  #slotWaiters: (() => void)[] = [];
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  /** Set when nothing may be started any more: the lease was lost, or the database does not answer. */
  #ended: unknown = null;

  constructor(ctx: Ctx, lease: Lease, claim: Claim) {
    this.#ctx = ctx;
    this.#lease = lease;
    this.#unsettled = new Map(claim.rows.map(({ id }) => [id, new Set<number>()]));
    this.#mails = new Map(claim.mails.map((mail) => [mail.state.n, mail]));
    for (const { state, outboxId } of claim.mails) this.#unsettled.get(outboxId)?.add(state.n);
    this.#emptied = [...this.#unsettled].filter(([, mails]) => mails.size === 0).map(([id]) => id);
    this.#heartbeat = setInterval(() => void this.#renewLease(), RENEW_EVERY_MS);
  }

  /** Waits for a turn to start one mail. False: start nothing more. */
  async acquireSlot(): Promise<boolean> {
    while (this.#unwritten >= MAX_UNWRITTEN && this.#ended === null) {
      await new Promise<void>((resolve) => this.#slotWaiters.push(resolve));
    }
    await this.#renewLease();
    if (!this.#mayStart) return false;
    this.#unwritten += 1;
    return true;
  }

  /** A mail that had its turn and was not tried after all. */
  releaseSlot(): void {
    this.#unwritten -= 1;
    this.#wakeSlotWaiters();
  }

  /** Asked right before MAIL FROM, since time has passed since the turn. False: the mail must not go out now. */
  async markAttempted(mail: ClaimedMail): Promise<boolean> {
    await this.#renewLease();
    if (!this.#mayStart) return false;
    this.#attempted.add(mail.state.n);
    return true;
  }

  get #mayStart(): boolean {
    return this.#ended === null && mayStart(this.#lease.until, this.#ctx.now());
  }

  /** Takes what became of one mail. `tried`: it had its turn. */
  add(mail: ClaimedMail, report: Omit<EmailUpdate, "state">, tried: boolean): void {
    if (!tried) this.#unwritten += 1;
    this.#pending.push({ ...report, state: mail.state });
    if (this.#pending.length >= FLUSH_EVERY) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  /** Writes what is left, and lets go of what was not begun. Throws when something could not be written. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
    clearInterval(this.#heartbeat);
    const untouched = [...this.#unsettled]
      .filter(([, mails]) => ![...mails].some((n) => this.#attempted.has(n)))
      .map(([id]) => id);
    if (untouched.length > 0) await this.#withRetries(() => this.#releaseRows(untouched));
    if (this.#ended instanceof Error) throw this.#ended;
  }

  #releaseRows(ids: readonly string[]): Promise<D1Result[]> {
    const dueAt = this.#ctx.now();
    const back = releaseStatement(this.#ctx, this.#lease, ids, dueAt);
    return mailDb(this.#ctx).batch([back, syncDueAtStatement(this.#ctx, dueAt)]);
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(async () => {
      do {
        await this.#writeFlush(this.#nextFlush());
      } while (this.#pending.length > 0 || this.#emptied.length > 0);
    });
  }

  /** As many reports as one statement should carry, by number and by size. */
  #nextFlush(): EmailUpdate[] {
    let octets = 0;
    const fits = ({ state, facts }: EmailUpdate, index: number) => {
      octets += 2 * JSON.stringify([state, facts]).length;
      return index === 0 || (index < FLUSH_EVERY && octets <= FLUSH_OCTETS);
    };
    const first = this.#pending.findIndex((report, index) => !fits(report, index));
    return this.#pending.splice(0, first === -1 ? this.#pending.length : first);
  }

  async #writeFlush(reports: readonly EmailUpdate[]): Promise<void> {
    try {
      const emptied = this.#emptied.splice(0);
      if (reports.length + emptied.length > 0) await this.#write(reports, emptied);
      for (const { state } of reports) this.#attempted.delete(state.n);
    } catch (error) {
      this.#ended = error;
      this.#ctx.log("delivery.flush.failed", { error: String(error), emails: reports.length });
    }
    this.#unwritten -= reports.length;
    this.#wakeSlotWaiters();
  }

  #wakeSlotWaiters(): void {
    for (const resolve of this.#slotWaiters.splice(0)) resolve();
  }

  /** One transaction: facts, rows for later, rows done. */
  async #write(reports: readonly EmailUpdate[], emptied: readonly string[]): Promise<void> {
    for (const { state } of reports) this.#unsettled.get(this.#rowOf(state.n))?.delete(state.n);
    const done = [...emptied, ...this.#doneRows(reports)];
    for (const id of done) this.#unsettled.delete(id);
    const { results } = await this.#withRetries(() =>
      applyFacts(
        this.#ctx,
        reports.map((report) => this.#avoidLeaseEnd(report)),
        (states) => {
          const later = states.flatMap((state) => this.#rescheduledRows(state));
          return {
            before: [rescheduleStatement(this.#ctx, this.#lease, "deliver", later)],
            after: [finishStatement(this.#ctx, this.#lease, done)],
          };
        },
      ),
    );
    const finished = results[0]?.meta.changes ?? 0;
    if (finished < done.length) await this.#confirmLease();
  }

  /** A row for later may not stand where the held row of the same id stands until it is taken out. */
  #avoidLeaseEnd(report: EmailUpdate): EmailUpdate {
    if (report.next?.dueAt !== this.#lease.until) return report;
    return { ...report, next: { ...report.next, dueAt: report.next.dueAt + 1 } };
  }

  #doneRows(reports: readonly EmailUpdate[]): string[] {
    const rows = new Set(reports.map(({ state }) => this.#rowOf(state.n)));
    return [...rows].filter((id) => this.#unsettled.get(id)?.size === 0);
  }

  #rowOf(n: number): string {
    return this.#mails.get(n)?.outboxId ?? "";
  }

  #rescheduledRows(state: EmailUpdate["state"]): RescheduledRow[] {
    const mail = this.#mails.get(state.n);
    if (state.status !== "queued" || state.dueAt === null || !mail) return [];
    const claims = mail.claims > 1 ? 1 : 0;
    return [{ dueAt: state.dueAt, id: state.id, ref: JSON.stringify([state.n]), from: mail.outboxId, claims }];
  }

  /** Renews the lease on what is still waiting when it runs low, between two flushes, never beside one. */
  #renewLease(): Promise<void> {
    if (this.#ended !== null || !shouldRenew(this.#lease.until, this.#ctx.now())) return Promise.resolve();
    this.#writing = this.#writing.then(async () => {
      const ids = [...this.#unsettled.keys()];
      if (this.#ended !== null || ids.length === 0 || !shouldRenew(this.#lease.until, this.#ctx.now())) return;
      const until = this.#ctx.now() + LEASE_MS;
      try {
        const { meta } = await this.#withRetries(() => renewStatement(this.#ctx, this.#lease, until, ids).run());
        if (meta.changes === ids.length) this.#lease = { ...this.#lease, until };
        else await this.#confirmLease(until);
      } catch (error) {
        this.#ended = error;
      }
    });
    return this.#writing;
  }

  /** A try that seemed to fail may have committed, and the next then changed nothing: the rows know who holds them. */
  async #confirmLease(renewedUntil = this.#lease.until): Promise<void> {
    const ids = [...this.#unsettled.keys()];
    if (ids.length === 0) return;
    const { token, until } = this.#lease;
    const held = await this.#withRetries(() => findLeaseEnd(this.#ctx, token, ids, [until, renewedUntil]));
    if (held === null) this.#ended = "the lease was lost";
    else this.#lease = { token, until: held };
  }

  /** What is written tells of mail that is out already, so it is not given up at the first refusal. */
  async #withRetries<Result>(write: () => Promise<Result>): Promise<Result> {
    for (const wait of RETRY_MS) {
      try {
        return await write();
      } catch (error) {
        this.#ctx.log("delivery.write.retried", { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    return write();
  }
}
