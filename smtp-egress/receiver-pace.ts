import type { Reply } from "../src/mail/smtp/client.ts";
import { leftToday, type WarmUp, warmUpDay } from "../src/mail/warm-up/warm-up.ts";
import {
  type LearnedConnections,
  newLearnedConnections,
  noteAcceptedConnections,
  noteTooManyConnections,
} from "./learned-connections.ts";
import { type LearnedRate, newLearnedRate, noteAcceptedRate, noteRateRefused } from "./learned-rate.ts";
import {
  backOff,
  connectionsOf,
  type Limits,
  leavePlaces,
  newPace,
  noteFailedProbe,
  noteSlowDown,
  type Pace,
  pauseUntil,
  takePlace,
  takeTurn,
} from "./pace.ts";
import { isTemporary, noteReply, type Reaction, type SeenReplies } from "./receivers/reactions.ts";
import { toLine } from "./receivers/reply-line.ts";
import { isAboutBytes, isAboutConnections, isAboutOneConnection, isSlowDown } from "./receivers/slow-down.ts";
import { commonRules, defaultLimits } from "./receivers/table.ts";
import { type PaceLimits, pauseReceiver, type Receiver, type ReplyRule } from "./receivers/types.ts";
import { noteAcceptedFast } from "./slow-start.ts";

/** Why an email waits, and for how long. */
export interface Wait {
  ms: number;
  /** Why all mail to the receiver waits; null: only this email does, for its place in the line. */
  reason: string | null;
}

/** A warm-up, and the messages that left today before this program started. */
export interface StartedWarmUp extends WarmUp {
  today: number;
}

/** Says how the result of a refused email differs from its reply. */
export type Verdict =
  /** The result is what the reply says. */
  | "as-it-says"
  /** A temporary reply that the receiver always gives to such a message. */
  | "permanent"
  /** A permanent reply that is about the rate or the source address. */
  | "temporary";

const DAY_MS = 86_400_000;
/** A longer wait after a slow-down is told as a pause of the receiver, in ms: others are shorter than most waits in the line. */
const TOLD_MS = 60_000;
/** A slow-down that leaves more than this part of the rate leaves the places in the line too. */
const KEPT_LINE = 0.8;

/** The mean size of messages is that of so many. */
const MEAN_MESSAGES = 64;

/** The pace of one source address to one receiver, with the reactions to its replies and the warm-up. Times in ms since 1970. */
export class ReceiverPace {
  readonly receiver: Receiver;
  readonly #warmUp: WarmUp | null;
  readonly #rules: readonly ReplyRule[];
  readonly #limits: PaceLimits;
  readonly #onSourcePause: (reaction: Reaction) => void;
  #pace: Pace;
  #rate: LearnedRate;
  /** The same for bytes: a message counts as its size divided by `#unitBytes`, the mean size when the receiver first refused bytes. */
  #byteRate: LearnedRate;
  #unitBytes = 1;
  #meanBytes = 1;
  #accepted = 0;
  #connections: LearnedConnections = newLearnedConnections();
  /** Messages that a connection has turned out to take, and those after which one last refused the next. */
  #messagesPerConnection = Number.POSITIVE_INFINITY;
  #refusedAfter = 0;
  /** Recipients that a message has turned out to take. */
  #recipientsPerMessage = Number.POSITIVE_INFINITY;
  #seen: SeenReplies = new Map();
  #reactions: readonly Reaction[] = [];
  /** Messages that left on a day of the warm-up. */
  #sent = { day: 0, messages: 0 };

  /** `onSourcePause` is called for a reply that pauses the source address for all receivers. */
  constructor(
    receiver: Receiver,
    warmUp: StartedWarmUp | null,
    onSourcePause: (reaction: Reaction) => void,
    now: number,
  ) {
    this.receiver = receiver;
    this.#warmUp = warmUp;
    this.#onSourcePause = onSourcePause;
    if (warmUp) this.#sent = { day: warmUpDay(warmUp, now) ?? 0, messages: warmUp.today };
    this.#rules = [...receiver.rules, ...commonRules];
    this.#limits = { ...defaultLimits, ...receiver.limits };
    this.#pace = newPace(this.#limits, now);
    this.#rate = newLearnedRate(now);
    this.#byteRate = newLearnedRate(now);
  }

