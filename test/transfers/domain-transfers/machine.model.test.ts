import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { runDeadline } from "../../../src/transfers/domain-transfers/index.ts";
import type { TransferStatus } from "../../../src/transfers/domain-transfers/rules.ts";
import { type TokenKind, tokenRef } from "../../../src/transfers/domain-transfers/tokens.ts";
import { uniqueDomainName } from "../../support/domains.ts";
import { byExtent } from "../../support/extent.ts";
import { copyDatabase, type LocalDatabase, localDatabase } from "../../support/local-database.ts";
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
} from "../../support/transfers.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

/** Random sequences of calls on one domain, with a clock of their own, against a plain model. */

/** Sequences on D1, and sequences on SQLite in the process of the test, which needs no round trips. */
const RUNS_ON_D1 = byExtent({ quick: 16, full: 16, long: 400 });
const RUNS = byExtent({ quick: 150, full: 150, long: 10_000 });
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

type Bindings = Record<"DB" | "MAIL_0" | "MAIL_1", LocalDatabase>;

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
  /** Tokens of its links, made when a step needs them, and those of them that were redeemed. */
  tokens: Partial<Record<TokenKind, string>>;
  redeemed: TokenKind[];
}

class Sequence {
  #now = CLOCK_START;
  #owner = 0;
  #domain = { id: "", name: "" };
  #model: Model | null = null;

  readonly #bindings: Bindings;

  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  async run(steps: readonly Step[]): Promise<void> {
    this.#domain = await insertDomain(parties[0], uniqueDomainName(), "verified", this.#bindings.DB);
    for (const step of steps) {
      const { id, status } = this.#model ?? {};
      await this.#apply(step);
      // The other steps have changed nothing, or the next check finds it.
      if (step.do === "deadline" || this.#model?.id !== id || this.#model?.status !== status) await this.#checkOwner();
    }
    await this.#checkOwner();
    if (this.#model) expect(await this.#stored()).toBe(this.#model.status);
  }

  async #checkOwner(): Promise<void> {
    expect(await ownersOf(this.#domain.name, this.#bindings.DB)).toEqual([parties[this.#owner as 0].workspaceNumber]);
  }

  async #stored(): Promise<string | undefined> {
    const row = this.#bindings.DB.prepare("SELECT status FROM domain_transfers WHERE id = ?1").bind(this.#model?.id);
    return (await row.first<{ status: string }>())?.status;
  }

  async #apply(step: Step): Promise<void> {
    if (step.do === "wait") this.#now += step.ms;
    else if (step.do === "deadline") await this.#deadline();
    else if (step.do === "initiate") await this.#initiate(step.who, step.to);
    else await this.#decide(step.do, step.who);
  }

  /** A transfer that was not accepted in time is in the way of no other one, also before its deadline was run. */
  get #isOpen(): boolean {
    return this.#model?.status === "accepted" || (this.#model?.status === "pending" && !this.#isLate(this.#model));
  }

  readonly #isLate = ({ status, offeredAt }: Model) => status === "pending" && this.#now >= offeredAt + 7 * DAY;

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
    const times = { offeredAt: this.#now, acceptedAt: 0 };
    this.#model = { id, from: who, to, status: "pending", tokens: {}, redeemed: [], ...times };
  }

  async #decide(what: "accept by token" | "accept by id" | "decline" | "cancel" | "stop", who: number): Promise<void> {
    const model = this.#model;
    if (!model) return;
    const isLate = this.#isLate(model);
    const isPending = model.status === "pending" && !isLate;
    const isExpired = model.status === "expired" || isLate;
    // A caller who neither sent nor got the transfer knows nothing of it, except by the token.
    if (what === "cancel") {
      const want = who !== model.from ? "404 not_found" : isPending ? "200 null" : "409 not_pending";
      if (await this.#perform(who, { verb: "cancel", ref: { id: model.id } }, want)) model.status = "cancelled";
    } else if (what === "decline") {
      const want = who !== model.to ? "403 wrong_recipient" : isPending ? "200 null" : "409 not_pending";
      if (await this.#perform(who, { verb: "decline", ref: { id: model.id } }, want)) model.status = "declined";
    } else if (what === "stop") await this.#stop(model, who);
    else {
      const byToken = what === "accept by token";
      const ref = byToken ? await this.#tokenRef(model, "accept") : { id: model.id };
      const state = isPending ? "200 null" : isExpired ? "410 expired" : "409 not_pending";
      const known = who === model.to ? state : "403 wrong_recipient";
      const want = byToken && model.redeemed.includes("accept") ? "404 not_found" : known;
      if (!(await this.#perform(who, { verb: "accept", ref, input: { rotate_dkim: false } }, want))) return;
      Object.assign(model, { status: "accepted", acceptedAt: this.#now });
      if (byToken) model.redeemed.push("accept");
    }
  }

  async #stop(model: Model, who: number): Promise<void> {
    if (model.acceptedAt === 0) return;
    const isInWindow = model.status === "accepted" && this.#now < model.acceptedAt + DAY;
    const isUsed = model.redeemed.includes("stop");
    const want = isUsed || who !== model.from ? "404 not_found" : isInWindow ? "200 null" : "409 not_stoppable";
    const ref = await this.#tokenRef(model, "stop");
    if (!(await this.#perform(who, { verb: "stop", ref }, want))) return;
    model.status = "reversed";
    model.redeemed.push("stop");
  }

  async #tokenRef(model: Model, kind: TokenKind) {
    model.tokens[kind] ??= await aToken(kind, model.id, this.#bindings.DB);
    return tokenRef(testContext(), kind, model.tokens[kind]);
  }

  async #perform(who: number, request: Parameters<typeof performAt>[3], want: string) {
    const { status, code, response } = await performAt(
      this.#now,
      parties[who as 0],
      this.#domain.id,
      request,
      this.#bindings,
    );
    expect(`${status} ${code}`, JSON.stringify({ request, model: this.#model, now: this.#now })).toBe(want);
    return response;
  }

  async #deadline(): Promise<void> {
    const now = this.#now;
    await runDeadline(
      testContext({ ...this.#bindings, WORK: { sendBatch: async () => {} } }, () => now),
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

const runSequences = (bindings: Bindings, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), (steps) => new Sequence(bindings).run(steps)),
    { numRuns },
  );

describe("no sequence of calls makes an illegal move, every illegal call gets its code, and the domain has one owner", () => {
  it("on D1", () => runSequences({ DB: env.DB, MAIL_0: env.MAIL_0, MAIL_1: env.MAIL_1 }, RUNS_ON_D1), 600_000);

  it("on the SQLite storage of an object, in very many sequences", async () => {
    await runInDurableObject(env.DOMAIN_TRANSFER.getByName("model"), async (_, { storage }) => {
      await copyDatabase(env.DB, storage);
      // For the checks of what is scheduled, which is nothing.
      await copyDatabase(env.MAIL_0, storage);
      const db = localDatabase(storage);
      await runSequences({ DB: db, MAIL_0: db, MAIL_1: db }, RUNS);
    });
  }, 3_600_000);
});
