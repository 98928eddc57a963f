import type { ConnectError, Envelope, RecipientResult } from "../../mail/smtp/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { addMetrics } from "../../platform/daily-metrics/index.ts";
import { CLAIM_EMAILS } from "../../platform/outbox/index.ts";
import type { ActiveClaim } from "./active-claim.ts";
import { ByteBudget } from "./byte-budget.ts";
import type { Claim } from "./claim.ts";
import { type AttemptResult, type DispatchJob, type DispatchRun, dispatch } from "./dispatch.ts";
import type { Egress, UnusableEgress } from "./egress.ts";
import { envelopeOf } from "./envelope.ts";
import { preparationFailed } from "./outcome.ts";
import type { DeliveryUpdate } from "./outcome-writer.ts";
import type { MailToSend } from "./preflight.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import { CONTENT_BYTES_IN_FLIGHT, mayContinue, type RunLimits } from "./rules.ts";
import { isSimulated } from "./simulator.ts";
import { recipientsToTry, toUnreachableUpdate, toUpdate } from "./to-update.ts";

/** An email that a dispatcher has taken from a claim. */
interface Job extends MailToSend, DispatchJob {
  claim: ActiveClaim;
}

/**
 * The deliveries of one invocation of the Worker. Its dispatchers send the emails of all active claims, so claims of
 * several mail databases share the SMTP connections. An email is taken only when its own database keeps up with the
 * outcomes, so a slow or failing database holds up no dispatcher.
 */
export class DeliveryRun implements DispatchRun<Job> {
  /** Null when the deployment has no egress: the run has simulated recipients only. */
  readonly egress: Egress | null;
  readonly egressIssue: UnusableEgress | null;
  /** Counts that are left to the run. */
  readonly limits: RunLimits;
  readonly log: Ctx["log"];
  /** Emails that one claim takes. */
  readonly maxClaimEmails: number;
  /** Bytes of content that the dispatchers may hold at once. */
  readonly content = new ByteBudget(CONTENT_BYTES_IN_FLIGHT);
  /** Why the last dispatcher that failed to connect failed; null when none did. */
  unreachable: ConnectError | null = null;
  /** The egress accepted an email although an outage was known: the outage has ended. */
  hasEndedOutage = false;
  /** The active claims, each with the function that ends its wait in `send`. */
  readonly #claims = new Map<ActiveClaim, () => void>();
  readonly #dispatchers = new Set<Promise<void>>();
  #idle: (() => void)[] = [];
  #hasClaimed = false;
  #isEnded = false;

  /** `databases` is the number of mail databases that the run claims from at once. */
  constructor(ctx: Pick<Ctx, "log">, configured: Egress | UnusableEgress, limits: RunLimits, databases = 1) {
    [this.egress, this.egressIssue] = "issue" in configured ? [null, configured] : [configured, null];
    this.limits = limits;
    this.log = ctx.log;
    this.maxClaimEmails = maxClaimEmails(databases);
  }

