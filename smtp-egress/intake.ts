import { createHash, timingSafeEqual } from "node:crypto";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import { type Clock, resultWithin } from "../mail-gateway/clock.ts";
import { Refusal } from "../mail-gateway/errors.ts";
import { readData } from "../mail-gateway/read-data.ts";
import { readTicket } from "../src/mail/egress-tickets/ticket.ts";
import { toWireAddress } from "../src/mail/smtp/client.ts";
import type { EgressConfig } from "./config.ts";
import { EMAIL_BYTES, type HeldEmail, type Hold } from "./hold.ts";
import type { Leases } from "./leases.ts";
import type { ReceiverQueue } from "./receiver-queue.ts";
import { pacedReply } from "./results.ts";
import type { Route } from "./route.ts";

/** A place in the line of a receiver. */
interface Place {
  queue: ReceiverQueue;
  /** In ms since 1970. */
  dueAt: number;
}

/** A recipient that was accepted. */
export interface AcceptedRecipient {
  address: string;
  domain: string;
  /** Its place in the line of a receiver. Null: none yet, because DNS has not answered. */
  place: Place | null;
}

/** A transaction of the Worker. */
export interface Transaction {
  /** Null: the email has no outbox row that waits for a report, such as a forward. It is delivered before the reply to its final dot. */
  handOver: Pick<HeldEmail, "ticket" | "lease"> | null;
  from: string;
  /** Bytes of memory that it has. */
  reserved: number;
  /** Largest content, in bytes. */
  maxBytes: number;
  /** When RCPT no longer waits for DNS, in ms since 1970. */
  dnsUntil: number;
  recipients: AcceptedRecipient[];
  /** Replies by domain that tell its recipients to wait: the message has one place. */
  waits: Map<string, string>;
}

export interface IntakeOptions {
  config: Pick<EgressConfig, "login" | "limits">;
  clock: Clock;
  hold: Hold;
  leases: Pick<Leases, "take" | "release">;
  /** Returns the route of a domain. */
  routeOf(domain: string): Promise<Route>;
  /** Returns the queue of the receiver that a route leads to. */
  queueOf(route: Route & { kind: "hosts" }): ReceiverQueue;
  /** Takes an email that is complete. Its memory is reserved. Returns the text of the reply when it may be sent. Throws Refusal. */
  take(transaction: Transaction, content: Buffer[], session: SMTPServerSession): Promise<string>;
  isStopping(): boolean;
  /** Returns whether the egress knows how much it may send. */
  isReady(): boolean;
  /** Returns whether the Worker acknowledges no results. */
  isStuck(): boolean;
}

/** The longest wait for pace of an email whose sender waits for the result, in ms. */
const DIRECT_WAIT_MS = 5_000;
/** A message is received within this time, in ms. */
const MESSAGE_MS = 600_000;
/** Content up to this size is kept in one piece: pieces as they arrive may have far more memory than bytes. */
const ONE_PIECE_BYTES = 1024 * 1024;

