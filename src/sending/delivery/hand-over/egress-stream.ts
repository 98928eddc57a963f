import type { Capabilities, ConnectError, Envelope } from "../../../mail/smtp/transport.ts";
import type { Ctx, WakeUp } from "../../../platform/context.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { RecipientEntry } from "../../emails/index.ts";
import { type ActiveClaim, ActiveClaims } from "../claim/index.ts";
import type { Egress, UnusableEgress } from "../egresses/index.ts";
import {
  ByteBudget,
  isSimulated,
  type MailToSend,
  type PreparedMessage,
  prepareMessage,
  reschedule,
} from "../prepare/index.ts";
import {
  type DeliveryUpdate,
  preparationFailed,
  recipientsToTry,
  toUnreachableUpdate,
  toUpdate,
  updateOfResults,
} from "../record/index.ts";
import { mayContinue, PASS_ON_DELAY_S, RUN_MS, type RunLimits, workOf } from "../rules.ts";
import { type AttemptResult, dispatch } from "./dispatch.ts";
import { DispatcherPool } from "./dispatcher-pool.ts";
import { envelopeOf } from "./envelope.ts";
import { type HandOver, isOpen } from "./hand-over.ts";
import { ReceiverWaits } from "./receiver-waits.ts";
import type { SharedConnections } from "./shared-connections.ts";

/** An email that a dispatcher has taken from a claim. */
export interface Job extends MailToSend {
  /** Its recipients outside the simulator's domain; the others are simulated. */
  external: readonly RecipientEntry[];
  claim: ActiveClaim;
  /** Recipients whose outcome was recorded before that of the others. */
  recorded: Set<RecipientEntry>;
}

interface StreamOptions {
  /** Name of the egress (src/sending/receivers/egress-name.ts). */
  name: string;
  /** The connections of the invocation. */
  connections: SharedConnections;
  /** Connections that the stream may have at once. */
  maxConnections: number;
  /** Bytes of content that its dispatchers may hold at once. */
  contentBytes: number;
}

/**
 * The deliveries of one invocation of the Worker by one egress. Its dispatchers send the emails of all active claims, so claims of
 * several mail databases share the SMTP connections. An email is taken only when its own database keeps up with the
 * outcomes, so a slow or failing database holds up no dispatcher.
 */
