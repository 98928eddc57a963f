/** Stands in place of the Worker before an egress: hands emails over under leases, and takes their results. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../../../../dev/dns/server.ts";
import type { ReportedOutcome, ReportedResult } from "../../../../src/mail/egress-tickets/report.ts";
import { EGRESS_LEASE_MS, writeTicket } from "../../../../src/mail/egress-tickets/ticket.ts";
import { HandOver, type Taken } from "./hand-over.ts";

export const SECRET = "gateway-secret-of-the-tests-0123456789";

export interface Email {
  /** The first recipient. */
  to: string;
  /** Recipients without a final result, and those of them that have none of the present hand-over. */
  pending: Set<string>;
  unanswered: Set<string>;
  content: string;
  /** 1 for the first hand-over. */
  attempt: number;
  /** True when an earlier hand-over ended without a report, so that it may be delivered twice. */
  mayRepeat: boolean;
  /** `waiting`: for a place in the line or for its first hand-over. */
  state: "waiting" | "held" | "done";
  dueAt: number;
  ticket: string;
  /** Final results and those that tell it to wait, in the order of arrival. */
  results: ReportedResult[];
  /** Replies 451 at RCPT. */
  waits: Extract<Taken, { kind: "wait" }>[];
  doneAt: number;
}

const SHARD = 0;
/** Between two looks for emails that are due again, and after a reply that the egress is busy, in ms. */
const SORT_MS = 5;
const BUSY_MS = 100;
const from = "bounces@sender.test";

