import { beforeEach, describe, expect, it } from "vitest";
import { PAUSE_AFTER_MS } from "../../../src/notices/webhooks/rules.ts";
import { shortenTimeouts } from "../../support/short-timeouts.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aReceiver, endpointOf, forgetDue, requestsTo, runAt, webhooksOf } from "./support.ts";

const MINUTE = 60_000;
const SCHEDULE = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];

beforeEach(async () => void (await forgetDue()));

/** Creates a webhook with one test delivery. */
async function aDelivery(behaviours: string, of?: TestWorkspace) {
  const workspace = of ?? (await aWorkspace());
  const api = webhooksOf(workspace);
  const receiver = aReceiver(behaviours);
  const webhook = await api.create(receiver.url);
  await api.post(`/v1/webhooks/${webhook.id}/test`, undefined);
  const [delivery] = (await api.deliveries(webhook.id)).items;
  if (!delivery) throw new Error("there is no delivery");
  const read = () => api.delivery(delivery.id);
  return { api, workspace, webhook, receiver, id: delivery.id, read, start: Date.parse(delivery.created_at) };
}

const noticesOf = async (workspace: TestWorkspace) => {
  const { results } = await testContext()
    .db.prepare("SELECT title, href FROM notifications WHERE workspace = ?1 ORDER BY id")
    .bind(workspace.workspaceNumber)
    .all<{ title: string; href: string }>();
  return results;
};

describe("a delivery", () => {
  for (const status of ["200", "204"]) {
    it(`is delivered by ${status} and not sent again`, async () => {
      const { read, receiver, start } = await aDelivery(status);
      expect(await read()).toMatchObject({ status: "pending", attempt: 0, response_status: null, next_retry_at: null });
      await runAt(start);
      await runAt(start + 24 * 60 * MINUTE);
      expect(await read()).toMatchObject({
        status: "delivered",
        attempt: 1,
        response_status: Number(status),
        response_body: status === "200" ? "response 200" : "",
        endpoint_url: receiver.url,
        next_retry_at: null,
        error: null,
      });
      expect(await receiver.requests()).toHaveLength(1);
    });
  }

  for (const behaviour of ["301", "400", "410", "429", "500", "reset"]) {
    it(`is tried exactly at 0, 1, 6, 36 and 156 minutes when the endpoint responds with ${behaviour}, then given up`, async () => {
      const { read, receiver, start, workspace, webhook } = await aDelivery(behaviour);
      let due = start;
      for (const [index, wait] of [...SCHEDULE, null].entries()) {
        await runAt(due - 1);
        expect(await receiver.requests()).toHaveLength(index);
        await runAt(due);
        expect(await receiver.requests()).toHaveLength(index + 1);
        expect(await read()).toMatchObject({
          status: wait === null ? "failed" : "retrying",
          attempt: index + 1,
          response_status: behaviour === "reset" ? null : Number(behaviour),
          next_retry_at: wait === null ? null : new Date(due + wait).toISOString(),
        });
        due += wait ?? 0;
      }
      await runAt(due + 30 * 24 * 60 * MINUTE);
      expect(await receiver.requests()).toHaveLength(5);
      expect(await noticesOf(workspace)).toEqual([
        { title: "Webhook deliveries failed", href: `/webhooks/${webhook.id}` },
      ]);
      expect(await requestsTo(`${receiver.name}-redirected`)).toEqual([]);
    });
  }

  it("keeps its id and its bytes in every attempt, with a fresh timestamp", async () => {
    const { receiver, start, id, read } = await aDelivery("500,500,200");
    await runAt(start);
    await runAt(start + MINUTE);
    await runAt(start + 6 * MINUTE);
    const requests = await receiver.requests();
    const seconds = [0, 60, 360].map((after) => String(Math.floor(start / 1000) + after));
    const of = (name: string) => requests.map(({ headers }) => headers[name]);
    expect(of("x-service-delivery-id")).toEqual([id, id, id]);
    expect(of("webhook-id")).toEqual([id, id, id]);
    expect(of("x-service-event")).toEqual(["email.delivered", "email.delivered", "email.delivered"]);
    expect(of("x-service-timestamp").map(Number)).toEqual(seconds.map(Number));
    expect(of("webhook-timestamp")).toEqual(of("x-service-timestamp"));
    expect(new Set(of("x-service-signature")).size).toBe(3);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual((await read()).payload);
  });

  it("fails after 15 seconds without a complete response", async () => {
    const workspace = await aWorkspace();
    const [hang, drip] = [await aDelivery("hang", workspace), await aDelivery("drip", workspace)];
    const asked = shortenTimeouts(3_000);
    await runAt(Date.now);
    expect(asked).toEqual([15_000, 15_000]);
    for (const slow of [hang, drip]) {
      expect(await slow.read()).toMatchObject({
        status: "retrying",
        attempt: 1,
        error: "no complete response within 15 seconds",
      });
      const [request] = await slow.receiver.requests();
      expect(request?.closedAt).not.toBeNull();
    }
  });

  it("keeps at most 2 KiB of a response", async () => {
    const workspace = await aWorkspace();
    const [bomb, large] = [await aDelivery("bomb", workspace), await aDelivery("large", workspace)];
    await runAt(Date.now);
    for (const big of [bomb, large]) {
      const delivery = await big.read();
      expect(delivery).toMatchObject({ status: "delivered", response_status: 200 });
      const bytes = new TextEncoder().encode(delivery.response_body ?? "").length;
      expect(bytes).toBeLessThanOrEqual(2_048);
      expect(bytes).toBeGreaterThan(2_040);
    }
  });
});

