/** Stands in for the two endpoints of the Worker that an egress calls. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../../../mail-gateway/clock.ts";
import type { ReportedOutcome } from "../../../../src/mail/egress-tickets/report.ts";
import { EGRESS_LEASE_MS, readTicket } from "../../../../src/mail/egress-tickets/ticket.ts";

export class StandInWorker {
  /** Outcomes that were acknowledged, in their order, and all that arrived. */
  readonly acknowledged: ReportedOutcome[] = [];
  readonly received: ReportedOutcome[] = [];
  /** Outcomes of each acknowledged call. */
  readonly callSizes: number[] = [];
  /** Tickets of each call for leases. */
  readonly renewals: string[][] = [];
  readonly addresses = new Set<string>();
  /** `fails`: responds with 500; `silent`: not at all. */
  mode: "works" | "fails" | "silent" = "works";
  /** The same of calls for leases, of which mail databases can fail alone. */
  leaseMode: "works" | "fails" = "works";
  readonly failingDatabases = new Set<number>();
  /** Awaited between a renewal and the response to it. */
  beforeRenewed: (tickets: readonly string[]) => Promise<void> = () => Promise.resolve();
  /** Rows whose lease is lost. */
  readonly lostRows = new Set<string>();
  /** An address with which it takes no call: it responds with 422. */
  refused: string | null = null;
  /** Bodies of the calls for the volume. */
  readonly volumeCalls: unknown[] = [];
  volumes: { receiver: string; today: number; since: number }[] = [];
  clock: Pick<Clock, "now"> = systemClock;
  /** The clock of the Worker minus that of the egress, in ms. */
  clockOffset = 0;
  readonly #server: http.Server;
  readonly #silent: http.ServerResponse[] = [];

  constructor() {
    this.#server = http.createServer((request, response) => void this.#respond(request, response));
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Returns the acknowledged results of a recipient, without `held`. */
  resultsOf(address: string) {
    return this.acknowledged
      .flatMap(({ recipients }) => recipients)
      .filter((recipient) => recipient.address === address && recipient.result.kind !== "held")
      .map(({ result }) => result);
  }

  async #respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const name = request.url?.split("/").at(-1);
    if (name === "health") return void response.end("{}");
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as { address: string; outcomes: ReportedOutcome[]; tickets: string[] };
    const mode = name === "leases" ? this.leaseMode : this.mode;
    if (name === "outcomes") {
      this.received.push(...body.outcomes);
      this.addresses.add(body.address);
    }
    if (mode === "silent") return void this.#silent.push(response);
    if (mode === "fails") return void response.writeHead(500).end();
    const isRefused = body.outcomes?.some(({ recipients }) =>
      recipients.some(({ address }) => address === this.refused),
    );
    if (isRefused) return void response.writeHead(422).end();
    if (name === "volume") this.volumeCalls.push(body);
    if (name === "volume") return void response.end(JSON.stringify({ reply: null, receivers: this.volumes }));
    if (name !== "leases") return void response.end(JSON.stringify(this.#record(body.outcomes)));
    if (body.tickets.some((ticket) => this.failingDatabases.has(readTicket(ticket)?.shard ?? -1)))
      return void response.writeHead(500).end();
    const renewed = JSON.stringify(this.#renew(body.tickets));
    await this.beforeRenewed(body.tickets);
    response.end(renewed);
  }

  #record(outcomes: ReportedOutcome[]) {
    this.acknowledged.push(...outcomes);
    this.callSizes.push(outcomes.length);
    return { reply: null, lost: outcomes.map(({ ticket }) => ticket).filter((ticket) => this.#isLost(ticket)) };
  }

  #renew(tickets: string[]) {
    this.renewals.push(tickets);
    const now = this.clock.now() + this.clockOffset;
    const lost = tickets.filter((ticket) => this.#isLost(ticket));
    return { reply: null, until: now + EGRESS_LEASE_MS, now, lost };
  }

  #isLost(ticket: string): boolean {
    return this.lostRows.has(readTicket(ticket)?.row ?? "");
  }
}
