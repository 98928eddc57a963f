import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { runDeadline } from "../../src/domain-transfers/index.ts";
import type { TransferStatus } from "../../src/domain-transfers/rules.ts";
import { tokenRef } from "../../src/domain-transfers/tokens.ts";
import {
  aSystemWorkspace,
  asParty,
  aToken,
  DAY,
  HOUR,
  insertDomain,
  ownersOf,
  type Party,
  performAt,
} from "../support/transfers.ts";
import { aWorkspace, testContext } from "../support/workspace.ts";

/** Random sequences of calls on one domain, with a clock of their own, against a plain model. */

const RUNS = env.TEST_LONG ? 10_000 : 40;
const CLOCK_START = Date.now() + 365 * DAY;

let parties: [Party, Party, Party];

beforeAll(async () => {
  const made = await Promise.all([
    aWorkspace(),
    aWorkspace({ mailShard: 0 }),
    aWorkspace({ mailShard: 1 }),
    aSystemWorkspace(),
  ]);
  parties = [await asParty(made[0]), await asParty(made[1]), await asParty(made[2])];
});

const who = fc.nat({ max: 2 });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("initiate" as const), who, to: who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("accept by token" as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("accept by id" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("decline" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("stop" as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, HOUR, DAY - 1, DAY, 7 * DAY - 1, 7 * DAY),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("deadline" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The model of the newest transfer. Written apart from the tables of rules.ts. */
interface Model {
  id: string;
  from: number;
  to: number;
  status: TransferStatus;
  offeredAt: number;
  acceptedAt: number;
  acceptToken: string | null;
  stopToken: string | null;
  usedTokens: string[];
}

class Sequence {
  #now = CLOCK_START;
  #owner = 0;
  #domain = { id: "", name: "" };
  #model: Model | null = null;

  async run(steps: readonly Step[]): Promise<void> {
    this.#domain = await insertDomain(parties[0]);
    for (const step of steps) {
      await this.#apply(step);
      expect(await ownersOf(this.#domain.name)).toEqual([parties[this.#owner as 0].workspaceNumber]);
    }
    if (this.#model) expect(await this.#stored()).toBe(this.#model.status);
  }

  async #stored(): Promise<string | undefined> {
    const row = env.DB.prepare("SELECT status FROM domain_transfers WHERE id = ?1").bind(this.#model?.id);
    return (await row.first<{ status: string }>())?.status;
  }

  async #apply(step: Step): Promise<void> {
    if (step.do === "wait") this.#now += step.ms;
    else if (step.do === "deadline") await this.#deadline();
    else if (step.do === "initiate") await this.#initiate(step.who, step.to);
    else await this.#answer(step.do, step.who);
  }

  get #isOpen(): boolean {
    return this.#model?.status === "pending" || this.#model?.status === "accepted";
  }

  async #initiate(who: number, to: number): Promise<void> {
    const expected = () => {
      if (who !== this.#owner) return "404 null";
      if (to === who) return "409 self_transfer";
      return this.#isOpen ? "409 transfer_active" : "200 null";
    };
    const input = { target_email: parties[to as 0].email };
    const want = expected();
    const result = await this.#perform(who, { verb: "initiate", input }, want);
    if (result === null) return;
    const { id } = result;
    const acceptToken = await aToken("accept", id);
    const times = { offeredAt: this.#now, acceptedAt: 0 };
    this.#model = { id, from: who, to, status: "pending", acceptToken, stopToken: null, usedTokens: [], ...times };
  }

  async #answer(what: "accept by token" | "accept by id" | "decline" | "cancel" | "stop", who: number): Promise<void> {
    const model = this.#model;
    if (!model) return;
    const isLate = model.status === "pending" && this.#now >= model.offeredAt + 7 * DAY;
    const isPending = model.status === "pending" && !isLate;
    const isExpired = model.status === "expired" || isLate;
    // A caller who neither sent nor got the transfer knows nothing of it, except by the token.
    const isParty = who === model.from || who === model.to;
    if (what === "cancel") {
      const want = who !== model.from ? "404 not_found" : isPending ? "200 null" : "409 not_pending";
      if (await this.#perform(who, { verb: "cancel", ref: { id: model.id } }, want)) model.status = "cancelled";
    } else if (what === "decline") {
      const want =
        who === model.to
          ? isPending
            ? "200 null"
            : "409 not_pending"
          : isParty
            ? "403 wrong_recipient"
            : "404 not_found";
      if (await this.#perform(who, { verb: "decline", ref: { id: model.id } }, want)) model.status = "declined";
    } else if (what === "stop") await this.#stop(model, who);
    else {
      const byToken = what === "accept by token";
      const token = model.acceptToken ?? "";
      const ref = byToken ? await this.#tokenRef("accept", token) : { id: model.id };
      const state = isPending ? "200 null" : isExpired ? "410 expired" : "409 not_pending";
      const known = who === model.to ? state : byToken || isParty ? "403 wrong_recipient" : "404 not_found";
      const want = byToken && model.usedTokens.includes(token) ? "404 not_found" : known;
      if (!(await this.#perform(who, { verb: "accept", ref, input: { rotate_dkim: false } }, want))) return;
      Object.assign(model, { status: "accepted", acceptedAt: this.#now, stopToken: await aToken("stop", model.id) });
      if (byToken) model.usedTokens.push(token);
    }
  }

  async #stop(model: Model, who: number): Promise<void> {
    if (model.stopToken === null) return;
    const isInWindow = model.status === "accepted" && this.#now < model.acceptedAt + DAY;
    const isUsed = model.usedTokens.includes(model.stopToken);
    const want = isUsed || who !== model.from ? "404 not_found" : isInWindow ? "200 null" : "409 not_stoppable";
    const ref = await this.#tokenRef("stop", model.stopToken);
    if (!(await this.#perform(who, { verb: "stop", ref }, want))) return;
    model.status = "reversed";
    model.usedTokens.push(model.stopToken);
  }

  #tokenRef(kind: "accept" | "stop", token: string) {
    return tokenRef(testContext(), kind, token);
  }

  async #perform(who: number, request: Parameters<typeof performAt>[3], want: string) {
    const { status, code, response } = await performAt(this.#now, parties[who as 0], this.#domain.id, request);
    expect(`${status} ${code}`, JSON.stringify({ request, model: this.#model, now: this.#now })).toBe(want);
    return response;
  }

  async #deadline(): Promise<void> {
    const now = this.#now;
    await runDeadline(
      testContext({ WORK: { sendBatch: async () => {} } }, () => now),
      this.#domain.id,
    );
    const model = this.#model;
    if (model?.status === "pending" && now >= model.offeredAt + 7 * DAY) model.status = "expired";
    if (model?.status === "accepted" && now >= model.acceptedAt + DAY) {
      model.status = "completed";
      this.#owner = model.to;
    }
  }
}

it("no sequence of calls makes an illegal move, every illegal call gets its code, and the domain has one owner", async () => {
  const sequences = fc.array(step, { minLength: 5, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sequences, (steps) => new Sequence().run(steps)),
    { numRuns: RUNS },
  );
}, 3_600_000);
