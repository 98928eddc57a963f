/** Random interleavings of what happens to emails, on the real code and database, against the interpreter of model.ts. */
import { beforeAll, describe, expect, it } from "vitest";
import type { CallerCtx } from "../../../src/access/caller.ts";
import { readTicket } from "../../../src/mail/egress-tickets/ticket.ts";
import { flushOutbox } from "../../../src/sending/delivery/index.ts";
import { recordOutcomes } from "../../../src/sending/egress-outcomes/record.ts";
import { renewLeases } from "../../../src/sending/egress-outcomes/renew-leases.ts";
import { sendBatch } from "../../../src/sending/emails/batch/send.ts";
import { cancelEmail } from "../../../src/sending/emails/scheduled/cancel.ts";
import { reschedule } from "../../../src/sending/emails/scheduled/reschedule.ts";
import { SendIn } from "../../../src/sending/emails/schema.ts";
import { sendEmail } from "../../../src/sending/emails/send/send.ts";
import { callerContext } from "../../support/accept-email.ts";
import { mail } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { seeded } from "../../support/failures.ts";
import { results } from "../../support/holding-egress.ts";
import { aMail, aWorkspace, perSuite, recordingContext } from "../../support/workspace.ts";
import { type Claimed, type Fault, Model, type Word } from "./model.ts";
import { RUN_KINDS, type Run, startRun } from "./model-run.ts";

const RUNS = byExtent({ quick: 300, full: 1_000, long: 10_000 });
const RANDOM_MOVES = byExtent({ quick: 7, full: 8, long: 14 });
/** Emails that a run surely hands over before the first has a reply: its four connections take one each, and then up to three more. */
const IN_FLIGHT = 6;
const SECOND = 1_000;
const HOUR = 3_600_000;
const workspace = perSuite(aWorkspace);
const clock = { now: Date.now() };
const { ctx } = recordingContext({}, () => clock.now);
let caller: CallerCtx;
beforeAll(async () => {
  caller = await callerContext(ctx, workspace);
});

const MOVES = {
  ...{ "accept one": 3, "accept several": 2, "accept a scheduled one": 1, "let time pass": 5, "let a run deliver": 7 },
  ...{
    "resume a run": 2,
    report: 5,
    "renew leases": 3,
    "move a scheduled one": 1,
    "cancel a scheduled one": 1,
    "end an outage": 1,
  },
};
type Move = keyof typeof MOVES;
const DECK = Object.entries(MOVES).flatMap(([move, weight]) => Array<Move>(weight).fill(move as Move));
const addressOf = new Map<string, string>();
const emailAt = new Map<string, string>();
/** Runs that were killed end in the background. */
const killed: Promise<unknown>[] = [];

interface Found {
  id: string;
  status: string;
  events: string;
  rows: string;
}
const SHARED_ROW = "SELECT outbox_id FROM emails WHERE id = ?1";
// The row of an email: that with its id, or the shared one that it belongs to.
const FIND = `
  SELECT e.id, e.status, e.events, (
      SELECT json_group_array(json_object('id', o.id, 'dueAt', o.due_at, 'leasedUntil', o.leased_until, 'token', o.token, 'claims', o.claims))
        FROM outbox o WHERE o.kind = 'deliver' AND (o.id = e.id OR o.id = coalesce(e.outbox_id, e.id))
         AND EXISTS (SELECT 1 FROM json_each(o.ref) r WHERE r.value = e.n)) AS rows
    FROM json_each(?1) j CROSS JOIN emails e ON e.workspace = ?2 AND e.id = j.value`;

class Interleaving {
  readonly model: Model;
  readonly moves: string[] = [];
  readonly #random: () => number;
  readonly #tickets: { claimed: Claimed; ticket: string }[] = [];
  readonly #stalled: { run: Run; sends: Claimed[] }[] = [];
  readonly #tokens = new Map<string, string>();
  #runs = 0;

  constructor(seed: number, fault: Fault | null = null) {
    this.#random = seeded(seed);
    this.model = new Model(fault);
  }

  async play(): Promise<void> {
    await mail.prepare("DELETE FROM outbox").run();
    await this.#take("accept several");
    for (let move = 0; move < RANDOM_MOVES; move++) await this.#take(this.#pick(DECK));
    while (this.#stalled.length > 0) await this.#take("resume a run");
    // A last run after each lease and wait: nothing is lost.
    for (let round = 0; round < 4 && this.model.waiting().length > 0; round++) {
      clock.now += 30 * HOUR;
      await this.#run("ends", false, () => "accepted", 1);
      await this.#compare();
    }
    expect(this.model.waiting()).toEqual([]);
    expect(this.model.doubles).toEqual([]);
  }

  async #take(move: Move): Promise<void> {
    this.moves.push(move);
    await this.#make(move);
    if (move !== "let time pass") await this.#compare();
  }