export class Outbox {
  readonly emails: Email[] = [];
  /** Tickets in each call to /gateway/outcomes, and calls to /gateway/leases. */
  readonly groups: number[] = [];
  renewals = 0;
  /** Hand-overs that the egress refused for a time, but for pace. */
  busyReplies = 0;
  /** While true, calls to /gateway/outcomes get 503. */
  takesNoResults = false;
  /** Returns after how many ms an email is tried again, or null to leave it. */
  retryMs: (email: Email, result: ReportedResult) => number | null = () => null;
  /** Called with each result. */
  onResult: ((email: Email, result: ReportedResult) => void) | null = null;
  readonly #byTicket = new Map<string, Email>();
  readonly #server: Server;
  readonly #waiters: (() => void)[] = [];
  readonly #due: Email[] = [];
  readonly #later: Email[] = [];
  #sortedAt = 0;
  #left = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#respond(request).then(
        (body) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body)),
        () => response.writeHead(503).end(),
      );
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, "127.0.0.1", listening));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Adds emails, which a run hands over. */
  add(recipients: readonly (string | readonly string[])[], contentOf: (to: string) => string = contentFor): Email[] {
    const added = recipients.map((one): Email => {
      const pending = new Set(typeof one === "string" ? [one] : one);
      const [to = ""] = pending;
      const common = { state: "waiting", dueAt: 0, ticket: "", attempt: 0, mayRepeat: false, doneAt: 0 } as const;
      return { ...common, pending, unanswered: new Set(), results: [], waits: [], to, content: contentOf(to) };
    });
    for (const email of added) {
      this.emails.push(email);
      this.#wait(email, 0);
    }
    this.#left += added.length;
    return added;
  }

  /** Hands over what is due on these connections until every email is done, or the signal aborts. Throws when the egress dies. */
  async run(
    port: number,
    { connections = 4, signal }: { connections?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    const isOver = () => this.#left === 0 || signal?.aborted === true;
    const one = async () => {
      const handOver = await HandOver.connect(port);
      try {
        while (!isOver()) {
          const email = this.#takeDue();
          if (email) await this.#handOver(handOver, email);
          else await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        handOver.end();
      }
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /** Ends the leases of everything that is held: the next run hands it over again, marked. */
  endLeases(): void {
    for (const email of this.emails) {
      if (email.state !== "held") continue;
      this.#byTicket.delete(email.ticket);
      email.mayRepeat = true;
      this.#wait(email, 0);
    }
  }

  /** Resolves when every email is done. */
  done(): Promise<void> {
    return this.#left === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }

  get left(): number {
    return this.#left;
  }

  /** Emails that no connection has handed over yet, though they are due. */
  get due(): number {
    return this.#due.length;
  }

  #takeDue(): Email | undefined {
    const now = Date.now();
    if (now >= this.#sortedAt + SORT_MS) {
      this.#sortedAt = now;
      const later = this.#later.splice(0);
      for (const email of later) (email.dueAt <= now ? this.#due : this.#later).push(email);
    }
    return this.#due.shift();
  }

  #wait(email: Email, dueAt: number): void {
    Object.assign(email, { state: "waiting", dueAt });
    (dueAt === 0 ? this.#due : this.#later).push(email);
  }

  async #handOver(handOver: HandOver, email: Email): Promise<void> {
    email.attempt += 1;
    email.state = "held";
    const ids = { row: randomUUID(), token: randomUUID(), email: randomUUID() };
    const ticket = writeTicket({
      ...ids,
      shard: SHARD,
      n: this.emails.length,
      attempt: Math.min(email.attempt, 99),
      isRepeated: email.mayRepeat,
      isOther: false,
    });
    email.ticket = ticket;
    email.dueAt = 0;
    email.unanswered = new Set(email.pending);
    this.#byTicket.set(ticket, email);
    let taken: Taken;
    try {
      taken = await handOver.send({ ticket, from, to: [...email.pending], content: email.content });
    } catch (error) {
      // Without a reply it is not known whether the egress holds it.
      email.mayRepeat = true;
      throw error;
    }
    if (taken.kind === "held")
      for (const [address, seconds] of taken.waiting)
        this.#takeResult(email, address, { kind: "paced", receiver: "", label: "", seconds, reason: "" });
    // Its result may come before the reply.
    if (taken.kind === "held" || email.state !== "held" || email.ticket !== ticket) return;
    this.#byTicket.delete(ticket);
    if (taken.kind === "wait") {
      email.waits.push(taken);
      email.attempt -= 1;
      this.#wait(email, Date.now() + taken.seconds * 1_000);
    } else if (taken.kind === "refused") {
      const reply = toReply(taken.reply);
      email.results.push({ kind: "message-refused", phase: "mail", reply, relay: "", receiver: "" });
      this.#finish(email);
    } else {
      this.busyReplies += 1;
      this.#wait(email, Date.now() + BUSY_MS);
    }
  }

  async #respond(request: IncomingMessage): Promise<unknown> {
    const body = JSON.parse((await readBody(request)).toString());
    if (request.headers.authorization !== `Bearer ${SECRET}`) throw new Error("without the secret");
    if (request.url === "/gateway/outcomes" && this.takesNoResults) throw new Error("down");
    if (request.url === "/gateway/outcomes") return this.#takeResults(body.outcomes);
    if (request.url === "/gateway/leases") return this.#renew(body.tickets);
    if (request.url === "/gateway/volume") return { reply: null, receivers: [] };
    throw new Error(`no such path: ${request.url}`);
  }

  #takeResults(outcomes: ReportedOutcome[]): unknown {
    this.groups.push(outcomes.length);
    const lost = outcomes.filter(({ ticket, recipients }) => {
      const email = this.#byTicket.get(ticket);
      for (const { address, result } of recipients) if (email) this.#takeResult(email, address, result);
      return !email;
    });
    return { reply: null, lost: lost.map(({ ticket }) => ticket) };
  }

  #takeResult(email: Email, address: string, result: ReportedResult): void {
    this.onResult?.(email, result);
    if (email.state === "done" || result.kind === "held" || !email.unanswered.delete(address)) return;
    email.results.push(result);
    const waitMs = this.#waitMs(email, result);
    if (waitMs === null) email.pending.delete(address);
    else email.dueAt = Math.max(email.dueAt, waitMs && Date.now() + waitMs);
    email.mayRepeat ||= waitMs !== null && result.kind === "ambiguous";
    if (email.unanswered.size > 0) return;
    if (email.pending.size === 0) this.#finish(email);
    else {
      this.#byTicket.delete(email.ticket);
      this.#wait(email, email.dueAt);
    }
  }

  /** Returns after how many ms a recipient is handed over again; null: the result is final. */
  #waitMs(email: Email, result: ReportedResult): number | null {
    if (result.kind === "paced") return result.seconds * 1_000;
    if (result.kind === "returned") return 0;
    return result.kind === "deferred" || result.kind === "ambiguous" ? this.retryMs(email, result) : null;
  }

  #finish(email: Email): void {
    Object.assign(email, { state: "done", doneAt: Date.now(), content: "" });
    if (--this.#left === 0) for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #renew(tickets: readonly string[]): unknown {
    this.renewals += 1;
    const now = Date.now();
    const lost = tickets.filter((ticket) => !this.#byTicket.has(ticket));
    return { reply: null, until: now + EGRESS_LEASE_MS, now, lost };
  }
}

const toReply = (text: string) => ({ code: Number(text.slice(0, 3)), enhanced: null, text: text.slice(4) });

/** Returns a small message to a recipient. */
export function contentFor(to: string): string {
  return `From: ann@sender.test\r\nTo: ${to}\r\nMessage-ID: <${randomUUID()}@sender.test>\r\nSubject: To ${to}\r\n\r\nHello.\r\n`;
}
