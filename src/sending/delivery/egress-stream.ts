import type { Capabilities, ConnectError, Envelope } from "../../mail/smtp/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { ActiveClaim } from "./active-claim.ts";
import { ByteBudget } from "./byte-budget.ts";
import { type AttemptResult, type DispatchJob, type DispatchRun, dispatch } from "./dispatch.ts";
import type { Egress, UnusableEgress } from "./egress.ts";
import { envelopeOf } from "./envelope.ts";
import { type HandOver, isOpen } from "./hand-over.ts";
import { preparationFailed } from "./outcome.ts";
import type { DeliveryUpdate } from "./pending-updates.ts";
import type { MailToSend } from "./preflight.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import { ReceiverWaits } from "./receiver-waits.ts";
import { CONTENT_BYTES_IN_FLIGHT, mayContinue, RUN_MS, type RunLimits } from "./rules.ts";
import { isSimulated } from "./simulator.ts";
import { recipientsToTry, toUnreachableUpdate, toUpdate } from "./to-update.ts";
import { updateOfResults } from "./update-of-results.ts";

/** An email that a dispatcher has taken from a claim. */
interface Job extends MailToSend, DispatchJob {
  claim: ActiveClaim;
  /** Recipients whose outcome was recorded before that of the others. */
  recorded: Set<RecipientEntry>;
}

interface StreamOptions {
  /** The egress is that of broadcasts and bulk sends. */
  isBulk: boolean;
  /** Another stream of the invocation has connections too. */
  sharesSockets: boolean;
}

/**
 * The deliveries of one invocation of the Worker by one egress. Its dispatchers send the emails of all active claims, so claims of
 * several mail databases share the SMTP connections. An email is taken only when its own database keeps up with the
 * outcomes, so a slow or failing database holds up no dispatcher.
 */
export class EgressStream implements DispatchRun<Job> {
  /** Null when the deployment has no egress: the run has simulated recipients only. */
  readonly egress: Egress | null;
  readonly egressIssue: UnusableEgress | null;
  /** Counts that are left to the run. */
  readonly limits: RunLimits;
  readonly log: Ctx["log"];
  /** The receivers that the egress lets wait. */
  readonly waits: ReceiverWaits;
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
  #isEnded = false;
  readonly #startedAt: number;
  readonly #options: StreamOptions;

  constructor(
    ctx: Pick<Ctx, "log" | "now">,
    configured: Egress | UnusableEgress,
    limits: RunLimits,
    options: StreamOptions,
  ) {
    this.#options = options;
    this.waits = new ReceiverWaits(options.isBulk);
    [this.egress, this.egressIssue] = "issue" in configured ? [null, configured] : [configured, null];
    this.limits = limits;
    this.log = ctx.log;
    this.#startedAt = ctx.now();
  }