  /** Adds a claim that took rows, and the run with its first one, to the metrics of today. */
  countClaim(ctx: Ctx, { rows, mails }: Pick<Claim, "rows" | "mails">): void {
    if (rows.length === 0) return;
    const metrics = { runs: Number(!this.#hasClaimed), claims: 1, claimed_rows: rows.length };
    addMetrics(ctx, { ...metrics, claimed_emails: mails.length });
    this.#hasClaimed = true;
  }

  /** Sends the emails in the queue of a claim. Resolves when none is in progress and no further one can start. */
  send(claim: ActiveClaim): Promise<void> {
    const sent = new Promise<void>((resolve) => this.#claims.set(claim, resolve));
    if (this.#dispatchers.size === 0) this.unreachable = null;
    const queued = [...this.#claims.keys()].reduce((sum, { queue }) => sum + queue.length, 0);
    const connections = this.egress?.connections ?? 1;
    for (let n = this.#idle.length; n < queued && this.#dispatchers.size < connections; n++) this.#startDispatcher();
    this.notify();
    return sent;
  }

  /** Returns the next email when one may start, those of small rows first. Returns null at the end of the run. */
  async next(): Promise<Job | null> {
    for (;;) {
      const job = this.#take();
      if (job || this.#isEnded) return job;
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Returns an email that was not tried to the front of its queue. An error becomes that of its claim. */
  putBack({ claim, external: _, ...email }: Job, error: unknown = null): void {
    claim.error ??= error;
    claim.queue.unshift(email);
    claim.outcomes.releaseSlot();
    this.#end(claim);
  }

  /** Composes and signs the message of an email. Throws as `prepareMessage` does. */
  async compose({ claim, mail }: Job, capabilities: Parameters<typeof prepareMessage>[3]): Promise<PreparedMessage> {
    const keys = claim.keys.get(mail.sender.domainId) ?? [];
    const content = await claim.contents.read(mail);
    const message = await prepareMessage(claim.ctx, { ...mail, content }, keys, capabilities);
    this.limits.objectReads -= message.objectReads;
    return message;
  }

  envelopeOf({ claim, mail, external }: Job): Promise<Envelope> {
    return envelopeOf(claim.ctx, mail, external, this.egress?.dsn ?? false);
  }

  /** Must be called right before MAIL FROM, since the lease may have run low since the email was taken. False: do not send. */
  markAttempted({ claim, mail }: Job): boolean {
    return claim.outcomes.markAttempted(mail);
  }

  /** Records the result of an attempt. An error becomes that of the claim. */
  finish(job: Job, result: AttemptResult): void {
    try {
      this.#record(job.claim, job, this.#updateOf(job, result));
    } catch (error) {
      job.claim.error ??= error;
    }
    this.#end(job.claim);
  }

  /** Ends an attempt without a result: its outcome is unknown until the lease ends. */
  fail({ claim }: Job, error: unknown): void {
    claim.error ??= error;
    this.#end(claim);
  }

  /** Defers every email left in the queue of a claim when the egress could not be reached. */
  async deferUnreachable(claim: ActiveClaim): Promise<void> {
    // Another claim of the run may connect meanwhile, which clears it.
    const { unreachable } = this;
    if (!unreachable) return;
    while (claim.queue.length > 0 && mayContinue(this.limits) && (await claim.outcomes.acquireSlot())) {
      const email = claim.queue.shift();
      if (email) this.#record(claim, email, toUnreachableUpdate(this.#attemptCtx(claim), email, unreachable));
    }
  }

  #updateOf(job: Job, result: AttemptResult): DeliveryUpdate {
    const ctx = this.#attemptCtx(job.claim);
    if (result === "unreachable") return toUnreachableUpdate(ctx, job, this.unreachable);
    if ("notComposed" in result) {
      this.log("delivery.compose.failed", { email: job.mail.state.id, error: String(result.notComposed) });
      return toUpdate(ctx, job, (_, attempt) => preparationFailed(attempt, result.notComposed));
    }
    const resultOf = new Map(job.external.map(({ email }, index) => [email, result.results[index]]));
    const { untrackedLinks } = result.message;
    return toUpdate(
      ctx,
      { ...job, untrackedLinks },
      ({ email }): RecipientResult | null => resultOf.get(email) ?? null,
    );
  }

  #attemptCtx({ ctx }: ActiveClaim) {
    return { now: ctx.now, newId: ctx.newId, relay: this.egress?.relay ?? "none" };
  }

  /** Queues an update to be written, at once when no later email of the claim can join it. */
  #record(claim: ActiveClaim, { mail }: MailToSend, update: DeliveryUpdate): void {
    this.hasEndedOutage ||= update.isAccepted === true && claim.isOutage;
    claim.outcomes.add(mail, update);
    if (claim.queue.length === 0) claim.outcomes.flushLast();
  }

  /** Ends the work of a dispatcher on one email of this claim. */
  #end(claim: ActiveClaim): void {
    claim.inProgress -= 1;
    this.notify();
  }

  /** Looks again which claims are finished and which emails may start. Call it after a change of either. */
  readonly notify = (): void => {
    for (const [claim, resolve] of this.#claims) {
      if (!this.#isFinished(claim)) continue;
      this.#claims.delete(claim);
      resolve();
    }
    for (const wake of this.#idle.splice(0)) wake();
  };

  /** Closes the connections. Call it when no claim is active any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.notify();
    await Promise.all(this.#dispatchers);
  }

  #startDispatcher(): void {
    const dispatcher = dispatch(this).finally(() => {
      this.#dispatchers.delete(dispatcher);
      this.notify();
    });
    this.#dispatchers.add(dispatcher);
  }

  #isFinished({ inProgress, queue, outcomes }: ActiveClaim): boolean {
    if (inProgress > 0) return false;
    return queue.length === 0 || outcomes.isEnded || this.#dispatchers.size === 0 || !mayContinue(this.limits);
  }

  /** Takes the first email that may start. A lone email never waits behind a batch. */
  #take(): Job | null {
    if (!mayContinue(this.limits)) return null;
    const waiting = [...this.#claims.keys()]
      .filter(({ queue }) => queue.length > 0)
      .sort((a, b) => rowSize(a) - rowSize(b) || a.inProgress - b.inProgress);
    const claim = waiting.find(({ outcomes }) => outcomes.tryAcquireSlot());
    const next = claim?.queue.shift();
    if (!claim || !next) return null;
    claim.inProgress += 1;
    const domain = claim.ctx.settings.simulatorDomain;
    return { ...next, claim, external: recipientsToTry(next).filter(({ email }) => !isSimulated(email, domain)) };
  }
}

/** Emails of the row of the next email. */
function rowSize({ queue, emailsOf }: ActiveClaim): number {
  return emailsOf.get(queue[0]?.mail.outboxId ?? "") ?? 0;
}

/** Returns the emails that one claim takes: those of all claims of a run together fit into the memory of an isolate. */
function maxClaimEmails(databases: number): number {
  return databases <= 2 ? CLAIM_EMAILS : CLAIM_EMAILS / 2;
}
