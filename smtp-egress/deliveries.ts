import type { SMTPServerSession } from "smtp-server";
import type { Clock, Timer } from "../mail-gateway/clock.ts";
import { log } from "../mail-gateway/log.ts";
import type { ReportedRecipient, ReportedResult } from "../src/mail/egress-tickets/report.ts";
import type { EgressLimits } from "./config.ts";
import { hasEightBitHeader } from "./content.ts";
import { type Delivery, type Guard, isOver } from "./deliver.ts";
import type { HeldEmail, Hold } from "./hold.ts";
import type { AcceptedRecipient, Transaction } from "./intake.ts";
import type { Leases } from "./leases.ts";
import type { ReceiverQueue } from "./receiver-queue.ts";
import type { Reporter } from "./reporter.ts";
import { FAILED, pacedResult, toRefusal, toReplyText, toReported } from "./results.ts";
import type { Route } from "./route.ts";
import type { Destination } from "./sessions.ts";

/** An email without a ticket has its final dot within this time, in ms: its sender waits for the reply for 60 s. */
const DIRECT_MS = 30_000;

type LeasedTransaction = Transaction & Pick<HeldEmail, "ticket" | "lease">;

interface Incoming extends Pick<HeldEmail, "content" | "respond"> {
  session: SMTPServerSession;
}

export interface DeliveriesOptions {
  hold: Hold;
  leases: Leases;
  reporter: Reporter;
  limits: Pick<EgressLimits, "dotLeaseMs" | "renewMs" | "heldMs">;
  clock: Clock;
  routeOf(domain: string): Promise<Route>;
  queueOf(route: Route & { kind: "hosts" }): ReceiverQueue;
  /** Returns the hosts of a route as the MTA-STS policy of the domain has them. */
  destinationOf(domain: string, route: Route & { kind: "hosts" }): Promise<Destination>;
}

