/** Sends whose leader's client disconnects, or whose leader's request the platform ends, are accepted all the same, once. */
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { app } from "../../../../src/app.ts";
import { CommitGatherer } from "../../../../src/sending/emails/send/gather-commits.ts";
import { countRows, gatherSends, type Send } from "../../../support/commit-groups.ts";
import { mail } from "../../../support/databases.ts";
import type { Moment } from "../../../support/failures.ts";
import { shortenTimeouts } from "../../../support/short-timeouts.ts";
import {
  aMail,
  apiWith,
  aWorkspace,
  discardingQueue,
  perSuite,
  perTest,
  type TestWorkspace,
} from "../../../support/workspace.ts";

const SILENCE_MS = 5_000;

const opener = perSuite(aWorkspace);
const one = perTest(aWorkspace);
const two = perTest(aWorkspace);

afterEach(() => {
  vi.restoreAllMocks();
});

const statusesOf = async (responses: readonly Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status);

/** Expects as many emails of a workspace, each with one reference in the outbox and one change. */
const expectEmails = async (workspace: TestWorkspace, emails: number) =>
  expect(await countRows(workspace)).toMatchObject({ emails, outbox: emails, changes: emails });

describe("a leader whose request the platform ends", () => {
  /** Returns a gatherer on a clock of its own, and a function that ends the signs of its leaders and lets the silence pass. */
  function aGatherer() {
    let now = 0;
    shortenTimeouts(10);
    const signs = vi.spyOn(globalThis, "setInterval");
    const end = () => {
      for (const { value } of signs.mock.results) clearInterval(value as number);
      now += SILENCE_MS;
    };
    return { gatherer: new CommitGatherer<never>(() => now), end };
  }

  const sends = (): Send[] => [
    { workspace: one },
    { workspace: two },
    { workspace: one, headers: { "Idempotency-Key": "a" } },
    { workspace: two },
  ];

  it("while others wait for its transaction lets these be accepted; they are not accepted again when it runs late", async () => {
    const { gatherer, end } = aGatherer();
    const { opened, responses, release } = await gatherSends(opener, sends(), { gatherer });
    end();
    expect(await statusesOf(responses)).toEqual([202, 202, 202, 202]);
    const next = await gatherSends(opener, sends().slice(0, 2), { gatherer });
    next.release();
    expect(await statusesOf([next.opened, ...next.responses])).toEqual([202, 202, 202]);
    release();
    expect((await opened).status).toBe(202);
    await expectEmails(one, 3);
    await expectEmails(two, 3);
  });

  it.each([
    ["before it runs, and runs late", "before"],
    ["after it ran", "after"],
  ] as const satisfies [string, Moment][])(
    "in the transaction of a group, %s, lets each other send be accepted, once",
    async (_, moment) => {
      const { gatherer, end } = aGatherer();
      const isHung = Promise.withResolvers<void>();
      const isBack = Promise.withResolvers<void>();
      let calls = 0;
      const { responses, release } = await gatherSends(opener, sends(), {
        gatherer,
        async call(_method, _statements, run) {
          if (calls++ > 0) return run();
          const results = moment === "after" ? await run() : null;
          isHung.resolve();
          await isBack.promise;
          return results ?? run();
        },
      });
      release();
      await isHung.promise;
      end();
      const [leader, ...others] = responses;
      expect(await statusesOf(others)).toEqual([202, 202, 202]);
      await expectEmails(two, 2);
      isBack.resolve();
      expect((await leader)?.status).toBe(202);
      await expectEmails(one, 2);
      await expectEmails(two, 2);
      const ids = await Promise.all(
        responses.map(async (response) => (await (await response).json<{ id: string }>()).id),
      );
      const stored = await mail
        .prepare("SELECT count(*) AS n FROM emails WHERE id IN (SELECT value FROM json_each(?1))")
        .bind(JSON.stringify(ids))
        .first<number>("n");
      expect(stored).toBe(4);
    },
  );
});

/** Holds the transactions of the Worker's mail database until the test lets each run. */
function holdTransactions() {
  const held: (() => void)[] = [];
  const { batch } = mail;
  vi.spyOn(mail, "batch").mockImplementation(async (statements) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return batch.call(mail, statements) as never;
  });
  return {
    /** Waits until as many have begun. */
    begun: (count: number) => expect.poll(() => held.length).toBe(count),
    run: (at: number) => held[at]?.(),
  };
}

describe("a client that disconnects", () => {
  it.each([
    ["while its own transaction runs", 0, 1],
    ["while it waits to lead", 1, 1],
    ["while the transaction that it leads runs", 1, 2],
    ["while another leads", 2, 2],
  ])("%s takes no other with it", async (_, client, transaction) => {
    const commits = vi.spyOn(CommitGatherer.prototype, "commit");
    const transactions = holdTransactions();
    const controller = new AbortController();
    const fetch = (signal: AbortSignal | null) => (request: Request) =>
      exports.default.fetch(new Request(request, signal ? { signal } : {}));
    const responses: Promise<number | string>[] = [];
    for (const [at, workspace] of [one, one, two, one].entries()) {
      const api = apiWith(workspace.apiKey, fetch(at === client ? controller.signal : null));
      const response = api.post("/v1/emails/", aMail(workspace));
      responses.push(
        response.then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      );
      await expect.poll(() => commits.mock.calls.length).toBe(at + 1);
    }
    for (let at = 1; at < transaction; at++) {
      await transactions.begun(at);
      transactions.run(at - 1);
    }
    await transactions.begun(transaction);
    controller.abort();
    expect(await responses[client]).toBe("AbortError");
    transactions.run(0);
    await transactions.begun(2);
    transactions.run(1);
    const statuses = await Promise.all(responses);
    expect(statuses.filter((_status, at) => at !== client)).toEqual([202, 202, 202]);
    await expectEmails(one, 3);
    await expectEmails(two, 1);
  });

  it("leaves its commit to waitUntil, also while it waits for the transaction of another", async () => {
    // The first use of a key writes when that was, which is work after the response too.
    for (const workspace of [one, two]) expect((await sendWithContext(workspace).response).status).toBe(202);
    const commits = vi.spyOn(CommitGatherer.prototype, "commit");
    const transactions = holdTransactions();
    const sent = [];
    for (const [at, workspace] of [one, two].entries()) {
      sent.push(sendWithContext(workspace));
      await expect.poll(() => commits.mock.calls.length).toBe(at + 1);
    }
    await transactions.begun(1);
    for (const { work } of sent) expect(await Promise.race([Promise.all(work), "pending"])).toBe("pending");
    transactions.run(0);
    await transactions.begun(2);
    transactions.run(1);
    expect(await statusesOf(sent.map(({ response }) => response))).toEqual([202, 202]);
    for (const { work } of sent) await Promise.all(work);
  });
});

/** Sends an email, and returns the response and the work of `waitUntil`. */
function sendWithContext(workspace: TestWorkspace) {
  const work: Promise<unknown>[] = [];
  const execution = { waitUntil: (promise: Promise<unknown>) => work.push(promise), passThroughOnException() {} };
  const bindings = { ...env, WORK: discardingQueue } as unknown as Env;
  const api = apiWith(workspace.apiKey, async (request) =>
    app.fetch(request, bindings, execution as unknown as ExecutionContext),
  );
  return { work, response: api.post("/v1/emails/", aMail(workspace)) };
}