  /** Sends the emails in the queue of a claim. Resolves when none is in progress and no further one can start. */
  send(claim: ActiveClaim): Promise<void> {
    const sent = new Promise<void>((resolve) => this.#claims.set(claim, resolve));
    if (this.#dispatchers.size === 0) this.unreachable = null;
    const queued = [...this.#claims.keys()].reduce((sum, { queue }) => sum + queue.length, 0);
    const connections = Math.ceil((this.egress?.connections ?? 1) / (this.#options.sharesSockets ? 2 : 1));
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
  putBack({ claim, external: _, recorded: __, ...email }: Job, error: unknown = null): void {
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

  async envelopeOf(
    { claim, mail }: Job,
    recipients: readonly RecipientEntry[],
    { lease }: Pick<Capabilities, "lease">,
  ): Promise<Envelope> {
    if (this.egress?.holding) this.egress.holding.isOffered = lease;
    const ticket = lease ? await claim.outcomes.ticketOf(mail) : null;
    return envelopeOf(claim.ctx, mail, recipients, { dsn: this.egress?.dsn ?? false, ticket });
  }

  findPause({ external, claim }: Job): AttemptResult | null {
    const results = external.map(({ email }) => this.waits.find(email, claim.ctx.now()));
    const known = results.filter((result) => result !== null);
    return external.length > 0 && known.length === external.length
      ? { results: known, message: { untrackedLinks: 0 } }
      : null;
  }

  /** Must be called right before MAIL FROM, since the lease may have run low since the email was taken. False: do not send. */
  markAttempted({ claim, mail }: Job): boolean {
    return claim.outcomes.markAttempted(mail);
  }

  /** Must be called before a further transaction of an email: it reads the attachments again. False: the run may not send it. */
  mayContinue(job: Job, { readsPerSend }: PreparedMessage): boolean {
    const isLate = job.claim.ctx.now() - this.#startedAt >= RUN_MS;
    if (isLate || !mayContinue(this.limits) || !this.markAttempted(job)) return false;
    this.limits.objectReads -= readsPerSend;
    return true;
  }

  /**
   * Records the result of a recipient while others of its email are still to be tried. A deferral waits for theirs: all deferred
   * recipients of an attempt have one time for the next. An error becomes that of the claim.
   */
  record(job: Job, recipient: RecipientEntry, result: HandOver, { untrackedLinks }: PreparedMessage): void {
    if (result.kind === "deferred" || result.kind === "ambiguous" || isOpen(result)) return;
    const { claim, mail } = job;
    try {
      const part = { ...job, untrackedLinks, suppressedFacts: [] };
      const update = toUpdate(this.#attemptCtx(claim), part, () => result, [recipient]);
      this.hasEndedOutage ||= update.isAccepted === true && claim.isOutage;
      claim.outcomes.addPart(mail, update);
      job.recorded.add(recipient);
    } catch (error) {
      claim.error ??= error;
    }
  }

  /** Records the result of an attempt. An error becomes that of the claim. */
  finish(job: Job, result: AttemptResult): void {
    try {
      const update = this.#updateOf(job, result);
      if (update.isHeld) this.#hold(job, update);
      else this.#record(job.claim, job, update);
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
      if (email) this.#record(claim, email, this.#unreachableUpdate(claim, email));
    }
  }

  #updateOf(job: Job, result: AttemptResult): DeliveryUpdate {
    const ctx = this.#attemptCtx(job.claim);
    if (result === "unreachable") return this.#unreachableUpdate(job.claim, job);
    if ("notComposed" in result) {
      this.log("delivery.compose.failed", { email: job.mail.state.id, error: String(result.notComposed) });
      return toUpdate(ctx, job, (_, attempt) => preparationFailed(attempt, result.notComposed));
    }
    for (const [index, one] of result.results.entries())
      if (one?.kind === "paced") this.waits.note(job.external[index]?.email ?? "", one, ctx.now());
    return updateOfResults(ctx, job, result);
  }

  /** Only EGRESS_URL has outages, after which emails are tried again before their time. */
  #unreachableUpdate(claim: ActiveClaim, email: MailToSend): DeliveryUpdate {
    const update = toUnreachableUpdate(this.#attemptCtx(claim), email, this.unreachable);
    return this.#options.isBulk ? { ...update, isUnreachable: false } : update;
  }

  #attemptCtx({ ctx }: ActiveClaim) {
    return { now: ctx.now, newId: ctx.newId, relay: this.egress?.relay ?? "none" };
  }

  /** Leaves an email to the egress, which reports its outcome, and queues what is known of its other recipients. */
  #hold({ claim, mail, recorded }: Job, update: DeliveryUpdate): void {
    this.hasEndedOutage ||= claim.isOutage;
    claim.outcomes.hold(mail, update, claim.isOutage || recorded.size > 0);
    if (claim.queue.length === 0) claim.outcomes.flushLast();
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
    const external = recipientsToTry(next).filter(({ email }) => !isSimulated(email, domain));
    return { ...next, claim, external, recorded: new Set() };
  }
}

/** Emails of the row of the next email. */
function rowSize({ queue, emailsOf }: ActiveClaim): number {
  return emailsOf.get(queue[0]?.mail.outboxId ?? "") ?? 0;
}
