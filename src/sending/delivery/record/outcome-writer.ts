import { writeTicket } from "../../../mail/egress-tickets/ticket.ts";
import type { MailCtx, WakeUp } from "../../../platform/context.ts";
import { attemptApart } from "../../../platform/outbox/halves.ts";
import { type Lease, releaseStatement, renewStatement } from "../../../platform/outbox/lease.ts";
import { quarantineRow } from "../../../platform/outbox/quarantine.ts";
import { LEASE_MS, mayStart, shouldRenew } from "../../../platform/outbox/rules.ts";
import { applyFacts } from "../../emails/index.ts";
import type { Claim, ClaimedMail } from "../claim/index.ts";
import type { ContentPacks } from "../prepare/index.ts";
import { FLUSH_AFTER_MS, FLUSH_EMAILS, MAX_UNWRITTEN, RENEW_EVERY_MS, RETRY_STEP_DELAY_MS } from "../rules.ts";
import { doneRows, untriedBesideHeld, withNextRow } from "./next-rows.ts";
import { noteOutcomes } from "./note-outcomes.ts";
import { outboxStatements } from "./outbox-statements.ts";
import { type DeliveryUpdate, finishing, type PendingUpdate, PendingUpdates } from "./pending-updates.ts";
import { writeWithRetries } from "./write-with-retries.ts";

/**
 * Writes the outcomes of one claim to D1 in batches, each fenced by the lease. At most 20 emails are between their MAIL
 * FROM and their written outcome at any moment. Renews the lease while emails are in flight.
 */
export class OutcomeWriter {
  readonly #ctx: MailCtx;
  #lease: Lease;
  /** By id of a claimed row: numbers of its emails without a written outcome. */
  readonly #unfinished: Map<string, Set<number>>;
  /** By emails.n. */
  readonly #mails: Map<number, ClaimedMail>;
  /** Emails that may have been sent while their outcome is not written. */
  readonly #attempted = new Set<number>();
  /** Emails that the egress holds. */
  readonly #held = new Set<number>();
  readonly #pending = new PendingUpdates();
  #emptyRows: string[] = [];
  #unwritten = 0;
  #slotWaiters: (() => void)[] = [];
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  /** Why no further email may start: the lease was lost, or the database does not respond. Null while emails may start. */
  #ended: unknown = null;
  readonly #packs: ContentPacks;
  readonly #onChange: () => void;

  /** `onChange` is called when another email may start, or none any more. */
  constructor(ctx: MailCtx, lease: Lease, claim: Claim, packs: ContentPacks, onChange: () => void) {
    this.#packs = packs;
    this.#onChange = onChange;
    this.#ctx = ctx;
    this.#lease = lease;
    this.#unfinished = new Map([...claim.emailsOf.keys()].map((id) => [id, new Set<number>()]));
    this.#mails = new Map(claim.mails.map((mail) => [mail.state.n, mail]));
    for (const { state, outboxId } of claim.mails) this.#unfinished.get(outboxId)?.add(state.n);
    this.#emptyRows = [...this.#unfinished].filter(([, mails]) => mails.size === 0).map(([id]) => id);
    this.#heartbeat = setInterval(() => void this.#renewLease(), RENEW_EVERY_MS);
  }

