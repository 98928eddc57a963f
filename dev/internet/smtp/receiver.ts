import type { AddressReply, MailSystem } from "../behaviour.ts";
import { replyOfMailbox } from "../rules/mailboxes.ts";
import { type Bucket, takeMessage } from "../rules/rate.ts";
import { type Client, closesAfter, refuseFurther, refuseMail, refuseRecipient } from "../rules/replies.ts";
import { takeBytes, type Volume } from "../rules/volume.ts";
import type { Kept } from "./content-reader.ts";
import type { Envelope, Received } from "./received.ts";

/** Pairs of sender and recipient that are remembered; the oldest is forgotten first. */
const MAX_PAIRS = 200_000;

/** Connections, messages and replies of one mail system. Counts of replies are those to all commands. */
export interface Counters {
  connections: number;
  openConnections: number;
  mostConnections: number;
  /** Connections that have ended, and the messages that they have taken. */
  endedConnections: number;
  endedMessages: number;
  tlsConnections: number;
  /** Connections that were closed without a reply. */
  closedSilently: number;
  /** MAIL commands: attempts to send a message. */
  attempts: number;
  /** Messages accepted, their recipients and bytes. */
  messages: number;
  recipients: number;
  bytes: number;
  /** Final dots, with those that got no reply. */
  finalDots: number;
  closedAfterDot: number;
  /** Attempts with a reply 4.7.x. */
  slowedDown: number;
  /** Replies 4xx and 5xx, and those of them to attempts. */
  deferrals: number;
  refusals: number;
  /** When the first and the last message was accepted, in ms since 1970; 0 before that. */
  firstAt: number;
  lastAt: number;
}

/** The parts of messages that a receiver keeps, and the caller that it tells about them. */
export interface Keeping {
  kept: Kept | "nothing";
  /** Called with each message before the reply, which is then not kept here. A rejection causes 451. */
  onMessage?: (message: Received) => unknown;
  /** Replies to recipients, before those by the local part. */
  replyTo?: (address: string) => AddressReply | undefined;
  mailboxes?: Readonly<Record<string, AddressReply>>;
}

/** A mail system as it runs: its state for each source address, its counters and the messages that it has accepted. */
export class Receiver {
  readonly system: MailSystem;
  readonly keeping: Keeping;
  readonly counters: Counters = newCounters();
  readonly messages: Received[] = [];
  readonly openBySource = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();
  readonly #volumes = new Map<string, Volume>();
  readonly #firstSeen = new Map<string, number>();

  constructor(system: MailSystem, keeping: Keeping) {
    this.system = system;
    this.keeping = keeping;
  }

  /** Counts a connection. Returns how many its source has now. */
  open(source: string): number {
    const open = (this.openBySource.get(source) ?? 0) + 1;
    this.openBySource.set(source, open);
    const { counters } = this;
    counters.connections++;
    counters.mostConnections = Math.max(counters.mostConnections, ++counters.openConnections);
    return open;
  }

  /** Counts the end of a connection that has taken so many messages. */
  close(source: string, messages: number): void {
    this.openBySource.set(source, (this.openBySource.get(source) ?? 1) - 1);
    this.counters.openConnections--;
    this.counters.endedConnections++;
    this.counters.endedMessages += messages;
  }

  /** Returns the reply that refuses MAIL, or null. */
  mail(client: Client, size: number, now: number): string | null {
    this.counters.attempts++;
    const { behaviour } = this.system;
    return refuseMail(behaviour, client, {
      isWithinRate: () => {
        if (!behaviour.rate) return true;
        const { bucket, isWithin } = takeMessage(this.#buckets.get(client.source), behaviour.rate, now);
        this.#buckets.set(client.source, bucket);
        return isWithin;
      },
      isWithinVolume: () => {
        if (!behaviour.volume) return true;
        const taken = takeBytes(this.#volumes.get(client.source), behaviour.volume, { size, now });
        this.#volumes.set(client.source, taken.volume);
        return taken.isWithin;
      },
    });
  }

  /** Returns the reply of a recipient that is set for this phase, or null. */
  replyOfAddress(address: string, phase: AddressReply["phase"]): string | null {
    const found = this.keeping.replyTo?.(address) ?? replyOfMailbox(address, this.keeping.mailboxes);
    return found?.phase === phase ? found.reply : null;
  }

  /** Returns the reply that refuses RCPT, or null. */
  recipient({ from, to: others }: Envelope, to: string, now: number): string | null {
    const reply = this.replyOfAddress(to, "rcpt") ?? refuseFurther(this.system.behaviour, others.length);
    if (reply !== null || !this.system.behaviour.greylist) return reply;
    const pair = `${from} ${to}`.toLowerCase();
    const firstSeenAt = this.#firstSeen.get(pair);
    if (firstSeenAt === undefined) this.#remember(pair, now);
    return refuseRecipient(this.system.behaviour, firstSeenAt, now);
  }

  /** Counts a final dot. Returns whether the connection closes instead of the reply. */
  finalDot(): boolean {
    const closes = closesAfter(this.system.behaviour, ++this.counters.finalDots);
    if (closes) this.counters.closedAfterDot++;
    return closes;
  }

  /** Counts and keeps an accepted message. */
  accept(envelope: Envelope, size: number, content: Buffer | null, now: number): Promise<unknown> | null {
    const { counters, keeping } = this;
    counters.messages++;
    counters.recipients += envelope.to.length;
    counters.bytes += size;
    counters.firstAt ||= now;
    counters.lastAt = now;
    const { storing } = this.system.behaviour;
    const message: Received = { receiver: this.system.name, ...envelope, size, content, at: now };
    if (keeping.onMessage) {
      const done = keeping.onMessage(message);
      if (done instanceof Promise || !storing) return done instanceof Promise ? done : null;
    } else if (keeping.kept !== "nothing") this.messages.push(message);
    return storing ? new Promise((resolve) => setTimeout(resolve, storing.ms)) : null;
  }

  /** Counts a reply. */
  count(reply: string): void {
    if (reply.startsWith("4")) this.counters.deferrals++;
    if (reply.startsWith("5")) this.counters.refusals++;
    if (/^4\d\d[ -]4\.7\./.test(reply)) this.counters.slowedDown++;
  }

  #remember(pair: string, now: number): void {
    this.#firstSeen.set(pair, now);
    if (this.#firstSeen.size <= MAX_PAIRS) return;
    for (const oldest of this.#firstSeen.keys()) return void this.#firstSeen.delete(oldest);
  }
}

const newCounters = (): Counters => ({
  connections: 0,
  openConnections: 0,
  mostConnections: 0,
  endedConnections: 0,
  endedMessages: 0,
  closedSilently: 0,
  tlsConnections: 0,
  attempts: 0,
  messages: 0,
  recipients: 0,
  bytes: 0,
  finalDots: 0,
  closedAfterDot: 0,
  slowedDown: 0,
  deferrals: 0,
  refusals: 0,
  firstAt: 0,
  lastAt: 0,
});