  /** Returns the limits that are in force: those of the table, those that were learned, and the actions that have not ended. */
  limits(now: number): Limits {
    const messagesPerMinute = Math.min(this.#rate.messagesPerMinute, this.#byBytes());
    let limits: Limits = {
      ...this.#limits,
      messagesPerMinute: Math.min(messagesPerMinute, this.#limits.messagesPerMinute),
      connections: Math.min(this.#connections.connections, this.#limits.connections),
      messagesPerConnection: Math.min(this.#messagesPerConnection, this.#limits.messagesPerConnection),
      isLearned: this.#rate.messagesPerMinute < Math.min(this.#byBytes(), this.#limits.messagesPerMinute),
    };
    for (const { action, until } of this.#reactions) {
      if (until <= now) continue;
      if (action.kind === "slow")
        limits = { ...limits, messagesPerMinute: Math.min(limits.messagesPerMinute, action.messagesPerMinute) };
      if (action.kind === "narrow")
        limits = { ...limits, connections: Math.min(limits.connections, action.connections) };
    }
    return limits;
  }

  /**
   * Takes a place in the line. `holdMs`: a longer wait is not kept in memory. `inMemory`: messages that are held already. `isFurther`: a
   * further recipient of a message that has its place.
   */
  takePlace(
    now: number,
    { holdMs, inMemory, isFurther = false }: { holdMs: number; inMemory: number; isFurther?: boolean },
  ): Wait {
    const day = this.warmUpDay(now);
    const left = this.#warmUp && leftToday(this.#warmUp, this.#sentOn(day) + inMemory, now);
    if (this.#warmUp && day !== null && left === 0) {
      const allowed = this.#warmUp.schedule[day - 1] ?? 0;
      return {
        ms: this.#warmUp.startedAt + day * DAY_MS - now,
        reason: `warm-up day ${day} allows ${allowed}`,
      };
    }
    if (isFurther) return { ms: 0, reason: null };
    const { pace, waitMs } = takePlace(this.#pace, this.limits(now), now, { holdMs });
    this.#pace = pace;
    const cause = this.pausedUntil(now) === null ? null : this.cause(now);
    return { ms: waitMs, reason: cause?.reply ?? null };
  }

  /** Gives up the places of messages that leave memory. `kept`: those that stay there. */
  leavePlaces(left: number, kept: number): void {
    this.#pace = leavePlaces(this.#pace, { left, kept });
  }

  /** Takes the turn to send one message of some bytes, or returns after how many ms to ask again. */
  takeTurn(now: number, bytes: number): number {
    const cost = this.#byBytes() < this.#rate.messagesPerMinute ? bytes / this.#meanBytes : 1;
    const { pace, waitMs } = takeTurn(this.#pace, this.limits(now), now, cost);
    this.#pace = pace;
    return waitMs;
  }

  /** Returns how many transactions may run at a time. */
  connections(now: number): number {
    return connectionsOf(this.#pace, this.limits(now), now);
  }

  /** Returns the reaction that limits it now, the newest one, with the reply that caused it. */
  cause(now: number): Reaction | null {
    return this.#reactions.find(({ until }) => until > now) ?? null;
  }

  get recipientsPerMessage(): number {
    return this.#recipientsPerMessage;
  }

  pausedUntil(now: number): number | null {
    return this.#pace.pausedUntil > now ? this.#pace.pausedUntil : null;
  }

  warmUpDay(now: number): number | null {
    return this.#warmUp && warmUpDay(this.#warmUp, now);
  }

  /** Notes a message that was accepted for so many recipients, and its size. */
  noteAccepted(recipients: number, now: number, bytes: number): void {
    this.#accepted += 1;
    this.#meanBytes += (Math.max(1, bytes) - this.#meanBytes) / Math.min(this.#accepted, MEAN_MESSAGES);
    if (this.#byteRate.messagesPerMinute === Number.POSITIVE_INFINITY) this.#unitBytes = this.#meanBytes;
    // In a pause it is one that was on its way, and no probe.
    if (this.pausedUntil(now) === null) {
      this.#pace = noteAcceptedFast(this.#pace, this.limits(now));
      this.#rate = noteAcceptedRate(this.#rate, this.#limits, now);
      this.#byteRate = noteAcceptedRate(this.#byteRate, this.#limits, now, bytes / this.#unitBytes);
      this.#connections = noteAcceptedConnections(this.#connections, this.#limits);
    }
    const day = this.warmUpDay(now) ?? 0;
    this.#sent = { day, messages: this.#sentOn(day) + recipients };
  }

  /** Notes a failure without a reply. */
  noteFailure(now: number): void {
    this.#pace = noteFailedProbe(this.#pace, now);
  }

  /**
   * Notes a reply to MAIL on a connection that has taken so many messages, and returns whether the connection is the reason: the reply
   * says so, or the one before came after as many and this is not about bytes. Then a new connection takes the message. When it refuses the
   * first, that was wrong.
   */
  isConnectionFull(messages: number, reply: Reply): boolean {
    const isRepeated = messages === this.#refusedAfter && !isAboutBytes(reply);
    const isFull = messages > 0 && (isAboutOneConnection(reply) || isRepeated);
    this.#refusedAfter = messages;
    if (messages === 0) this.#messagesPerConnection = Number.POSITIVE_INFINITY;
    else if (isFull) this.#messagesPerConnection = Math.min(this.#messagesPerConnection, messages);
    return isFull;
  }

  /** Notes a reply that refuses. */
  noteRefusal(reply: Reply, now: number): Verdict {
    const line = toLine(reply);
    const { seen, reaction } = noteReply(this.#seen, this.#rules, { reply: line, now });
    this.#seen = seen;
    if (isSlowDown(reply)) this.#slowDown(reply, now);
    if (reaction) this.#react(reaction, now);
    if (reaction?.action.kind === "bounce") return "permanent";
    return reply.code >= 500 && isTemporary(this.#rules, line) ? "temporary" : "as-it-says";
  }

  /** Sends nothing until the end of a reaction. */
  pause(reaction: Reaction, now: number): void {
    this.#pace = pauseUntil(this.#pace, reaction.until, now);
    this.#add(reaction, now);
  }

  /** Notes how many recipients a message has taken that was to have more. */
  noteTooManyRecipients(taken: number): void {
    this.#recipientsPerMessage = taken;
  }

  /** Notes that the receiver has refused a connection because there are others. */
  noteTooManyConnections(now: number): void {
    const connections = this.connections(now);
    const pace = noteSlowDown(this.#pace, now);
    if (pace !== this.#pace) this.#connections = noteTooManyConnections(this.#connections, connections);
    this.#pace = pace;
  }

  /** Lowers the limit that a reply is about. */
  #slowDown(reply: Reply, now: number): void {
    if (isAboutConnections(reply)) this.noteTooManyConnections(now);
    // In a pause it is the reply to a message that was on its way.
    if (isAboutConnections(reply) || this.pausedUntil(now) !== null) return;
    const before = this.limits(now).messagesPerMinute;
    const isOfBytes = isAboutBytes(reply);
    const learned = noteRateRefused(isOfBytes ? this.#byteRate : this.#rate, this.#limits, now);
    if (isOfBytes) this.#byteRate = learned;
    else this.#rate = learned;
    const { isProbing, pauseMs } = this.#pace;
    const ms = Math.max(learned.waitMs, isProbing ? pauseMs : 0);
    const keepsLine = !isProbing && this.limits(now).messagesPerMinute > KEPT_LINE * before;
    this.#pace = backOff(this.#pace, ms, { now, keepsLine });
    if (ms > TOLD_MS) this.#add({ action: pauseReceiver, until: now + ms, reply: toLine(reply) }, now);
  }

  /** Returns the messages of the mean size that the rate of bytes allows in a minute. */
  #byBytes(): number {
    return (this.#byteRate.messagesPerMinute * this.#unitBytes) / this.#meanBytes;
  }

  #react(reaction: Reaction, now: number): void {
    const { kind } = reaction.action;
    if (kind === "pause-receiver") this.pause(reaction, now);
    else if (kind === "pause-source") this.#onSourcePause(reaction);
    else if (kind !== "bounce") this.#add(reaction, now);
  }

  /** Adds a reaction before the others: of one kind the newest counts. */
  #add(reaction: Reaction, now: number): void {
    const others = this.#reactions.filter(({ action, until }) => until > now && action.kind !== reaction.action.kind);
    this.#reactions = [reaction, ...others];
  }

  #sentOn(day: number | null): number {
    return this.#sent.day === day ? this.#sent.messages : 0;
  }
}