  /** Waits until one more email may start. Returns false when none may start any more. */
  async acquireSlot(): Promise<boolean> {
    while (this.#unwritten >= MAX_UNWRITTEN && this.#ended === null) {
      await new Promise<void>((resolve) => this.#slotWaiters.push(resolve));
    }
    await this.#renewLease();
    if (!this.#mayStart) return false;
    this.#unwritten += 1;
    return true;
  }

  /** Returns true, with a slot, when one more email may start now. Never waits for the database: dispatchers also send emails of others. */
  tryAcquireSlot(): boolean {
    void this.#renewLease();
    if (this.#unwritten >= MAX_UNWRITTEN || !this.#mayStart) return false;
    this.#unwritten += 1;
    return true;
  }

  /** Returns the slot of an email that was not tried. */
  releaseSlot(): void {
    this.#unwritten -= 1;
    this.#wakeSlotWaiters();
  }

  /** Must be called right before MAIL FROM, since the lease may have run low since acquireSlot. False: do not send. */
  markAttempted(mail: ClaimedMail): boolean {
    void this.#renewLease();
    if (!this.#mayStart) return false;
    this.#attempted.add(mail.state.n);
    return true;
  }

  /** True when no further email may start: the lease was lost, or the database does not respond. */
  get isEnded(): boolean {
    return this.#ended !== null;
  }

  get #mayStart(): boolean {
    return this.#ended === null && mayStart(this.#lease.until, this.#ctx.now());
  }

  /** Queues the outcome of one email, which holds a slot from acquireSlot, for the next flush. */
  add(mail: ClaimedMail, update: DeliveryUpdate): void {
    this.#queue({ ...update, mail, isPart: false });
  }

  /**
   * Frees the slot of an email that the egress holds. Its row stays claimed until the egress reports or the lease ends. Writes the
   * outcomes of its other recipients. `needsWrite`: an outage has ended, or parts were written of which the egress may have reported
   * the rest meanwhile.
   */
  hold(mail: ClaimedMail, update: DeliveryUpdate, needsWrite: boolean): void {
    if (update.facts.length > 0 || needsWrite || mail.isAfterOutage) this.#queue({ ...update, mail, isPart: true });
    this.#held.add(mail.state.n);
    this.releaseSlot();
  }

  /** Returns the ticket for an egress to hold an email; `isOther`: not that of EGRESS_URL. Extends the lease; throws when it is lost. */
  ticketOf(mail: ClaimedMail, isOther: boolean): string {
    const { attempts, id, n } = mail.state;
    if (this.#ended !== null) throw new Error(`the lease could not be renewed: ${this.#ended}`);
    const email = { email: id, n, attempt: attempts + 1, isRepeated: mail.claims > 1, isOther };
    return writeTicket({ shard: this.#ctx.shard, row: mail.outboxId, token: this.#lease.token, ...email });
  }

  /** Queues outcomes of some recipients of an email. The email keeps its slot until `add` brings the rest. */
  addPart(mail: ClaimedMail, update: DeliveryUpdate): void {
    this.#queue({ ...update, mail, isPart: true });
  }

  #queue(update: PendingUpdate): void {
    this.#pending.add(update);
    if (this.#pending.size >= FLUSH_EMAILS) this.#flush("full");
    else this.#startTimer();
  }

  /** Flushes at once when no other email holds a slot. Call it when none is left to start: no later outcome can join. */
  flushLast(): void {
    if (this.#unwritten === this.#pending.finished) this.#flush("waiting");
  }

  /** Writes the remaining outcomes, and releases and returns the rows of untried emails. Throws when a write failed. */
  async close(): Promise<WakeUp[]> {
    const left = this.#ended === null ? this.#separateUntried() : [];
    this.#flush("all");
    await this.#writing;
    clearInterval(this.#heartbeat);
    const untried = [...this.#unfinished]
      .filter(([, mails]) => ![...mails].some((n) => this.#attempted.has(n)))
      .map(([id]) => id);
    const dueAt = this.#ctx.now();
    const release = releaseStatement(this.#ctx, this.#lease, untried, dueAt);
    if (untried.length > 0) await writeWithRetries(this.#ctx, () => release.run());
    if (this.#ended instanceof Error) throw this.#ended;
    return [...left, ...untried.map((id): WakeUp => ({ dueAt, id, kind: "deliver" }))];
  }

  /** Gives untried emails whose row has others that the egress holds rows of their own, since that row is not released. */
  #separateUntried(): WakeUp[] {
    const dueAt = this.#ctx.now();
    const numbers = untriedBesideHeld(this.#unfinished, { held: this.#held, attempted: this.#attempted });
    const untried = numbers.flatMap((n) => this.#mails.get(n) ?? []);
    for (const mail of untried) this.#pending.add({ mail, facts: [], attempt: 0, next: dueAt, isPart: false });
    return untried.map(({ state: { id } }): WakeUp => ({ dueAt, id, kind: "deliver" }));
  }

  /**
   * Writes flushes one after the other: the `full` ones, before them the outcomes that are `waiting`, or `all`. Outcomes that
   * arrive during a write wait for a full flush or the timer, because each flush writes rows of its own.
   */
  #flush(which: "full" | "waiting" | "all"): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(async () => {
      const isWaiting = () => this.#pending.size > 0 || this.#emptyRows.length > 0;
      if (which === "waiting" && isWaiting()) await this.#writeFlush(this.#pending.takeFlush());
      while (this.#pending.size >= FLUSH_EMAILS || (which === "all" && isWaiting()))
        await this.#writeFlush(this.#pending.takeFlush());
      if (this.#pending.size > 0) this.#startTimer();
    });
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.#flush("waiting"), FLUSH_AFTER_MS);
  }

  /** Writes outcomes, in halves when one cannot be written for its content. */
  async #writeFlush(updates: readonly PendingUpdate[]): Promise<void> {
    try {
      const emptyRows = this.#emptyRows.splice(0);
      const write = (some: readonly PendingUpdate[]) => this.#write(some, some === updates ? emptyRows : []);
      if (updates.length + emptyRows.length > 0)
        await attemptApart(updates, write, ({ mail }, error) => this.#setAside(mail, error));
    } catch (error) {
      this.#ended = error;
      this.#ctx.log("delivery.flush.failed", { error: String(error), emails: updates.length });
    }
    this.#unwritten -= finishing(updates).length;
    this.#wakeSlotWaiters();
  }

  /** Sets the row of an email aside whose outcome cannot be written; one that shares a row waits until it has one of its own. */
  async #setAside({ outboxId: id, state }: ClaimedMail, error: unknown): Promise<void> {
    this.#ctx.log("delivery.flush.failed", { error: String(error), emails: 1 });
    if (id !== state.id) return;
    await quarantineRow(this.#ctx, { id, token: this.#lease.token }, error);
    this.#unfinished.delete(id);
  }

  #wakeSlotWaiters(): void {
    for (const resolve of this.#slotWaiters.splice(0)) resolve();
    this.#onChange();
  }

  /** Writes facts and rescheduled rows and deletes finished rows, in one transaction. */
  async #write(updates: readonly PendingUpdate[], emptyRows: readonly string[]): Promise<void> {
    const finished = finishing(updates).map(({ mail }) => mail);
    const done = [...emptyRows, ...doneRows(finished, this.#unfinished)];
    const parts = new Set(updates.flatMap(({ isPart, mail }) => (isPart ? [mail.state.n] : [])));
    const lease = this.#lease;
    const complete = updates.map((update) => ({
      ...withNextRow(update, this.#pending.stateOf(update.mail), this.#ctx.now()),
      ...(update.isPaced ? {} : { moved: this.#packs.take(update.mail.state.n) }),
    }));
    let deletions = 0;
    const { states: written, results } = await writeWithRetries(this.#ctx, () =>
      applyFacts(this.#ctx, complete, (states) => {
        const statements = outboxStatements(this.#ctx, { updates, written: complete, done, lease }, states);
        deletions = statements.finished;
        return statements;
      }),
    );
    for (const { outboxId, state } of finished) this.#unfinished.get(outboxId)?.delete(state.n);
    for (const id of done) this.#unfinished.delete(id);
    this.#pending.noteWritten(written, parts);
    noteOutcomes(this.#ctx, updates);
    for (const { state } of finished) this.#attempted.delete(state.n);
    // A write that seemed to fail may have committed, so the other rows tell whether the lease is lost.
    if ((results[0]?.meta.changes ?? 0) < deletions) await this.#renewNow();
    const scheduled = (results[1]?.results ?? []) as WakeUp[];
    if (scheduled.length > 0) await this.#ctx.wake(scheduled, RETRY_STEP_DELAY_MS / 1000);
  }

  /** The unfinished rows, without those of which the egress holds all that is left: it renews their leases, and removes them. */
  get #rowsToKeep(): string[] {
    const rows = [...this.#unfinished].filter(([, mails]) => ![...mails].every((n) => this.#held.has(n)));
    return rows.map(([id]) => id);
  }

  /** Renews the lease on unfinished rows when it runs low, between two flushes. */
  #renewLease(): Promise<void> {
    const isLow = () => shouldRenew(this.#lease.until, this.#ctx.now());
    if (this.#ended !== null || !isLow()) return Promise.resolve();
    this.#writing = this.#writing.then(async () => {
      if (this.#ended === null && isLow()) await this.#renewNow();
      this.#wakeSlotWaiters();
    });
    return this.#writing;
  }

  async #renewNow(): Promise<void> {
    const ids = this.#rowsToKeep;
    if (ids.length === 0) return;
    const until = this.#ctx.now() + LEASE_MS;
    try {
      const renew = renewStatement(this.#ctx, this.#lease, until, ids);
      const { meta } = await writeWithRetries(this.#ctx, () => renew.run());
      if (meta.changes === ids.length) this.#lease = { ...this.#lease, until };
      else this.#ended = "the lease was lost";
    } catch (error) {
      this.#ended = error;
    }
  }
}
