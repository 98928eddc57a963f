import type { Ctx } from "../context.ts";
import { type Report, recordFacts } from "../emails/index.ts";
import {
  finishStatement,
  heldUntil,
  type LaterRow,
  LEASE_MS,
  type Lease,
  laterStatement,
  mayStart,
  renewStatement,
  shouldRenew,
} from "../outbox/index.ts";
import type { Claim, ClaimedMail } from "./claim.ts";
import { FLUSH_AFTER_MS, FLUSH_EVERY, MAX_UNWRITTEN } from "./rules.ts";

/** Waits between tries of a flush that the database refused, in milliseconds. */
const FLUSH_RETRY_MS = [50, 200, 800, 3000];

/**
 * Writes down what became of the mails of one claim: in sets, fenced by the lease, with at most 20 mails
 * between their MAIL FROM and their row at any moment.
 */
export class Ledger {
  readonly #ctx: Ctx;
  #lease: Lease;
  /** Mails of each held row that have no outcome yet. */
  readonly #waiting: Map<string, Set<number>>;
  /** By emails.n. */
  readonly #mails: Map<number, ClaimedMail>;
  #pending: Report[] = [];
  #emptied: string[] = [];
  #unwritten = 0;
  #turns: (() => void)[] = [];
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Set when nothing may be started any more: the lease was lost, or the database does not answer. */
  #ended: unknown = null;

  constructor(ctx: Ctx, lease: Lease, claim: Claim) {
    this.#ctx = ctx;
    this.#lease = lease;
    this.#waiting = new Map(claim.rows.map(({ id }) => [id, new Set<number>()]));
    this.#mails = new Map(claim.mails.map((mail) => [mail.state.n, mail]));
    for (const { state, outboxId } of claim.mails) this.#waiting.get(outboxId)?.add(state.n);
    this.#emptied = [...this.#waiting].filter(([, mails]) => mails.size === 0).map(([id]) => id);
  }

  /** Waits for a turn to start one mail. False: start nothing more. */
  async turn(): Promise<boolean> {
    while (this.#unwritten >= MAX_UNWRITTEN && this.#ended === null) {
      await new Promise<void>((resolve) => this.#turns.push(resolve));
    }
    if (!this.mayStart) return false;
    this.#unwritten += 1;
    return true;
  }

  /** Whether a mail may begin now. Time passes between a turn and the MAIL FROM, so it is asked again there. */
  get mayStart(): boolean {
    return this.#ended === null && mayStart(this.#lease.until, this.#ctx.now());
  }

  /** A mail that had its turn and was not tried after all. */
  giveBack(): void {
    this.#unwritten -= 1;
    this.#wakeTurns();
  }

  /** Takes what became of one mail. `tried`: it had its turn. */
  add(mail: ClaimedMail, report: Omit<Report, "state">, tried: boolean): void {
    if (!tried) this.#unwritten += 1;
    this.#pending.push({ ...report, state: mail.state });
    if (this.#pending.length >= FLUSH_EVERY) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  /** Writes what is left. Throws when something could not be written. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
    if (this.#ended instanceof Error) throw this.#ended;
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(async () => {
      const reports = this.#pending.splice(0);
      const emptied = this.#emptied.splice(0);
      try {
        if (reports.length + emptied.length > 0) await this.#write(reports, emptied);
      } catch (error) {
        this.#ended = error;
        this.#ctx.log("delivery.flush.failed", { error: String(error), emails: reports.length });
      }
      this.#unwritten -= reports.length;
      this.#wakeTurns();
    });
  }

  #wakeTurns(): void {
    for (const resolve of this.#turns.splice(0)) resolve();
  }

  /** One transaction: facts, rows for later, rows done, and the lease on the rest when it runs low. */
  async #write(reports: readonly Report[], emptied: readonly string[]): Promise<void> {
    for (const { state } of reports) this.#waiting.get(this.#rowOf(state.n))?.delete(state.n);
    const done = [...emptied, ...this.#doneRows(reports)];
    for (const id of done) this.#waiting.delete(id);
    const rest = [...this.#waiting.keys()];
    const until = this.#ctx.now() + LEASE_MS;
    const renew = rest.length > 0 && shouldRenew(this.#lease.until, this.#ctx.now());
    const { results } = await this.#insist(() =>
      recordFacts(this.#ctx, reports, (states) => [
        laterStatement(
          this.#ctx,
          this.#lease,
          "deliver",
          states.flatMap((state) => this.#later(state)),
        ),
        finishStatement(this.#ctx, this.#lease, done),
        ...(renew ? [renewStatement(this.#ctx, this.#lease, until, rest)] : []),
      ]),
    );
    const [, finished, renewed] = results.map(({ meta }) => meta.changes);
    const lost = (finished ?? 0) < done.length || (renew && (renewed ?? 0) < rest.length);
    if (renew && !lost) this.#lease = { ...this.#lease, until };
    if (lost && rest.length > 0) await this.#confirm(rest, until);
  }

  /** A try that seemed to fail may have committed, and the next then changed nothing: the rows know who holds them. */
  async #confirm(rest: readonly string[], renewedUntil: number): Promise<void> {
    const { token, until } = this.#lease;
    const held = await this.#insist(() => heldUntil(this.#ctx, token, rest, [until, renewedUntil]));
    if (held === null) this.#ended = "the lease was lost";
    else this.#lease = { token, until: held };
  }

  #rowOf(n: number): string {
    return this.#mails.get(n)?.outboxId ?? "";
  }

  #doneRows(reports: readonly Report[]): string[] {
    const rows = new Set(reports.map(({ state }) => this.#rowOf(state.n)));
    return [...rows].filter((id) => this.#waiting.get(id)?.size === 0);
  }

  #later(state: Report["state"]): LaterRow[] {
    const mail = this.#mails.get(state.n);
    if (state.status !== "queued" || state.dueAt === null || !mail) return [];
    const claims = mail.claims > 1 ? 1 : 0;
    return [{ dueAt: state.dueAt, id: state.id, ref: JSON.stringify([state.n]), from: mail.outboxId, claims }];
  }

  /** A flush tells of mail that is out already, so it is not given up at the first refusal. */
  async #insist<Result>(write: () => Promise<Result>): Promise<Result> {
    for (const wait of FLUSH_RETRY_MS) {
      try {
        return await write();
      } catch (error) {
        this.#ctx.log("delivery.flush.retried", { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    return write();
  }
}
