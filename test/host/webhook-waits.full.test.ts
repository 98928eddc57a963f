/**
 * Slow webhook endpoints, on the queue as it is configured: an endpoint that responds at once gets its delivery at once,
 * however many others do not, and each delivery arrives once.
 */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { type ReceivedRequest, startWebhookReceiver } from "../support/webhook-receiver-server.ts";
import { callerOf } from "./support/call-api.ts";
import { byExtent } from "./support/extent.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";

/** Most milliseconds between the time at which the delivery of the fast endpoint is due and its request. */
const START_MS = 2_000;
/** On a machine where it waits long without other endpoints too: how many times as long. */
const TIMES_ALONE = 4;
/** Deliveries to the fast endpoint alone, and then beside the slow ones. */
const FAST = 4;
/** Deliveries to each slow endpoint. */
const DELIVERIES = byExtent({ quick: 1, full: 2, long: 2 });
const most = { slow: 15, behaviour: "after-13" };
const all = [most, { slow: 5, behaviour: "after-13" }, { slow: 15, behaviour: "hang" }];

for (const { slow, behaviour } of byExtent({ quick: [most], full: all, long: all }))
  it(`a fast endpoint waits less than two seconds beside ${slow} that respond with ${behaviour}, and no delivery is lost or repeated`, async () => {
    const site = await startSite();
    try {
      const slowOnes = await Promise.all(Array.from({ length: slow }, (_, n) => site.create(`slow-${n}/${behaviour}`)));
      const fast = await site.create("fast/200");
      const alone = await site.waitsOf(fast, FAST);
      for (let count = 0; count < DELIVERIES; count++) await Promise.all(slowOnes.map(site.test));
      // The first is due with those of the slow endpoints, the last when they are in flight.
      const waits = await site.waitsOf(fast, FAST);
      console.log(
        `milliseconds until the fast endpoint had its request alone: ${alone.join(", ")}; beside ${slow} of ${behaviour}: ${waits.join(", ")}`,
      );
      expect(Math.max(...waits)).toBeLessThan(Math.max(START_MS, TIMES_ALONE * Math.max(...alone)));
      const endpoints = [...slowOnes, fast];
      const expected = slow * DELIVERIES + alone.length + waits.length;
      await expect
        .poll(async () => (await Promise.all(endpoints.map(site.requests))).flat().length, { timeout: 60_000 })
        .toBe(expected);
      if (behaviour !== "hang") await site.finished(expected);
      const ids = (await Promise.all(endpoints.map(site.requests)))
        .flat()
        .map(({ headers }) => headers["x-service-delivery-id"]);
      expect(new Set(ids).size).toBe(expected);
      expect(ids).toHaveLength(expected);
    } finally {
      await site.stop();
    }
  });

interface Hook {
  id: string;
  name: string;
}

async function startSite() {
  const receiver = await startWebhookReceiver();
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-webhook-waits-"));
  const vars = {
    MASTER_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
    EGRESS_URL: "smtp://127.0.0.1:9/?tls=off",
    LIVE_WEBHOOKS: "on",
    WEBHOOK_ALLOW_INSECURE: "on",
  };
  const host = new RestartableHost({ stateDir, port: await findTestPort(), vars });
  const [seeded] = await host.startAndSeed("webhook-waits.example");
  await host.start();
  const call = callerOf(() => host.url(), seeded?.apiKey ?? "");
  const post = (route: string, body?: unknown) => call("POST", route, body);
  const received = `http://127.0.0.1:${receiver.ports.receiver}`;
  const test = ({ id }: Hook) => post(`/v1/webhooks/${id}/test`);
  const requests = async ({ name }: Hook) => (await (await fetch(`${received}/${name}`)).json()) as ReceivedRequest[];
  return {
    test,
    requests,
    async create(target: string): Promise<Hook> {
      const { id } = await post("/v1/webhooks/", { url: `${received}/${target}`, events: ["email.delivered"] });
      return { id, name: target.split("/")[0] ?? "" };
    },
    /** Makes deliveries one after the other, and returns how long each waited for its request, in milliseconds. */
    async waitsOf(hook: Hook, count: number): Promise<number[]> {
      const before = (await requests(hook)).length;
      const waits: number[] = [];
      while (waits.length < count) {
        const dueAt = Date.now();
        await test(hook);
        await expect.poll(async () => (await requests(hook)).length, { interval: 20 }).toBe(before + waits.length + 1);
        waits.push(((await requests(hook)).at(-1)?.at ?? Number.POSITIVE_INFINITY) - dueAt);
      }
      return waits;
    },
    /** Waits until this number of deliveries is delivered. */
    async finished(count: number): Promise<void> {
      const read = "SELECT count(*) AS n FROM webhook_deliveries WHERE status = 'delivered'";
      const delivered = async () => (await host.sql<{ n: number }>(read)).results.reduce((sum, { n }) => sum + n, 0);
      await expect.poll(delivered, { timeout: 60_000 }).toBe(count);
    },
    async stop() {
      await host.stop();
      await receiver.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