  async #make(move: Move): Promise<unknown> {
    const scheduled = [...this.model.emails].filter(([, { state }]) => state !== "final").map(([id]) => id);
    const at = clock.now + Math.ceil((1 + this.#random() * 30) * 60) * SECOND;
    switch (move) {
      case "accept one":
        return this.#accept(1);
      case "accept several":
        return this.#accept(3);
      case "accept a scheduled one":
        return this.#accept(1, at);
      case "let time pass":
        clock.now += this.#pick([5 * SECOND, 70 * SECOND, 125 * SECOND, 6 * 60 * SECOND, HOUR / 2, HOUR, 13 * HOUR]);
        return;
      case "let a run deliver":
        return this.#run(this.#pick(RUN_KINDS), this.#random() < 0.6);
      case "resume a run":
        return this.#resume();
      case "report":
        return this.#report();
      case "renew leases": {
        if (this.#tickets.length === 0) return;
        const renewed = this.#tickets.filter(() => this.#random() < 0.7);
        await renewLeases(
          ctx,
          renewed.map(({ ticket }) => ticket),
        );
        for (const { claimed } of renewed) this.model.renew(claimed, clock.now);
        return;
      }
      case "move a scheduled one":
      case "cancel a scheduled one": {
        if (scheduled.length === 0) return;
        const id = this.#pick(scheduled);
        const isMove = move === "move a scheduled one";
        const call = isMove ? reschedule(caller, id, new Date(at).toISOString()) : cancelEmail(caller, id);
        const isDone = await call.then(
          () => true,
          (error: { status?: number }) => error.status !== 404,
        );
        expect(isDone).toBe(this.model.reschedule(id, isMove ? at : null));
        return;
      }
      case "end an outage":
        await flushOutbox(ctx);
        for (const row of this.model.rows.values())
          if (row.token === null && (row.dueAt ?? 0) > clock.now) row.dueAt = null;
    }
  }

  async #accept(count: number, at?: number): Promise<void> {
    const inputs = Array.from({ length: count }, () => {
      const address = `${crypto.randomUUID()}@example.org`;
      const send_at = at === undefined ? {} : { send_at: new Date(at).toISOString() };
      return { address, input: SendIn.parse(aMail(workspace, { to: [{ email: address }], ...send_at })) };
    });
    const [first] = inputs;
    const accepted =
      count === 1 && first
        ? [await sendEmail(caller, first.input, "api")]
        : (await sendBatch(caller, inputs, true)).results;
    const ids = accepted.map(({ id }) => id ?? "");
    for (const [index, { address }] of inputs.entries()) {
      addressOf.set(ids[index] ?? "", address);
      emailAt.set(address, ids[index] ?? "");
    }
    const row = count === 1 ? ids[0] : await mail.prepare(SHARED_ROW).bind(ids[0]).first<string>("outbox_id");
    this.model.accept(row ?? "", ids, at ?? clock.now, at === undefined ? "queued" : "scheduled");
  }

  async #run(wanted: Run["kind"], isHolding: boolean, say?: () => Word, share = 0.7): Promise<void> {
    const due = [...this.model.rows].filter(([, { dueAt }]) => dueAt !== null && dueAt <= clock.now);
    const named = due.filter(() => this.#random() < share).map(([id]) => id);
    const token = `run ${++this.#runs}`;
    const claimed = this.model.claim(token, clock.now, new Set(named));
    const sends = claimed.filter(({ plan }) => plan === "send");
    // Only a run that sends all its emails at once is halted: what it wrote of the others before is not known.
    const isAtOnce = sends.length > 0 && sends.length <= IN_FLIGHT && sends.length === claimed.length;
    const kind = isAtOnce ? wanted : "ends";
    const word = say ?? (() => (this.#random() < 0.4 ? "deferred" : isHolding ? "held" : "accepted"));
    const words = new Map(sends.map(({ email }) => [email, kind === "stalls" && isHolding ? "held" : word()]));
    this.moves.push(`${token} ${kind}${isHolding ? ", holding" : ""}: ${[...words.values()]}`);
    const run = startRun(ctx, { kind, isHolding, words, emailAt }, named, sends.length);
    await Promise.race([run.ended, run.halted.promise]);
    const sent = run.sent.map(({ email }) => email).toSorted();
    const expected =
      kind === "unreachable" || kind === "killed before" ? [] : sends.map(({ email }) => email).toSorted();
    if (kind === "killed after") expect(expected).toContain(sent[0]);
    else expect(sent).toEqual(expected);
    for (const { email, ticket } of run.sent)
      this.#note(sends, email, ticket, words.get(email) === "held" || kind === "killed after");
    if (kind === "stalls") this.#stalled.push({ run, sends });
    if (kind === "killed before" || kind === "killed after") return void killed.push(run.ended);
    for (const one of claimed) this.model.settle(one, clock.now);
    for (const one of kind === "stalls" ? [] : sends)
      this.model.hear(one, kind === "unreachable" ? "deferred" : (words.get(one.email) ?? "held"), clock.now);
  }

  #note(sends: readonly Claimed[], email: string, ticket: string, isOpen: boolean): void {
    const claimed = sends.find((one) => one.email === email);
    if (!claimed) throw new Error("the run sends an email that the model does not");
    this.model.handOver(claimed);
    if (ticket === "") return;
    expect(readTicket(ticket)?.isRepeated).toBe(claimed.isMarked);
    if (isOpen) this.#tickets.push({ claimed, ticket });
  }

  async #resume(): Promise<void> {
    const [stalled] = this.#stalled.splice(Math.floor(this.#random() * this.#stalled.length), 1);
    if (!stalled) return;
    // Mostly its lease has ended, and another run has claimed its emails.
    if (this.#random() < 0.7) {
      clock.now += 125 * SECOND;
      await this.#run("ends", this.#random() < 0.6);
    }
    stalled.run.resumed.resolve();
    await stalled.run.ended;
    for (const one of stalled.sends) this.model.hear(one, stalled.run.words.get(one.email) ?? "held", clock.now);
  }

  async #report(): Promise<void> {
    if (this.#tickets.length === 0) return;
    const { claimed, ticket } = this.#pick(this.#tickets);
    const word = this.#pick(["accepted", "held", "deferred", "returned"] as const);
    this.moves.push(`${word} for ${claimed.token}`);
    const recipients = [{ address: addressOf.get(claimed.email) ?? "", result: results[word] }];
    await recordOutcomes(ctx, "192.0.2.1", [{ ticket, recipients }]);
    this.model.hear(claimed, word, clock.now);
  }

  async #compare(): Promise<void> {
    const ids = JSON.stringify([...this.model.emails.keys()]);
    const { results: found } = await mail.prepare(FIND).bind(ids, workspace.workspaceNumber).all<Found>();
    expect(found).toHaveLength(this.model.emails.size);
    for (const { id, status, events, rows } of found) {
      const known = this.model.emails.get(id);
      const isFinal = !["scheduled", "queued", "sent"].includes(status);
      expect([id, isFinal]).toEqual([id, known?.state === "final"]);
      if (known?.isMarked) expect(events).toContain("possible_duplicate");
      if (!known || isFinal) continue;
      const row = this.model.rows.get(known.row);
      const [real, ...others] = JSON.parse(rows) as {
        id: string;
        dueAt: number;
        leasedUntil: number;
        token: string | null;
        claims: number;
      }[];
      if (row) row.dueAt ??= real?.dueAt ?? null;
      const { token = null, ...rest } = row ?? {};
      if (token !== null && real?.token && !this.#tokens.has(token)) this.#tokens.set(token, real.token);
      expect(others).toEqual([]);
      expect(real).toEqual({ id: known.row, ...rest, token: token === null ? null : this.#tokens.get(token) });
    }
    expect(this.model.doubles).toEqual([]);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("nothing to pick");
    return item;
  }
}

/** Plays an interleaving. An error has its seed and its moves. */
async function play(seed: number, fault: Fault | null = null): Promise<void> {
  const interleaving = new Interleaving(seed, fault);
  await interleaving.play().catch((error: unknown) => {
    throw new Error(`seed ${seed}: ${interleaving.moves.join(" | ")}: ${error}`, { cause: error });
  });
}

it(`${RUNS} random interleavings lose no email, double none without a mark, and give each one row`, async () => {
  const first = byExtent({ quick: 1, full: 1, long: Date.now() % 1_000_000 });
  for (let seed = first; seed < first + RUNS; seed++) await play(seed);
  await Promise.all(killed);
}, 3_600_000);

describe("a model with a fault differs from the outbox", () => {
  for (const fault of ["two rows of one id", "a lost renewal", "a late report that wins", "a double claim"] as const)
    it(fault, async () => {
      const find = async () => {
        for (let seed = 1; seed <= 100; seed++) await play(seed, fault);
      };
      await expect(find()).rejects.toThrow(/seed \d+/);
    });
});