describe("a run", () => {
  it("sends nothing that another run has claimed, and sends it again when that run ended without an outcome", async () => {
    const { receiver, start, webhook } = await aDelivery("200");
    const claim = "UPDATE webhook_endpoints SET token = 'another', due_at = ?2 WHERE id = ?1";
    await testContext()
      .mail.prepare(claim)
      .bind(webhook.id, start + 120_000)
      .run();
    await runAt(start);
    expect(await receiver.requests()).toEqual([]);
    await runAt(start + 120_000);
    expect(await receiver.requests()).toHaveLength(1);
  });

  it("sends each delivery once although several run at once", async () => {
    const { api, receiver, webhook } = await aDelivery("200");
    for (let count = 1; count < 12; count++) await api.post(`/v1/webhooks/${webhook.id}/test`, undefined);
    const now = Date.now() + 1000;
    await Promise.all(Array.from({ length: 6 }, () => runAt(now)));
    const ids = (await receiver.requests()).map(({ headers }) => headers["x-service-delivery-id"]);
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(12);
  });

  it("has at most five deliveries in flight and lets a slow endpoint not delay the others", async () => {
    const workspace = await aWorkspace();
    const slow = await aDelivery("hang", workspace);
    for (let count = 0; count < 7; count++) await slow.api.post(`/v1/webhooks/${slow.webhook.id}/test`, undefined);
    const fast = await aDelivery("200", workspace);
    let skipped = 0;
    shortenTimeouts(3_000);
    const run = runAt(() => Date.now() + skipped);
    await expect.poll(async () => (await slow.receiver.requests()).length).toBe(5);
    // Beyond the end of the run, so that it makes no second claim.
    skipped = 10 * MINUTE;
    await run;
    const requests = await slow.receiver.requests();
    expect(requests).toHaveLength(5);
    const [fastRequest] = await fast.receiver.requests();
    // Before any of the slow requests had ended.
    expect(fastRequest?.at).toBeLessThan(Math.min(...requests.map(({ closedAt }) => closedAt ?? Infinity)));
  });
});

describe("a paused webhook", () => {
  it("holds what waits, sends it when it is resumed, and sends tests and replays all the same", async () => {
    const { api, receiver, webhook, start, id, read } = await aDelivery("500,200");
    await runAt(start);
    await api.call("PATCH", `/v1/webhooks/${webhook.id}`, { is_active: false });
    await testContext().mail.prepare("UPDATE webhook_deliveries SET is_forced = 0 WHERE id = ?1").bind(id).run();
    await runAt(start + MINUTE);
    await runAt(start + 10 * MINUTE);
    expect(await receiver.requests()).toHaveLength(1);
    expect(await read()).toMatchObject({ status: "retrying", next_retry_at: null });
    const replay = await api.post(`/v1/webhooks/${webhook.id}/deliveries/${id}/replay`, undefined);
    expect(replay.status).toBe(201);
    await runAt(start + 11 * MINUTE);
    expect(await receiver.requests()).toHaveLength(2);
    await api.call("PATCH", `/v1/webhooks/${webhook.id}`, { is_active: true });
    await runAt(start + 12 * MINUTE);
    expect(await read()).toMatchObject({ status: "delivered", attempt: 2 });
    expect(await receiver.requests()).toHaveLength(3);
  });
});

