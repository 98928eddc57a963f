import type { Clock, Timer } from "../mail-gateway/clock.ts";
import type { ReportedRecipient } from "../src/mail/egress-tickets/report.ts";
import type { EgressLimits } from "./config.ts";
import type { ConnectSettings } from "./connect.ts";
import type { Delivery, Guard } from "./deliver.ts";
import { ReceiverPace } from "./receiver-pace.ts";
import { ReceiverQueue } from "./receiver-queue.ts";
import type { Reaction } from "./receivers/reactions.ts";
import type { Receiver } from "./receivers/types.ts";
import { Sessions } from "./sessions.ts";
import { Unreachable } from "./unreachable.ts";
import type { Volumes } from "./volumes.ts";

export interface SchedulerOptions {
  connect: ConnectSettings;
  guard: Guard;
  clock: Clock;
  /** Returns the receiver of a host. */
  receiverOf(host: string): Receiver;
  /** The warm-ups of the source address; null: it has none. */
  volumes: Volumes | null;
  limits: Pick<EgressLimits, "connections" | "waitMs" | "idleMs" | "unreachableMs" | "transactionMs">;
  /** Returns the bytes of memory that are free. */
  freeBytes(): number;
  onResults(delivery: Delivery, results: readonly ReportedRecipient[]): void;
}

/** Between two counts of the receivers that have work, in ms. */
const SHARE_MS = 1_000;

/** The queues of all receivers. Each has a share of the connections, so that slow ones cannot take them all. */
export class Scheduler {
  readonly queues = new Map<string, ReceiverQueue>();
  readonly #options: SchedulerOptions;
  readonly #unreachable: Unreachable;
  /** The last reply that paused the source address. */
  #sourcePause: Reaction | null = null;
  #share: number;
  readonly #timer: Timer;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#unreachable = new Unreachable(options.limits.unreachableMs, options.clock);
    this.#share = options.limits.connections;
    this.#timer = options.clock.every(SHARE_MS, () => this.#countShares());
  }

  /** Returns the queue of a receiver. */
  queueOf(receiver: Receiver): ReceiverQueue {
    const known = this.queues.get(receiver.name);
    if (known) return known;
    const { connect, guard, clock, receiverOf, volumes, limits, onResults } = this.#options;
    const now = clock.now();
    const warmUp = volumes?.warmUpOf(receiver, now) ?? null;
    const pace = new ReceiverPace(receiver, warmUp, (reaction) => this.#pauseSource(reaction), now);
    if (this.#sourcePause && this.#sourcePause.until > now) pace.pause(this.#sourcePause, now);
    const queue = new ReceiverQueue({
      pace,
      sessions: new Sessions({ connect, unreachable: this.#unreachable, idleMs: limits.idleMs, clock }),
      guard,
      clock,
      isOwnHost: (host) => receiverOf(host).name === receiver.name,
      holdMs: limits.waitMs,
      transactionMs: limits.transactionMs,
      share: () => this.#share,
      freeBytes: this.#options.freeBytes,
      onResults,
    });
    this.queues.set(receiver.name, queue);
    return queue;
  }

  /** Returns the deliveries of all queues. */
  deliveries(): Delivery[] {
    return [...this.queues.values()].flatMap((queue) => queue.deliveries);
  }

  close(): void {
    this.#timer.cancel();
  }

  #pauseSource(reaction: Reaction): void {
    this.#sourcePause = reaction;
    for (const queue of this.queues.values()) queue.pause(reaction);
  }

  /** Divides the connections among the receivers that have work, and cleans up. */
  #countShares(): void {
    const now = this.#options.clock.now();
    let active = 0;
    for (const [name, queue] of this.queues) {
      queue.returnLate();
      if (queue.waiting + queue.running > 0) active += 1;
      else if (queue.isForgettable(now)) this.queues.delete(name);
    }
    this.#share = Math.max(1, Math.floor(this.#options.limits.connections / Math.max(1, active)));
  }
}
