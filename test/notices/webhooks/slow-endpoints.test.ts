import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { continueInBackground } from "../../../src/notices/webhooks/background.ts";
import { consumeWebhooks } from "../../../src/notices/webhooks/index.ts";
import { BACKGROUND_RUNS, BACKGROUND_START_MS, IN_FLIGHT } from "../../../src/notices/webhooks/rules.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { aReceiver, endpointOf, forgetDue, LOCAL, webhooksOf } from "./support.ts";

beforeEach(async () => void (await forgetDue()));
afterEach(() => void vi.restoreAllMocks());

/** Creates a webhook with a number of test deliveries. */
async function anEndpoint(behaviours: string, deliveries: number) {
  const api = webhooksOf(await aWorkspace());
  const receiver = aReceiver(behaviours);
  const { id } = await api.create(receiver.url);
  for (let count = 0; count < deliveries; count++) await api.post(`/v1/webhooks/${id}/test`, undefined);
  return { id, api, receiver };
}

/** Consumes one message, and returns the messages that the run sent and its requests in the background. */
async function consumeOne() {
  const sent: { body: unknown; delaySeconds: number }[] = [];
  const background: Promise<unknown>[] = [];
  const settled: string[] = [];
  const WEBHOOKS = {
    send: async (body: unknown, { delaySeconds = 0 } = {}) => void sent.push({ body, delaySeconds }),
  };
  const ctx = testContext({ ...LOCAL, WEBHOOKS });
  const message = {
    body: { type: "webhooks.wake.v1", shard: ctx.shard },
    ack: () => void settled.push("ack"),
    retry: () => void settled.push("retry"),
  };
  const batch = { queue: "webhooks", messages: [message] } as unknown as MessageBatch;
  await consumeWebhooks(batch, ctx.env, { waitUntil: (work) => void background.push(work) });
  return { sent, settled, ended: Promise.all(background) };
}

describe("a consumer with slow endpoints", () => {
  it("returns while their requests continue, and sends a message for the endpoints that it left", async () => {
    const endpoints: Awaited<ReturnType<typeof anEndpoint>>[] = [];
    for (let count = 0; count < 6; count++) endpoints.push(await anEndpoint("held", 1));
    const { sent, settled, ended } = await consumeOne();
    expect(settled).toEqual(["ack"]);
    expect(sent).toEqual([{ body: { type: "webhooks.wake.v1", shard: testContext().shard }, delaySeconds: 0 }]);
    // No request had a response before.
    for (const { receiver } of endpoints) await receiver.release();
    await ended;
    const states = await Promise.all(endpoints.map(({ id }) => endpointOf(id)));
    expect(states.map((state) => [state?.delivered, state?.due_at === null]).filter(([one]) => one === 1)).toEqual(
      Array(IN_FLIGHT).fill([1, true]),
    );
    // Another consumer of this Worker may have claimed the last one, and may have left it.
    const requests = async () => {
      await (await consumeOne()).ended;
      return await Promise.all(endpoints.map(async ({ receiver }) => (await receiver.requests()).length));
    };
    await expect.poll(requests, { timeout: 90_000 }).toEqual(Array(6).fill(1));
  }, 120_000);

  it("makes at most five requests at once to one endpoint, and a message for the rest of its deliveries", async () => {
    const { receiver, api, id } = await anEndpoint("held", 7);
    const { now } = Date;
    let skipped = 0;
    vi.spyOn(Date, "now").mockImplementation(() => now.call(Date) + skipped);
    const { sent, ended } = await consumeOne();
    expect(sent).toEqual([]);
    expect(await receiver.requests()).toHaveLength(5);
    // A run in the background starts no request then.
    skipped = BACKGROUND_START_MS;
    await receiver.release();
    await ended;
    expect(await receiver.requests()).toHaveLength(5);
    expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([0]);
    await (await consumeOne()).ended;
    const ids = (await receiver.requests()).map(({ headers }) => headers["x-service-delivery-id"]);
    expect(new Set(ids).size).toBe(7);
    expect(await api.deliveries(id, "?status=delivered")).toMatchObject({ total: 7 });
  });
});

describe("runs in the background", () => {
  it("are twenty in an isolate, and those that Cloudflare has ended count no more", async () => {
    let now = Date.now();
    const works: Promise<unknown>[] = [];
    const ctx = { ...testContext({}, () => now), waitUntil: (work: Promise<unknown>) => void works.push(work) };
    const { promise, resolve } = Promise.withResolvers<void>();
    const start = () => continueInBackground(ctx, promise);
    expect(Array.from({ length: BACKGROUND_RUNS + 1 }, start)).toEqual([...Array(BACKGROUND_RUNS).fill(true), false]);
    now += 30_000;
    expect(start()).toBe(true);
    expect(works).toHaveLength(BACKGROUND_RUNS + 1);
    resolve();
    await Promise.all(works);
  });

  it("are none where an invocation cannot outlast its handler", () => {
    expect(continueInBackground(testContext(), Promise.resolve())).toBe(false);
  });
});