describe("an endpoint that fails", () => {
  it("is paused after five days with a notice to the owners, and is not before", async () => {
    const { api, webhook, start, workspace } = await aDelivery("500");
    await runAt(start);
    const db = testContext().mail;
    const failAt = async (now: number) => {
      await api.post(`/v1/webhooks/${webhook.id}/test`, undefined);
      await db
        .prepare("UPDATE webhook_deliveries SET due_at = ?2 WHERE endpoint = ?1 AND due_at IS NOT NULL")
        .bind(webhook.id, now)
        .run();
      await runAt(now);
    };
    await failAt(start + PAUSE_AFTER_MS - 1);
    expect(await (await api.get(`/v1/webhooks/${webhook.id}`)).json()).toMatchObject({ is_active: true });
    await failAt(start + PAUSE_AFTER_MS);
    expect(await (await api.get(`/v1/webhooks/${webhook.id}`)).json()).toMatchObject({ is_active: false });
    expect(await endpointOf(webhook.id)).toMatchObject({ events: "[]" });
    expect((await noticesOf(workspace)).map(({ title }) => title)).toEqual(["A webhook was paused"]);
    await api.call("PATCH", `/v1/webhooks/${webhook.id}`, { is_active: true });
    expect(await endpointOf(webhook.id)).toMatchObject({ failing_since: null });
  });

  it("begins its five days anew after a success", async () => {
    const { webhook, start } = await aDelivery("500,200");
    await runAt(start);
    expect(await endpointOf(webhook.id)).toMatchObject({ failing_since: start, retrying: 1 });
    await runAt(start + MINUTE);
    expect(await endpointOf(webhook.id)).toMatchObject({ failing_since: null, retrying: 0, delivered: 1 });
  });
});

describe("a replay", () => {
  it("sends the same payload as a new delivery with its own id", async () => {
    const { api, webhook, receiver, start, id } = await aDelivery("200");
    await runAt(start);
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const path = `/v1/webhooks/${webhook.id}/deliveries/${id}/replay`;
    const [first, again] = [await api.post(path, undefined, key), await api.post(path, undefined, key)];
    const replay = await first.json<{ id: string }>();
    expect(await again.json()).toEqual(replay);
    expect(replay).toMatchObject({ webhook_id: webhook.id, status: "pending", attempt: 0 });
    expect(replay.id).not.toBe(id);
    await runAt(Date.now() + 1000);
    const [one, two] = await receiver.requests();
    expect(two?.body).toBe(one?.body);
    expect(two?.headers["x-service-delivery-id"]).toBe(replay.id);
    expect(await api.deliveries(webhook.id)).toMatchObject({ total: 2 });
  });
});

describe("a rotated secret", () => {
  it("signs beside the old one for 24 hours", async () => {
    const { api, webhook, receiver, start } = await aDelivery("200");
    const rotated = await (await api.call("PATCH", `/v1/webhooks/${webhook.id}`, { rotate_secret: true })).json<{
      secret: string;
    }>();
    await runAt(start + 1000);
    await api.post(`/v1/webhooks/${webhook.id}/test`, undefined);
    await runAt(Date.now() + 24 * 60 * MINUTE + 1000);
    const [during, after] = (await receiver.requests()).map(({ headers, body }) => ({ headers, body }));
    const sign = async (secret: string, request: typeof during) => {
      const {
        "x-service-timestamp": at,
        "x-service-delivery-id": id,
        "x-service-event": event,
      } = request?.headers ?? {};
      const key = await crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode(secret),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      );
      const mac = await crypto.subtle.sign(
        "HMAC",
        key,
        new TextEncoder().encode(`${at}.${id}.${event}.${request?.body}`),
      );
      return `sha256=${[...new Uint8Array(mac)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    };
    expect(during?.headers["x-service-signature"]).toBe(await sign(rotated.secret, during));
    expect(during?.headers["x-service-signature-previous"]).toBe(await sign(webhook.secret, during));
    expect(during?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    expect(after?.headers["x-service-signature"]).toBe(await sign(rotated.secret, after));
    expect(after?.headers["x-service-signature-previous"]).toBeUndefined();
    expect(after?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });
});