/** Takes emails into memory, gives them to the queues of their receivers, and their results to the reporter. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #heldTimers = new Map<HeldEmail, Timer>();
  readonly #inFinalDot = new Set<Delivery>();
  readonly #onEnded: (() => void)[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * Takes an email whose memory is reserved, and returns the text of the reply. One that was taken before gets the results that it
   * has. The sender of one without a ticket waits for its result: throws Refusal when it is not accepted.
   */
  async take(transaction: Transaction, content: Buffer[], session: SMTPServerSession): Promise<string> {
    if (transaction.handOver !== null) {
      this.#hold({ ...transaction, ...transaction.handOver }, content, session);
      return "Held under your lease";
    }
    const lease = this.#options.leases.withoutRow(DIRECT_MS);
    const [first] = await new Promise<readonly ReportedRecipient[]>((respond) => {
      this.#begin({ ...transaction, ticket: lease.key, lease }, { content, session, respond });
    });
    return toReplyText(first?.result ?? RETURNED);
  }

  #hold(transaction: LeasedTransaction, content: Buffer[], session: SMTPServerSession): void {
    const { hold, leases, reporter, limits, clock } = this.#options;
    const { ticket, lease, recipients, reserved } = transaction;
    const known = hold.find(
      ticket,
      recipients.map(({ address }) => address),
    );
    if (known) {
      hold.release(reserved);
      const results = [...known.results].flatMap(([address, result]) => (result ? [{ address, result }] : []));
      // That of the first hand-over is not renewed any more when all its results were acknowledged.
      known.lease = lease;
      if (results.length > 0) reporter.report(known, results);
      leases.release(lease);
      return;
    }
    // Most leases are renewed by the time at which their delivery needs it.
    void leases.renew(lease);
    const email = this.#begin(transaction, { content, session, respond: null });
    this.#heldTimers.set(
      email,
      clock.after(limits.heldMs, () => this.#reportHeld(email)),
    );
  }

  /** Adds an email to memory and starts to deliver it. */
  #begin({ ticket, lease, from, recipients }: LeasedTransaction, { session, ...of }: Incoming): HeldEmail {
    const { content } = of;
    const email: HeldEmail = {
      ...of,
      ticket,
      lease,
      from,
      size: content.reduce((sum, { length }) => sum + length, 0),
      needsSmtpUtf8: session.envelope.smtpUtf8 === true && hasEightBitHeader(content),
      needs8BitMime: session.envelope.bodyType === "8bitmime",
      results: new Map(recipients.map(({ address }) => [address, null])),
    };
    this.#options.hold.add(email);
    for (const [domain, group] of Map.groupBy(recipients, ({ domain }) => domain))
      this.#route(email, domain, group).catch((error: unknown) => {
        log("delivery.failed", { error: error instanceof Error ? error.stack : String(error) });
        this.#report(
          email,
          group.map(({ address }) => ({ address, result: FAILED })),
        );
      });
    return email;
  }

  /** The checks of a delivery before its content and before its final dot. */
  readonly guard: Guard = {
    mayBegin: async (delivery) => {
      if (delivery.email.respond !== null) return !this.#isOver(delivery);
      await this.#options.leases.ensure(delivery.email.lease, this.#options.limits.renewMs);
      return !this.#isOver(delivery);
    },
    maySendFinalDot: async (delivery) => {
      const { leases, reporter, limits } = this.#options;
      const { lease, respond } = delivery.email;
      if (respond !== null) return !this.#isOver(delivery) && this.#inFinalDot.add(delivery).has(delivery);
      do {
        await leases.ensure(lease, limits.dotLeaseMs);
        await reporter.permit();
        if (this.#isOver(delivery)) return false;
      } while (!leases.has(lease, limits.dotLeaseMs));
      this.#inFinalDot.add(delivery);
      return true;
    },
  };

  /** Notes and reports the results of a delivery. */
  readonly onResults = (delivery: Delivery, results: readonly ReportedRecipient[]): void => {
    this.#inFinalDot.delete(delivery);
    this.#report(delivery.email, results);
    if (this.#inFinalDot.size === 0) for (const resolve of this.#onEnded.splice(0)) resolve();
  };

  /** Returns everything that has no final dot on its way to the Worker. Nothing of it goes on. */
  returnAll(): void {
    const sent = Map.groupBy(this.#inFinalDot, ({ email }) => email);
    for (const email of [...this.#options.hold.emails]) {
      const kept = (sent.get(email) ?? []).flatMap(({ recipients }) => recipients);
      const rest = [...email.results].filter(([address, result]) => result === null && !kept.includes(address));
      if (rest.length > 0)
        this.#report(
          email,
          rest.map(([address]) => ({ address, result: RETURNED })),
        );
    }
  }

  /** Resolves when no final dot is without a result. */
  ended(): Promise<void> {
    if (this.#inFinalDot.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEnded.push(resolve));
  }

  /** Returns whether a delivery has its results, or has lost its lease: then the outbox tries again, and nothing is told. */
  #isOver(delivery: Delivery): boolean {
    const { email, recipients } = delivery;
    if (isOver(delivery)) return true;
    if (!this.#options.leases.isOver(email.lease)) return false;
    const results = recipients.map((address) => ({ address, result: LOST }));
    email.respond?.(results);
    this.#settle(email, results);
    return true;
  }

  /** Gives the recipients of one domain to the queue of their receiver. */
  async #route(email: HeldEmail, domain: string, recipients: readonly AcceptedRecipient[]): Promise<void> {
    const { routeOf, queueOf, destinationOf } = this.#options;
    const addresses = recipients.map(({ address }) => address);
    const reportAll = (result: ReportedResult) =>
      this.#report(
        email,
        addresses.map((address) => ({ address, result })),
      );
    const route = await routeOf(domain);
    if (route.kind === "failed")
      return reportAll({ kind: "deferred", phase: "connect", reply: null, reason: route.reason });
    if (route.kind === "refused") return reportAll(toRefusal(route.reply, domain));
    const placed = recipients.flatMap(({ place }) => place ?? []);
    const queue = placed[0]?.queue ?? queueOf(route);
    const now = this.#options.clock.now();
    for (const _ of recipients.slice(placed.length)) {
      const wait = queue.takePlace(now, undefined, placed.length > 0);
      if (!wait.isHeld) {
        queue.leave(placed.length);
        return reportAll(pacedResult(queue.pace.receiver, wait));
      }
      placed.push({ queue, dueAt: now + wait.ms });
    }
    const destination = await destinationOf(domain, route);
    const dueAt = Math.max(...placed.map((place) => place.dueAt));
    const delivery = { email, recipients: addresses, destination, dueAt, hasFinalDot: false };
    if (isOver(delivery)) queue.leave(placed.length);
    else queue.add(delivery);
  }

  #reportHeld(email: HeldEmail): void {
    this.#heldTimers.delete(email);
    const waiting = [...email.results].filter(([, result]) => result === null);
    this.#options.reporter.report(
      email,
      waiting.map(([address]) => ({ address, result: { kind: "held" } as const })),
    );
  }

  #report(email: HeldEmail, untimed: readonly ReportedRecipient[]): void {
    const at = this.#options.clock.now();
    // A repeated report tells the same time.
    const results = untimed.map(({ address, result }) => ({ address, result: { ...toReported(result), at } }));
    if (email.respond) email.respond(results);
    else if (results.length > 0) this.#options.reporter.report(email, results);
    this.#settle(email, results);
  }

  /** Notes results, and frees the memory of an email that has all of them. */
  #settle(email: HeldEmail, results: readonly ReportedRecipient[]): void {
    for (const { address, result } of results) email.results.set(address, result);
    if ([...email.results.values()].includes(null)) return;
    this.#heldTimers.get(email)?.cancel();
    this.#heldTimers.delete(email);
    this.#options.hold.settle(email);
    this.#options.leases.release(email.lease);
  }
}

const LOST: ReportedResult = { kind: "returned", reason: "the lease of the outbox row has ended" };
const RETURNED: ReportedResult = { kind: "returned", reason: "the egress stops" };
