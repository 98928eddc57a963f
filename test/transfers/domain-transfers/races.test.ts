import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { runDeadline } from "../../../src/transfers/domain-transfers/index.ts";
import { database } from "../../support/databases.ts";
import {
  acceptById,
  age,
  aSystemWorkspace,
  asParty,
  aToken,
  DAY,
  decide,
  initiate,
  insertDomain,
  ownersOf,
  type Party,
  performAt,
  runDeadlineAt,
} from "../../support/transfers.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

/**
 * Twenty calls at once: one wins, the others get the code of docs/contract/errors.md#codes-of-transfers. Through the object,
 * and past it.
 */

const TRIALS = env.TEST_LONG ? 100 : 3;
let source: Party;
let target: Party;

beforeAll(async () => {
  const [a, b] = await Promise.all([aWorkspace(), aWorkspace(), aSystemWorkspace()]);
  [source, target] = [await asParty(a), await asParty(b)];
});

const pending = async () => initiate(source, target, (await insertDomain(source)).id);
const path = "/v1/domain-transfers";
const statusOf = async (id: string) =>
  (await database.row<{ status: string }>("SELECT status FROM domain_transfers WHERE id = ?1", [id]))?.status;

/** Ten calls of each kind at once, in turns. */
const twenty = <Result>(a: () => Promise<Result>, b: () => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? a() : b())));

describe("of twenty calls at once", () => {
  it("accept against cancel: one wins, the others are not_pending", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const { id } = await pending();
      const responses = await twenty(
        async () => decide(await target.post(`${path}/by-id/${id}/accept`, {})),
        async () => decide(await source.call("DELETE", `${path}/${id}`)),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status, code }) => status === 409 && code === "not_pending")).toHaveLength(19);
    }
  });

  it("accepts with one token: one wins, the others find no token", async () => {
    const { id } = await pending();
    const token = await aToken("accept", id);
    const accept = async () => decide(await target.post(`${path}/${token}/accept`, {}));
    const responses = await twenty(accept, accept);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status, code }) => status === 404 && code === "not_found")).toHaveLength(19);
  });

  it("stops with one token: one wins, the others find no token", async () => {
    const { id } = await acceptById(target, (await pending()).id);
    const token = await aToken("stop", id);
    const stop = async () => decide(await source.post(`${path}/stop/${token}`, undefined));
    const responses = await twenty(stop, stop);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ code }) => code === "not_found")).toHaveLength(19);
  });
});

describe("accept past the object", () => {
  it.each([
    ["cancel", "cancelled"],
    ["decline", "declined"],
  ] as const)("is not_pending when %s was written after its reads, and changes nothing", async (verb, status) => {
    const { id, domain_id } = await pending();
    const ref = { id };
    const DB = {
      prepare: (sql: string) => env.DB.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        await performAt(Date.now(), verb === "cancel" ? source : target, domain_id, { verb, ref });
        return env.DB.batch(statements);
      },
    };
    const request = { verb: "accept" as const, ref, input: { rotate_dkim: false } };
    expect(await performAt(Date.now(), target, domain_id, request, { DB })).toMatchObject({ code: "not_pending" });
    expect(await statusOf(id)).toBe(status);
  });
});

describe("stop against completion at the edge of the window", () => {
  it("through the object: either the domain stays and all completions do nothing, or it moves and every stop is refused", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const transfer = await acceptById(target, (await pending()).id);
      const token = await aToken("stop", transfer.id);
      // The window ends in a moment: the calls of the first half arrive before, the others may be late.
      await age(transfer.id, DAY - 40);
      const responses = await twenty(
        async () => decide(await source.post(`${path}/stop/${token}`, undefined)),
        async () => {
          await runDeadlineAt(transfer.domain_id, Date.now() + 40);
          return null;
        },
      );
      const stopped = responses.filter((result) => result?.status === 200).length;
      const status = await statusOf(transfer.id);
      expect([stopped, status]).toEqual(stopped === 1 ? [1, "reversed"] : [0, "completed"]);
      const owner = stopped === 1 ? source : target;
      expect(await ownersOf(transfer.domain_name)).toEqual([owner.workspaceNumber]);
      for (const result of responses)
        if (result && result.status !== 200) expect(["not_found", "not_stoppable"]).toContain(result.code);
    }
  });

  it("past the object, by the guards of the batches alone", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const transfer = await acceptById(target, (await pending()).id);
      const end = Date.parse(transfer.cooloff_until ?? "");
      const tokens = await Promise.all(Array.from({ length: 10 }, () => aToken("stop", transfer.id)));
      const stop = () => performAt(end - 1, source, transfer.domain_id, { verb: "stop", ref: { id: transfer.id } });
      const completion = () =>
        runDeadline(
          testContext({}, () => end),
          transfer.domain_id,
        );
      const responses = await Promise.all(tokens.flatMap(() => [stop(), completion()]));
      const won = responses.filter((result) => typeof result === "object" && result?.status === 200).length;
      expect([won, await statusOf(transfer.id)]).toEqual(won === 1 ? [1, "reversed"] : [0, "completed"]);
      expect(await ownersOf(transfer.domain_name)).toEqual([(won === 1 ? source : target).workspaceNumber]);
    }
  });
});