/** Takes emails of the Worker: each needs a ticket, memory, and a place in the line of its receiver. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #transactions = new WeakMap<SMTPServerSession, Transaction>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Handlers of smtp-server. */
  readonly handlers: Pick<SMTPServerOptions, "onAuth" | "onMailFrom" | "onRcptTo" | "onData" | "onClose"> = {
    onAuth: ({ username, password }, _session, done) => {
      const { login } = this.#options.config;
      const given = [username ?? "", password ?? ""];
      const isRight = login !== null && areEqual(JSON.stringify(given), JSON.stringify([login.user, login.password]));
      if (isRight) done(null, { user: username ?? "" });
      else done(new Refusal("535 5.7.8 The user name or the password is wrong"));
    },
    onMailFrom: ({ address, args }, session, done) => {
      try {
        this.#begin(address, args || {}, session);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    onRcptTo: ({ address }, session, done) => {
      this.#addRecipient(address, session).then(() => done(), done);
    },
    onData: (stream, session, done) => {
      this.#receive(stream, session).then((text) => done(null, text), done);
    },
    onClose: (session) => this.#release(session),
  };

  #begin(address: string, args: Readonly<Record<string, string | true>>, session: SMTPServerSession): void {
    this.#release(session);
    const { hold, leases, config, clock, isStopping, isReady, isStuck } = this.#options;
    if (isStopping()) throw new Refusal("421 4.3.2 The egress stops");
    const ticket = args.ENVID === undefined ? null : String(args.ENVID);
    if (ticket !== null && readTicket(ticket) === null)
      throw new Refusal("451 4.5.4 ENVID is no ticket of this version of the egress");
    if (ticket !== null && isStuck())
      throw new Refusal("451 4.3.2 The Worker does not acknowledge the results of the egress");
    const from = address === "" ? { address } : toWireAddress(address);
    if (from === null) throw new Refusal("553 5.1.7 The return path is no valid address");
    const { messageBytes, unsizedBytes, dnsMs } = config.limits;
    const maxBytes = Math.min(Number(args.SIZE) || unsizedBytes, messageBytes);
    const reserved = maxBytes + EMAIL_BYTES;
    if (!isReady()) throw new Refusal("451 4.3.2 The egress does not know yet how much it has sent today");
    if (!hold.reserve(reserved)) throw new Refusal("451 4.3.2 The memory of the egress is full");
    const dnsUntil = clock.now() + dnsMs;
    const handOver = ticket === null ? null : { ticket, lease: leases.take(ticket) };
    this.#transactions.set(session, {
      handOver,
      from: from.address,
      reserved,
      maxBytes,
      dnsUntil,
      recipients: [],
      waits: new Map(),
    });
  }

  async #addRecipient(address: string, session: SMTPServerSession): Promise<void> {
    const transaction = this.#transactionOf(session);
    const { handOver } = transaction;
    if (handOver === null && transaction.recipients.length > 0)
      throw new Refusal("452 4.5.3 An email without a ticket has one recipient");
    const to = toWireAddress(address);
    if (to === null) throw new Refusal("553 5.1.3 The recipient is no valid address");
    const domain = to.address.slice(to.address.lastIndexOf("@") + 1).toLowerCase();
    const isKnown = handOver !== null && this.#options.hold.knows(handOver.ticket);
    const place = isKnown ? null : await this.#placeIn(domain, transaction);
    transaction.recipients.push({ address: to.address, domain, place });
  }

  /** Takes a place in the line of a domain's receiver. Returns null without an answer of DNS. Throws Refusal. */
  async #placeIn(domain: string, { dnsUntil, handOver, recipients, waits }: Transaction): Promise<Place | null> {
    const told = waits.get(domain);
    if (told !== undefined) throw new Refusal(told);
    const { routeOf, queueOf, config, clock } = this.#options;
    const route = await resultWithin(clock, Math.max(0, dnsUntil - clock.now()), routeOf(domain));
    if (route?.kind === "refused") throw new Refusal(route.reply);
    if (route?.kind !== "hosts") return null;
    const queue = queueOf(route);
    const now = clock.now();
    const isFurther = recipients.some((other) => other.domain === domain && other.place?.queue === queue);
    const wait = queue.takePlace(now, handOver === null ? DIRECT_WAIT_MS : config.limits.waitMs, isFurther);
    if (!wait.isHeld) {
      waits.set(domain, pacedReply(queue.pace.receiver, wait));
      throw new Refusal(pacedReply(queue.pace.receiver, wait));
    }
    return { queue, dueAt: now + wait.ms };
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const transaction = this.#transactionOf(session);
    const pieces: Buffer[] = [];
    const target = {
      write: async (bytes: Uint8Array) => void pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
      abort: () => void pieces.splice(0),
    };
    const limits = { messageBytes: transaction.maxBytes, messageMs: MESSAGE_MS, clock: this.#options.clock };
    await readData(stream, target, limits, session);
    // Closed meanwhile: its memory is free already.
    if (this.#transactions.get(session) !== transaction) throw new Refusal("451 4.4.2 The connection was closed");
    if (this.#options.isStopping()) throw new Refusal("421 4.3.2 The egress stops");
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    const needed = size + EMAIL_BYTES;
    this.#options.hold.release(transaction.reserved - needed);
    transaction.reserved = needed;
    this.#transactions.delete(session);
    return this.#options.take(transaction, size > ONE_PIECE_BYTES ? pieces : [Buffer.concat(pieces)], session);
  }

  #transactionOf(session: SMTPServerSession): Transaction {
    const transaction = this.#transactions.get(session);
    if (!transaction) throw new Refusal("503 5.5.1 MAIL comes first");
    return transaction;
  }

  /** Frees the memory, the lease and the places of a transaction that was not completed. */
  #release(session: SMTPServerSession): void {
    const transaction = this.#transactions.get(session);
    if (!transaction) return;
    this.#options.hold.release(transaction.reserved);
    if (transaction.handOver) this.#options.leases.release(transaction.handOver.lease);
    for (const { place } of transaction.recipients) place?.queue.leave(1);
    this.#transactions.delete(session);
  }
}

/** Compares without telling by its time where two texts differ. */
function areEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
