import fc from "fast-check";
import { expect, it } from "vitest";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { waitAfter } from "../../../src/sending/delivery/rules.ts";
import {
  applyFacts,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type Fact,
  toState,
} from "../../../src/sending/emails/index.ts";
import { type RecipientFact, type RecipientState, statusOf, transitionOf } from "../../../src/sending/emails/rules.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { withoutOtherRows } from "../../support/outbox.ts";
import { run } from "../../support/sending.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aMail, aWorkspace, perSuite, recordingContext } from "../../support/workspace.ts";

/**
 * Runs random commands against the real API, database and delivery, and against a model that follows the tables of transitions.
 * Responses, email states and the messages that the egress received must equal those of the model.
 */

const RUNS = byExtent({ quick: 12, full: 30, long: 500 });
const HOUR = 3_600_000;
const PEOPLE = 4;

const email = { which: fc.nat({ max: 20 }) };
const responses = ["taken", "taken", "deferred", "soft", "hard"] as const;
const fates = ["accepted", "accepted", "accepted", "refused", "cut off"] as const;
const feedback = ["dsn-delivered", "dsn-failed", "complaint"] as const satisfies RecipientFact[];
const kind = <Name extends string>(name: Name) => ({ do: fc.constant(name) });
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...kind("send"), people: fc.integer({ min: 1, max: PEOPLE }), later: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...kind("let time pass"),
      hours: fc.constantFrom(0, 1, 3, 30),
      rcpt: fc.array(fc.constantFrom(...responses), { minLength: PEOPLE, maxLength: PEOPLE }),
      dot: fc.constantFrom(...fates),
      dsn: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...kind("cancel"), ...email }) },
  { weight: 1, arbitrary: fc.record({ ...kind("send now"), ...email }) },
  { weight: 1, arbitrary: fc.record({ ...kind("reschedule"), ...email, hours: fc.constantFrom(1, 2, 24) }) },
  { weight: 2, arbitrary: fc.record({ ...kind("retry"), ...email }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...kind("hear back"),
      ...email,
      facts: fc.array(
        fc.record({ who: fc.nat({ max: PEOPLE - 1 }), on: fc.constantFrom(...feedback), twice: fc.boolean() }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...kind("suppress"), who: fc.nat({ max: PEOPLE - 1 }), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ...kind("pause"), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ...kind("restrict"), on: fc.boolean() }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;
type Passing = Extract<Command, { do: "let time pass" }>;

const workspace = perSuite(aWorkspace);
const api = perSuite(() => workspace.withoutQueue);

/** State of one email in the model. */
interface Known {
  id: string;
  status: string;
  /** Recipient states by address. */
  recipients: Map<string, RecipientState>;
  attempts: number;
  /** Complete messages that the egress received by address, and how many of them got no reply. */
  copies: Map<string, number>;
  doubtful: number;
  /** Events so far; events are only added. */
  events: string[];
  /** When the retry was accepted; null for an email that is no retry. */
  retriedAt: number | null;
}

type Reason = "bounce" | "complaint" | "manual";

class Sequence {
  readonly #people = Array.from({ length: PEOPLE }, (_, n) => `p${n}@${crypto.randomUUID()}.example.org`);
  readonly #emails: Known[] = [];
  readonly #suppressed = new Map<string, { reason: Reason; at: number }>();
  /** By address: its retries, newest first. */
  readonly #retries = new Map<string, Known[]>();
  #paused = false;
  #restricted = false;
  #now = Date.now();

  async run(commands: readonly Command[]): Promise<void> {
    await this.#pause(false);
    await this.#restrict(false);
    for (const one of commands) {
      await this.#take(one);
      await this.#compare();
    }
  }

  async #take(one: Command): Promise<void> {
    if (one.do === "send") return this.#send(one.people, one.later);
    if (one.do === "let time pass") return this.#pass(one);
    if (one.do === "pause") return this.#pause(one.on);
    if (one.do === "restrict") return this.#restrict(one.on);
    if (one.do === "suppress") return this.#suppress(this.#people[one.who] ?? "", one.on);
    const known = this.#emails[one.which % Math.max(1, this.#emails.length)];
    if (!known) return;
    if (one.do === "cancel") return this.#move(known, "DELETE", "", "cancelled");
    if (one.do === "send now") return this.#move(known, "POST", "/send-now", "queued");
    if (one.do === "reschedule") return this.#reschedule(known, one.hours);
    if (one.do === "retry") return this.#retry(known);
    return this.#hearBack(known, one.facts);
  }

  get #maySend(): boolean {
    return !this.#paused && !this.#restricted;
  }

  /** A complaint or manual entry replaces a bounce. */
  #suppressFor(address: string, reason: Reason, at: number): void {
    const before = this.#suppressed.get(address)?.reason;
    if (before === undefined || (before === "bounce" && reason !== "bounce"))
      this.#suppressed.set(address, { reason, at });
  }

  /** A bounce does not stop a retry, but the fourth retry after three that bounced is dropped. */
  #isDropped(address: string, isRetry: boolean): boolean {
    const reason = this.#suppressed.get(address)?.reason;
    return reason !== undefined && !(isRetry && reason === "bounce");
  }

  #hasRepeatedBounces(address: string): boolean {
    const last = (this.#retries.get(address) ?? []).slice(0, 3);
    return last.length === 3 && last.every(({ recipients }) => recipients.get(address) === "bounced");
  }

  #learn(id: string, addresses: readonly string[], status: "queued" | "scheduled", retriedAt: number | null): Known {
    const isRetry = retriedAt !== null;
    const isDropped = (address: string) =>
      this.#isDropped(address, isRetry) || (isRetry && this.#hasRepeatedBounces(address));
    const stateOf = (address: string): RecipientState => (isDropped(address) ? "suppressed" : "queued");
    const recipients = new Map(addresses.map((address) => [address, stateOf(address)]));
    const isRefused = [...recipients.values()].every((state) => state === "suppressed");
    const known: Known = {
      id,
      status: isRefused ? "rejected" : status,
      recipients,
      attempts: 0,
      copies: new Map(),
      doubtful: 0,
      events: [],
      retriedAt,
    };
    this.#emails.push(known);
    if (isRetry) {
      for (const [address, state] of recipients) {
        if (state !== "suppressed") this.#retries.set(address, [known, ...(this.#retries.get(address) ?? [])]);
      }
    }
    return known;
  }

  async #send(people: number, later: boolean): Promise<void> {
    const to = this.#people.slice(0, people);
    const send_at = later ? new Date(Date.now() + HOUR).toISOString() : undefined;
    const mail = aMail(workspace, { to: to.map((address) => ({ email: address })), send_at });
    const response = await api.post("/v1/emails/", mail);
    expect(response.status).toBe(this.#maySend ? 202 : 403);
    if (!this.#maySend) return;
    const { id, status } = await response.json<{ id: string; status: string }>();
    expect(status).toBe(this.#learn(id, to, later ? "scheduled" : "queued", null).status);
  }

  async #move(known: Known, method: string, path: string, to: string): Promise<void> {
    const response = await api.call(method, `/v1/emails/scheduled/${known.id}${path}`);
    const mayCall = to === "cancelled" || this.#maySend;
    const isWaiting = known.status === "scheduled";
    expect(response.status).toBe(!mayCall ? 403 : isWaiting ? 200 : 404);
    if (mayCall && isWaiting) known.status = to;
  }

  async #reschedule(known: Known, hours: number): Promise<void> {
    const send_at = new Date(Date.now() + hours * HOUR).toISOString();
    const response = await api.call("PATCH", `/v1/emails/scheduled/${known.id}`, { send_at });
    expect(response.status).toBe(known.status === "scheduled" ? 200 : 404);
  }

  async #retry(known: Known): Promise<void> {
    const response = await api.call("POST", `/v1/emails/${known.id}/retry`);
    const may = ["bounced", "rejected", "failed"].includes(known.status);
    expect(response.status).toBe(!this.#maySend ? 403 : may ? 202 : 409);
    if (!this.#maySend || !may) return;
    const { id, status } = await response.json<{ id: string; status: string }>();
    const all = [...known.recipients];
    const missed = all.filter(([, state]) => ["bounced", "rejected", "failed"].includes(state));
    const to = (missed.length > 0 ? missed : all).map(([address]) => address);
    expect(status).toBe(this.#learn(id, to, "queued", await acceptedAt(id)).status);
  }

  async #hearBack(known: Known, facts: Extract<Command, { do: "hear back" }>["facts"]): Promise<void> {
    // No feedback exists for an email that was never sent.
    if (known.status === "scheduled" || known.status === "cancelled") return;
    const { ctx } = recordingContext({}, () => this.#now);
    for (const { who, on, twice } of facts) {
      const recipient = this.#people[who] ?? "";
      const isComplaint = on === "complaint";
      const fact: Fact = { id: ctx.newId(), recipient, on, at: this.#now, ...(isComplaint && { suppress: on }) };
      const state = await stateOf(known.id);
      await applyFacts(ctx, [{ state, facts: [fact], attempt: 0 }]);
      // The second update is derived from the state before the first one.
      if (twice) await applyFacts(ctx, [{ state, facts: [fact], attempt: 0 }]);
      if (!known.recipients.has(recipient)) continue;
      this.#fact(known, recipient, on);
      if (on === "dsn-delivered") this.#release(known, recipient);
      if (isComplaint) this.#suppressFor(recipient, "complaint", this.#now);
    }
  }

  /** A delivery notice for a retry removes a suppression by a bounce that is no newer than the retry. */
  #release(known: Known, address: string): void {
    const entry = this.#suppressed.get(address);
    if (known.retriedAt !== null && entry?.reason === "bounce" && entry.at <= known.retriedAt) {
      this.#suppressed.delete(address);
    }
  }

  #fact(known: Known, address: string, on: RecipientFact): void {
    known.recipients.set(address, transitionOf(known.recipients.get(address) ?? "queued", on).to);
    known.status = statusOf([...known.recipients.values()]);
  }

  async #pass(passing: Passing): Promise<void> {
    this.#now = Math.max(this.#now, Date.now()) + passing.hours * HOUR;
    for (const known of this.#emails) {
      const rows = (await workOf(known.id)).filter((dueAt) => dueAt <= this.#now);
      if (rows.length > 0) await this.#deliver(known, rows, passing);
    }
  }

  async #deliver(known: Known, rows: readonly number[], { rcpt, dot, dsn }: Passing): Promise<void> {
    const replies = { taken: "250 2.1.5 ok", deferred: "451 4.3.0 later", soft: "550 5.7.1 no", hard: "550 5.1.1 no" };
    const ends = { accepted: "250 2.0.0 ok", refused: "554 5.7.1 no", "cut off": { drop: true } } as const;
    const server = await scriptedServer({
      recipients: Object.fromEntries(this.#people.map((address, n) => [address, replies[rcpt[n] ?? "taken"]])),
      transactions: Array.from({ length: 4 }, () => ({ dot: ends[dot] })),
    });
    const { ctx } = recordingContext({ EGRESS_URL: `${server.url}&dsn=${dsn ? "on" : "off"}` }, () => this.#now);
    // Queues deliver at least once, so the message comes twice.
    const wakeUps = rows.map((dueAt) => ({ dueAt, id: known.id, kind: "deliver" as const }));
    await withoutOtherRows([known.id], () =>
      Promise.all([1, 2].map(() => deliver(ctx, wakeUps, egressOf(ctx.settings)))),
    );
    const tried = this.#attempt(known, { rcpt, dot, dsn });
    const messages = await server.messages();
    await server.close();
    const got = messages.flatMap(({ rcpts }) => rcpts.map((line) => pathIn(line)));
    expect(got.sort()).toEqual(tried.sort());
    for (const address of got) known.copies.set(address, (known.copies.get(address) ?? 0) + 1);
    if (dot === "cut off") known.doubtful += 1;
  }

  /** Applies one attempt to the model. Returns the addresses that must have received the message. */
  #attempt(known: Known, { rcpt, dot, dsn }: Pick<Passing, "rcpt" | "dot" | "dsn">): string[] {
    if (known.status === "scheduled") known.status = "queued";
    if (known.status !== "queued") return [];
    const waiting = [...known.recipients].filter(([, state]) => state === "queued").map(([address]) => address);
    if (this.#restricted) {
      for (const address of waiting) this.#fact(known, address, "gave-up");
      return [];
    }
    if (this.#paused) return [];
    const tried = waiting.filter((address) => !this.#isDropped(address, known.retriedAt !== null));
    for (const address of waiting) if (!tried.includes(address)) this.#fact(known, address, "suppressed");
    if (tried.length === 0) return [];
    known.attempts += 1;
    const again = waitAfter(known.attempts, 0) === null ? "gave-up" : "deferred";
    const taken = dsn ? "accepted-dsn-to-come" : "accepted-final";
    const end = { accepted: taken, refused: "message-refused", "cut off": again } as const;
    const sent: string[] = [];
    for (const address of tried) {
      // Each recipient has a transaction, so those after one in which the connection broke are not tried.
      const isLost = dot === "cut off" && sent.length > 0;
      const result = isLost ? "deferred" : (rcpt[this.#people.indexOf(address)] ?? "taken");
      const facts = { taken: end[dot], deferred: again, soft: "recipient-refused", hard: "recipient-refused" } as const;
      this.#fact(known, address, facts[result]);
      if (result === "hard") this.#suppressFor(address, "bounce", this.#now);
      if (result === "taken") sent.push(address);
    }
    return sent;
  }

  async #suppress(address: string, on: boolean): Promise<void> {
    if (on) await api.post("/v1/suppressions/", { email: address });
    else await api.call("DELETE", `/v1/suppressions/${address}`);
    if (on) this.#suppressFor(address, "manual", Date.now());
    else this.#suppressed.delete(address);
  }

  async #pause(on: boolean): Promise<void> {
    const at = on ? 1 : null;
    await run("UPDATE workspaces SET sending_paused_at = ?2 WHERE number = ?1", workspace.workspaceNumber, at);
    this.#paused = on;
  }

  async #restrict(on: boolean): Promise<void> {
    await run("UPDATE users SET restricted_at = ?2 WHERE id = ?1", workspace.userId, on ? 1 : null);
    this.#restricted = on;
  }

  async #compare(): Promise<void> {
    if (this.#emails.length === 0) return;
    const list = await (await api.get("/v1/emails/?limit=100")).json<{ id: string; status: string }[]>();
    const shown = new Map(list.map(({ id, status }) => [id, status]));
    for (const known of this.#emails) {
      expect(shown.get(known.id)).toBe(known.status);
      const state = await stateOf(known.id);
      expect(state.recipients.map(({ email, state }) => [email, state])).toEqual([...known.recipients]);
      const events = state.events.map(({ id, type }) => `${id} ${type}`);
      expect(events.slice(0, known.events.length)).toEqual(known.events);
      expect(new Set(events).size).toBe(events.length);
      known.events = events;
      const isWaiting = ["scheduled", "queued"].includes(known.status);
      if (isWaiting) expect(await workOf(known.id)).toHaveLength(1);
      if (known.status === "cancelled") expect([known.copies.size, await workOf(known.id)]).toEqual([0, []]);
      // A second copy is allowed only after an attempt without a response from the egress.
      for (const copies of known.copies.values()) expect(copies).toBeLessThanOrEqual(1 + known.doubtful);
    }
  }
}

async function stateOf(id: string): Promise<EmailState> {
  const row = await database.row<EmailStateRow>(
    `SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE e.workspace = ?1 AND e.id = ?2`,
    [workspace.workspaceNumber, id],
  );
  if (!row) throw new Error("the email is gone");
  return toState(row);
}

async function acceptedAt(id: string): Promise<number> {
  const row = await database.row<{ created_at: number }>(
    "SELECT created_at FROM emails WHERE workspace = ?1 AND id = ?2",
    [workspace.workspaceNumber, id],
  );
  if (!row) throw new Error("the retry has no row");
  return row.created_at;
}

async function workOf(id: string): Promise<number[]> {
  const results = await database.rows<{ due_at: number }>("SELECT due_at FROM outbox WHERE id = ?1", [id]);
  return results.map(({ due_at }) => due_at);
}

it(`${RUNS} random sequences of calls, deliveries and feedback follow the tables of transitions`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 24, size: "max" }), (commands) =>
      new Sequence().run(commands),
    ),
    { numRuns: RUNS },
  );
}, 3_600_000);