export class EgressStream {
  /** Null when the deployment has no egress: the run has simulated recipients only. */
  readonly egress: Egress | null;
  readonly egressIssue: UnusableEgress | null;
  /** Counts that are left to the run. */
  readonly limits: RunLimits;
  readonly log: Ctx["log"];
  /** The receivers that the egress lets wait. */
  readonly waits: ReceiverWaits;
  /** Bytes of content that the dispatchers may hold at once. */
  readonly content: ByteBudget;
  /** Why the last dispatcher that failed to connect failed; null when none did. */
  unreachable: ConnectError | null = null;
  /** The egress accepted an email although an outage was known: the outage has ended. */
  hasEndedOutage = false;
  readonly #claims = new ActiveClaims();
  readonly #dispatchers: DispatcherPool;
  /** Claims whose emails found no connection. */
  readonly #withoutConnection = new WeakSet<ActiveClaim>();
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
    this.waits = new ReceiverWaits(options.name);
    this.content = new ByteBudget(options.contentBytes);
    [this.egress, this.egressIssue] = "issue" in configured ? [null, configured] : [configured, null];
    this.limits = limits;
    this.log = ctx.log;
    this.#startedAt = ctx.now();
    this.#dispatchers = new DispatcherPool({
      connections: this.egress && options.connections,
      max: Math.min(this.egress?.connections ?? 1, options.maxConnections),
      dispatch: () => dispatch(this),
      hasMail: () => this.#claims.queued > 0,
      onChange: () => this.notify(),
      onNoConnection: () => {
        for (const claim of this.#claims.list()) this.#withoutConnection.add(claim);
        this.notify();
      },
    });
  }

  /** Sends the emails in the queue of a claim. Resolves when none is in progress and no further one can start. */
  send(claim: ActiveClaim): Promise<void> {
    const sent = this.#claims.add(claim);
    if (this.#dispatchers.isIdle) this.unreachable = null;
    this.#dispatchers.start(this.#claims.queued - this.#idle.length);
    this.notify();
    return sent;
  }

  /**
   * Returns the next email when one may start, those of small rows first. Returns null at the end of the run, or when the dispatcher
   * must pass its connection on.
   */
  async next(): Promise<Job | null> {
    for (;;) {
      if (this.#dispatchers.mustPassOn()) return null;
      const job = this.#take();
      if (job) this.#dispatchers.noteEmail();
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
    this.limits.work -= workOf(message.size);
    return message;
  }

  /** Returns the envelope for a server; one that holds emails gets a ticket. Throws when the lease was lost. */
  async envelopeOf(
    { claim, mail }: Job,
    recipients: readonly RecipientEntry[],
    { lease }: Pick<Capabilities, "lease">,
  ): Promise<Envelope> {
    if (this.egress?.holding) this.egress.holding.isOffered = lease;
    const ticket = lease ? claim.outcomes.ticketOf(mail, this.#options.name !== MAIN_EGRESS) : null;
    return envelopeOf(claim.ctx, mail, recipients, { dsn: this.egress?.dsn ?? false, ticket });
  }

  /** Returns what is known without asking: all recipients wait for receivers that are paused. Null: the egress must be asked. */
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
      claim.outcomes.addPart(mail, this.#withoutOutage(update));
      job.recorded.add(recipient);
    } catch (error) {
      claim.error ??= error;
    }
  }

  /** Records the result of an attempt. Never throws: an error becomes that of the claim. */
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
    if (this.unreachable) await this.#recordRest(claim, (email) => this.#unreachableUpdate(claim, email));
  }

  /** Gives the emails of a claim that found no connection back to the outbox: another invocation has connections for them. */
  async passOn(claim: ActiveClaim): Promise<void> {
    if (!this.#withoutConnection.has(claim) || claim.queue.length === 0) return;
    const dueAt = claim.ctx.now();
    const rows = claim.queue.map(({ mail }): WakeUp => ({ dueAt, id: mail.state.id, kind: mail.kind }));
    await this.#recordRest(claim, () => reschedule(dueAt));
    this.log("egress.no-connection", { egress: this.#options.name, emails: rows.length });
    await claim.ctx.wake(rows, PASS_ON_DELAY_S);
  }

  async #recordRest(claim: ActiveClaim, updateOf: (email: MailToSend) => DeliveryUpdate): Promise<void> {
    while (claim.queue.length > 0 && mayContinue(this.limits) && (await claim.outcomes.acquireSlot())) {
      const email = claim.queue.shift();
      if (email) this.#record(claim, email, updateOf(email));
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

  #unreachableUpdate(claim: ActiveClaim, email: MailToSend): DeliveryUpdate {
    return toUnreachableUpdate(this.#attemptCtx(claim), email, this.unreachable);
  }

  /** Only EGRESS_URL has outages, after which emails are tried again before their time: no other egress begins or ends one. */
  #withoutOutage(update: DeliveryUpdate): DeliveryUpdate {
    return this.#options.name === MAIN_EGRESS ? update : { ...update, isUnreachable: false, isAccepted: false };
  }

  #attemptCtx({ ctx }: ActiveClaim) {
    return { now: ctx.now, newId: ctx.newId, relay: this.egress?.relay ?? "none" };
  }

  /** Leaves an email to the egress, which reports its outcome, and queues what is known of its other recipients. */
  #hold({ claim, mail, recorded }: Job, update: DeliveryUpdate): void {
    this.hasEndedOutage ||= claim.isOutage;
    claim.outcomes.hold(mail, this.#withoutOutage(update), claim.isOutage || recorded.size > 0);
    if (claim.queue.length === 0) claim.outcomes.flushLast();
  }

  /** Queues an update to be written, at once when no later email of the claim can join it. */
  #record(claim: ActiveClaim, { mail }: MailToSend, update: DeliveryUpdate): void {
    this.hasEndedOutage ||= update.isAccepted === true && claim.isOutage;
    claim.outcomes.add(mail, this.#withoutOutage(update));
    if (claim.queue.length === 0) claim.outcomes.flushLast();
  }

  /** Ends the work of a dispatcher on one email of this claim. */
  #end(claim: ActiveClaim): void {
    claim.inProgress -= 1;
    this.notify();
  }

  /** Looks again which claims are finished and which emails may start. Call it after a change of either. */
  readonly notify = (): void => {
    this.#claims.settle((claim) => this.#isFinished(claim));
    for (const wake of this.#idle.splice(0)) wake();
  };

  /** Closes the connections. Call it when no claim is active any more. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.notify();
    await this.#dispatchers.ended();
  }

  #isFinished({ inProgress, queue, outcomes }: ActiveClaim): boolean {
    if (inProgress > 0) return false;
    return queue.length === 0 || outcomes.isEnded || this.#dispatchers.isIdle || !mayContinue(this.limits);
  }

  /** Takes the first email that may start. */
  #take(): Job | null {
    const taken = mayContinue(this.limits) ? this.#claims.take() : null;
    if (!taken) return null;
    const { claim, email } = taken;
    const domain = claim.ctx.settings.simulatorDomain;
    const external = recipientsToTry(email).filter((recipient) => !isSimulated(recipient.email, domain));
    return { ...email, claim, external, recorded: new Set() };
  }
}
