import type { Clock, Timer } from "../mail-gateway/clock.ts";
import { log } from "../mail-gateway/log.ts";
import type { ReportedRecipient, ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { Reply, RecipientResult as SmtpResult } from "../src/mail/smtp/client.ts";
import { applyReplies } from "./apply-replies.ts";
import { type Delivery, type Guard, isOver, sendOver } from "./deliver.ts";
import { EMAIL_BYTES } from "./hold.ts";
import type { ReceiverPace, Wait } from "./receiver-pace.ts";
import type { Reaction } from "./receivers/reactions.ts";
import { isAboutRecipients, isSlowDown } from "./receivers/slow-down.ts";
import { FAILED, pacedResult, toResult } from "./results.ts";
import { Room } from "./room.ts";
import { type Sessions, UnusableHosts } from "./sessions.ts";

export interface ReceiverQueueOptions {
  pace: ReceiverPace;
  sessions: Sessions;
  guard: Guard;
  clock: Clock;
  /** Returns whether a host is of this receiver. The MX records of a domain may name others behind the best one. */
  isOwnHost(host: string): boolean;
  /** The longest wait that takes place in memory, in ms. */
  holdMs: number;
  /** A transaction that took so long is not made again at once, in ms. */
  transactionMs: number;
  /** Returns the connections that one receiver may have of all. */
  share(): number;
  /** Returns the bytes of memory that are free. */
  freeBytes(): number;
  /** Called with the results of a delivery. It has ended then. */
  onResults(delivery: Delivery, results: readonly ReportedRecipient[]): void;
}

const MINUTE_MS = 60_000;
/** Of the messages that a receiver takes in the longest wait, so many may wait: they took their places with a burst before them. */
const SLACK = 1.2;
/** For so long an unused queue is kept, in ms: rules count replies of an hour, and act for some hours. */
const FORGET_MS = 24 * 3_600_000;

/** The deliveries to one receiver, and its connections. Nothing here waits for another receiver. */
export class ReceiverQueue {
  readonly #options: ReceiverQueueOptions;
  readonly #waiting: Delivery[] = [];
  readonly #busy = new Set<Delivery>();
  readonly #room = new Room();
  readonly counts = { sent: 0, deferred: 0, refused: 0 };
  /** Bytes of the emails that wait or are sent. */
  #heldBytes = 0;
  #usedAt: number;
  #timer: Timer | null = null;

  constructor(options: ReceiverQueueOptions) {
    this.#options = options;
    this.#usedAt = options.clock.now();
  }

  get pace(): ReceiverPace {
    return this.#options.pace;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#busy.size;
  }

  get connections(): number {
    return this.#options.sessions.count;
  }

  get deliveries(): Delivery[] {
    return [...this.#waiting, ...this.#busy];
  }

  /**
   * Takes a place in the line for a recipient. `isHeld`: the wait takes place here, at most `longestMs`, and needs a `leave`;
   * otherwise the email comes again after that time. `isFurther`: a further recipient of a message that has its place.
   */
  takePlace(now: number, longestMs = this.#options.holdMs, isFurther = false): Wait & { isHeld: boolean } {
    this.#usedAt = now;
    // Of what is free, so that however many receivers are slow, the others have a part (Choudhury and Hahne, 1998).
    const hasRoom = isFurther || (this.#room.isFree(now) && this.#heldBytes < this.#options.freeBytes() / 2);
    const holdMs = hasRoom ? longestMs : 0;
    const wait = this.pace.takePlace(now, { holdMs, inMemory: this.#room.places, isFurther });
    if (wait.ms > longestMs) return { ...wait, isHeld: false };
    if (!hasRoom) return { ms: Math.max(wait.ms, this.#room.wait(now)), reason: null, isHeld: false };
    this.#room.places += 1;
    return { ...wait, isHeld: true };
  }

  /** Gives up places of recipients that are not delivered, or no longer wait. */
  leave(recipients: number): void {
    this.#room.places -= recipients;
  }

  /** Adds a delivery whose recipients have their places, which it leaves when it ends. */
  add(delivery: Delivery): void {
    this.#heldBytes += delivery.email.size + EMAIL_BYTES;
    this.#waiting.splice(this.#waiting.findLastIndex(({ dueAt }) => dueAt <= delivery.dueAt) + 1, 0, delivery);
    this.#advance();
  }

  /** Sends nothing until the end of a reaction of another receiver, which is about the source address. */
  pause(reaction: Reaction): void {
    this.pace.pause(reaction, this.#options.clock.now());
    this.returnLate();
    this.#advance();
  }

  /** Returns whether nothing that is known here is of use any more. */
  isForgettable(now: number): boolean {
    return this.deliveries.length + this.connections === 0 && now - this.#usedAt > FORGET_MS;
  }

  /** Starts what is due, as far as rate and connections allow. */
  #advance(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const now = this.#options.clock.now();
      const free = Math.min(this.pace.connections(now), this.#options.share()) - this.#busy.size;
      const pausedUntil = this.pace.pausedUntil(now);
      // A delivery that ends calls again.
      if (free <= 0 && pausedUntil === null) return;
      const wait = Math.max(next.dueAt, pausedUntil ?? 0) - now;
      const ms = wait > 0 ? wait : this.pace.takeTurn(now, next.email.size);
      if (ms > 0) {
        this.#timer = this.#options.clock.after(ms, () => this.#advance());
        return;
      }
      this.#waiting.shift();
      void this.#run(this.#first(next));
    }
  }

  /** Returns the part of a delivery that one message may have. The rest is next. */
  #first(delivery: Delivery): Delivery {
    const most = this.pace.recipientsPerMessage;
    if (delivery.recipients.length <= most) return delivery;
    this.#putBack(delivery, delivery.recipients.slice(most));
    return { ...delivery, recipients: delivery.recipients.slice(0, most) };
  }

  /** Lets some of the recipients of a delivery wait at the front, in a delivery of their own. */
  #putBack(delivery: Delivery, recipients: readonly string[]): void {
    this.#heldBytes += delivery.email.size + EMAIL_BYTES;
    this.#waiting.unshift({ ...delivery, recipients, hasFinalDot: false });
  }

  async #run(delivery: Delivery): Promise<void> {
    this.#busy.add(delivery);
    this.#room.noteBegin(this.#options.clock.now());
    const results = this.#withoutFurther(delivery, await this.#resultsOf(delivery));
    this.#busy.delete(delivery);
    this.#room.noteEnd(
      results.some((result) => result !== null && isAnswered(result)),
      this.#options.clock.now(),
    );
    this.#end(delivery, results);
    this.returnLate();
    this.#advance();
  }

  /** Puts back the recipients that were too many for a message that others have got. Their results are null. */
  #withoutFurther(delivery: Delivery, results: readonly ReportedResult[]): readonly (ReportedResult | null)[] {
    const further = delivery.recipients.filter((_, n) => this.#isFurther(results[n]));
    if (further.length === 0 || isOver(delivery) || !results.some(({ kind }) => kind === "accepted")) return results;
    this.pace.noteTooManyRecipients(delivery.recipients.length - further.length);
    this.#room.places += further.length;
    this.#putBack(delivery, further);
    return results.map((result) => (this.#isFurther(result) ? null : result));
  }

  /** Returns whether this receiver deferred a recipient only because its message had others. */
  #isFurther(result: ReportedResult | undefined): boolean {
    if (result?.kind !== "deferred" || result.phase !== "rcpt" || !this.#options.isOwnHost(result.relay ?? ""))
      return false;
    return result.reply !== null && isAboutRecipients(result.reply);
  }

  /** Makes one attempt, if the delivery may begin. An error of this program fails the delivery, and nothing else. */
  async #resultsOf(delivery: Delivery): Promise<readonly ReportedResult[]> {
    try {
      return (await this.#options.guard.mayBegin(delivery)) ? await this.#attempt(delivery) : [];
    } catch (error) {
      log("delivery.failed", { error: error instanceof Error ? error.stack : String(error) });
      const relay = { relay: delivery.destination.hosts[0]?.name ?? "", receiver: this.pace.receiver.name };
      const ambiguous = { ...FAILED, ...relay, kind: "ambiguous", phase: "final-dot" } as const;
      return delivery.recipients.map(() => (delivery.hasFinalDot ? ambiguous : FAILED));
    }
  }

  /**
   * Makes one attempt. A kept connection that breaks before the final dot, or takes no more messages, tells nothing about the email, so
   * another follows.
   */
  async #attempt(delivery: Delivery): Promise<readonly ReportedResult[]> {
    const { pace, sessions, guard, clock, transactionMs } = this.#options;
    const until = clock.now() + transactionMs;
    for (;;) {
      const connections = Math.min(Math.max(1, pace.connections(clock.now())), this.#options.share());
      const session = await sessions.take(delivery.destination, connections).catch((error: unknown) => {
        if (error instanceof UnusableHosts) return error;
        throw error;
      });
      if (session instanceof UnusableHosts) return this.#failAll(delivery, session);
      const isKept = session.sent > 0;
      session.sent += 1;
      const results = await sendOver(session, delivery, guard);
      const reply = this.#options.isOwnHost(session.host) ? replyToMail(results) : null;
      const isFull = reply !== null && pace.isConnectionFull(session.sent - 1 - session.refused, reply);
      if (reply !== null) session.refused += 1;
      sessions.give(session, !isFull && session.sent < pace.limits(this.#options.clock.now()).messagesPerConnection);
      const mayRepeat = isKept && !delivery.hasFinalDot && !isOver(delivery) && clock.now() < until;
      if (mayRepeat && (isFull || results.every(isBroken))) continue;
      const relay = { relay: session.host, receiver: pace.receiver.name };
      return this.#noteReplies(
        session.host,
        results.map((result) => toResult(result, relay)),
        delivery.email.size,
      );
    }
  }

  #failAll({ recipients }: Delivery, { phase, reply, message, host }: UnusableHosts): readonly ReportedResult[] {
    const { sessions, isOwnHost, clock } = this.#options;
    // A receiver may refuse a connection too many without a reply.
    if (reply === null && sessions.hasOpen && isOwnHost(host)) this.pace.noteTooManyConnections(clock.now());
    const relay = { relay: host, receiver: this.pace.receiver.name };
    const result: ReportedResult = { kind: "deferred", phase, reply, reason: message, ...relay };
    return this.#noteReplies(
      host,
      recipients.map(() => result),
      0,
    );
  }

  /** Notes results for the pace. Those of a host of another mail system change nothing here: the owner of any domain may name it. */
  #noteReplies(host: string, results: readonly ReportedResult[], bytes: number): readonly ReportedResult[] {
    const { isOwnHost, clock } = this.#options;
    return isOwnHost(host) ? applyReplies(this.pace, results, { now: clock.now(), bytes }) : results;
  }

  #end(delivery: Delivery, results: readonly (ReportedResult | null)[]): void {
    this.#heldBytes -= delivery.email.size + EMAIL_BYTES;
    this.leave(delivery.recipients.length);
    if (isOver(delivery)) return;
    const ended = delivery.recipients.flatMap((address, index) => {
      const result = results[index];
      return result ? [{ address, result }] : [];
    });
    for (const { result } of ended) {
      if (result.kind === "accepted") this.counts.sent += 1;
      else if (result.kind.endsWith("-refused")) this.counts.refused += 1;
      else if (result.kind !== "paced") this.counts.deferred += 1;
    }
    this.#options.onResults(delivery, ended);
  }

  /** Returns what would wait longer than memory allows, because the receiver slowed down, to the outbox. */
  returnLate(): void {
    const now = this.#options.clock.now();
    const pauseMs = (this.pace.pausedUntil(now) ?? now) - now;
    const { messagesPerMinute } = this.pace.limits(now);
    const inTime = (messagesPerMinute * this.#options.holdMs) / MINUTE_MS;
    const kept = pauseMs > this.#options.holdMs ? 0 : Math.ceil(inTime * SLACK);
    const late = this.#waiting.splice(Math.min(kept, this.#room.kept(now)));
    if (late.length > 0) this.pace.leavePlaces(late.length, this.#waiting.length);
    for (const delivery of late) {
      const { ms, reason } = this.pace.takePlace(now, { holdMs: 0, inMemory: kept });
      const wait = { ms: Math.max(ms, this.#room.wait(now)), reason };
      this.#end(
        delivery,
        delivery.recipients.map(() => pacedResult(this.pace.receiver, wait)),
      );
    }
  }
}

/** Returns whether the receiver has replied to a message. */
const isAnswered = (result: ReportedResult) => "reply" in result && result.reply !== null;

/** Returns the 4xx to MAIL that ended a transaction; null: it ended otherwise. */
function replyToMail([result]: readonly SmtpResult[]): Reply | null {
  return result?.kind === "deferred" && result.phase === "mail" ? result.reply : null;
}

/** Returns whether a transaction ended with its connection before the final dot, and not because the receiver asks to slow down. */
function isBroken(result: SmtpResult): boolean {
  if (result.kind !== "deferred") return false;
  return result.reply === null || (result.reply.code === 421 && !isSlowDown(result.reply));
}
