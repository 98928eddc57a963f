import { beforeEach, describe, expect, it } from "vitest";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { webhookEventTypes } from "../../../src/platform/webhook-events/rules.ts";
import { newRunLimits } from "../../../src/sending/delivery/index.ts";
import { type Fact, findEmail, type Hit } from "../../../src/sending/emails/index.ts";
import { applyFacts } from "../../../src/sending/emails/timeline/apply-facts.ts";
import { startShardJob } from "../../../src/shard-jobs.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { runMainRetention, runRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import {
  aWorkspace,
  discardingQueue,
  recordingContext,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";
import { aReceiver, type Delivery, forgetDue, LOCAL, runAt, webhooksOf } from "./support.ts";

beforeEach(async () => void (await forgetDue()));

const ALL = [...webhookEventTypes];
const HOUR = 3_600_000;

/** Records facts and hits of an email, each as an event of its own. */
async function record(workspace: TestWorkspace, id: string, settings: object, events: (Partial<Fact> | Hit)[]) {
  const ctx = testContext({ ...LOCAL, ...settings });
  for (const event of events) {
    const found = await findEmail(ctx, { workspace: workspace.workspaceNumber, emailId: id });
    if (!found) throw new Error("the email does not exist");
    if ("kind" in event) await applyFacts(ctx, [{ state: found.state, facts: [], hits: [event], attempt: 0 }]);
    else await applyFacts(ctx, [{ state: found.state, facts: [event as Fact], attempt: 1 }]);
  }
}

const fact = (on: Fact["on"], metadata: Record<string, unknown>, recipient = "ada@example.org"): Fact => ({
  id: crypto.randomUUID(),
  recipient,
  at: Date.parse("2026-11-21T15:00:00Z"),
  on,
  metadata,
});

const hit = (kind: Hit["kind"], more: Partial<Hit> = {}): Hit => ({
  id: crypto.randomUUID(),
  kind,
  at: Date.parse("2026-11-21T15:01:00Z"),
  recipient: 0,
  userAgent: "Mozilla/5.0",
  ip: "192.0.2.7",
  machine: false,
  ...more,
});

const EVENTS = [
  fact("accepted-dsn-to-come", { relay: "r", response: "250 2.0.0 Queued" }),
  fact("dsn-delivered", { source: "dsn", response: "250 2.0.0 Ok" }),
  hit("open"),
  hit("click", { url: "https://example.com/a" }),
  fact("unsubscribe", { method: "one-click" }),
  fact("complaint", { feedback_type: "abuse" }),
];

async function aMailOf(workspace: TestWorkspace, changes: Record<string, unknown> = {}) {
  const { ctx } = recordingContext(LOCAL);
  return acceptEmail(ctx, workspace, {
    to: [{ email: "ada@example.org" }],
    subject: "Your receipt",
    tags: ["receipt", "de"],
    ...changes,
  });
}

/** Creates a webhook and returns what it gets when `act` has run. */
async function eventsDuring(workspace: TestWorkspace, act: () => Promise<unknown>, events: string[] = ALL) {
  const api = webhooksOf(workspace);
  const receiver = aReceiver();
  const webhook = await api.create(receiver.url, events);
  await act();
  await runAt(Date.now() + 1000);
  const requests = await receiver.requests();
  return {
    api,
    webhook,
    receiver,
    requests,
    payloads: requests.map(({ body }) => JSON.parse(body) as Delivery["payload"]),
  };
}

describe("live webhooks", () => {
  it("deliver the types of emails, with the payload of each, in the order of the events", async () => {
    const workspace = await aWorkspace();
    const [id, bounced, failed] = [await aMailOf(workspace), await aMailOf(workspace), await aMailOf(workspace)];
    const { payloads } = await eventsDuring(workspace, async () => {
      await record(workspace, id, {}, EVENTS);
      await record(workspace, bounced, {}, [
        fact("recipient-refused", { dsn: "5.1.1", response: "550 5.1.1 unknown", bounce_type: "hard" }),
      ]);
      await record(workspace, failed, {}, [fact("gave-up", { reason: "no connection to the egress" })]);
    });
    const common = { subject: "Your receipt", tag: "receipt", tags: ["receipt", "de"] };
    const of = (event: string, email_id: string, metadata: object, minute = 0) => ({
      event,
      email_id,
      recipient: "ada@example.org",
      timestamp: `2026-11-21T15:0${minute}:00.000Z`,
      metadata: { ...common, ...metadata },
    });
    const client = { user_agent: "Mozilla/5.0", ip: "192.0.2.7" };
    expect(payloads.filter(({ email_id }) => email_id === id)).toEqual([
      of("email.sent", id, { domain: workspace.domain }),
      of("email.delivered", id, { domain: workspace.domain, smtp_response: "250 2.0.0 Ok" }),
      of("email.opened", id, client, 1),
      of("email.clicked", id, { url: "https://example.com/a", ...client }, 1),
      of("email.unsubscribed", id, { method: "one-click", topic_id: null, topic_name: null }),
      of("email.complained", id, { feedback_type: "abuse" }),
    ]);
    const bounce = { dsn: "5.1.1", response: "550 5.1.1 unknown", bounce_type: "hard" };
    expect(payloads.filter(({ email_id }) => email_id === bounced)).toEqual([of("email.bounced", bounced, bounce)]);
    expect(payloads.filter(({ email_id }) => email_id === failed)).toEqual([
      of("email.failed", failed, { error: "no connection to the egress" }),
    ]);
  });

  it("deliver each event to each recipient once, and an open of a shared body for the first To", async () => {
    const workspace = await aWorkspace();
    const id = await aMailOf(workspace, {
      to: [{ email: "ada@example.org" }, { email: "bob@example.org" }],
      cc: [{ email: "eve@example.org" }],
    });
    const { payloads } = await eventsDuring(workspace, async () => {
      const both = [fact("accepted-final", {}), fact("accepted-final", {}, "bob@example.org")];
      await record(workspace, id, {}, [
        ...both,
        fact("gave-up", {}, "eve@example.org"),
        hit("open", { recipient: null }),
      ]);
      // The same facts again.
      await record(workspace, id, {}, both);
    });
    expect(payloads.map(({ event, recipient }) => `${event} ${recipient}`)).toEqual([
      "email.sent ada@example.org",
      "email.delivered ada@example.org",
      "email.sent bob@example.org",
      "email.delivered bob@example.org",
      "email.failed eve@example.org",
      "email.opened ada@example.org",
    ]);
    expect(payloads[1]?.metadata).toMatchObject({ smtp_response: null });
  });

  for (const { name, facts, events } of [
    { name: "a final acceptance", facts: ["accepted-final"], events: ["sent", "delivered"] },
    {
      name: "an acceptance and its DSN",
      facts: ["accepted-dsn-to-come", "dsn-delivered"],
      events: ["sent", "delivered"],
    },
    {
      name: "a DSN that overtakes the acceptance",
      facts: ["dsn-delivered", "accepted-dsn-to-come"],
      events: ["sent", "delivered"],
    },
    {
      name: "a complaint that overtakes it",
      facts: ["complaint", "accepted-final"],
      events: ["sent", "complained", "delivered"],
    },
    { name: "a refusal", facts: ["recipient-refused"], events: ["bounced"] },
    {
      name: "a deferral and an acceptance",
      facts: ["deferred", "accepted-final"],
      events: ["deferred", "sent", "delivered"],
    },
  ] as const)
    it(`deliver email.sent once for the hand-over that sent_at shows: ${name}`, async () => {
      const workspace = await aWorkspace();
      const id = await aMailOf(workspace);
      const { payloads } = await eventsDuring(workspace, () =>
        record(
          workspace,
          id,
          {},
          facts.map((on) => fact(on, {})),
        ),
      );
      expect(payloads.map(({ event }) => event)).toEqual(events.map((event) => `email.${event}`));
      const found = await findEmail(testContext(), { workspace: workspace.workspaceNumber, emailId: id });
      expect(found?.state.sentAt !== null).toBe(payloads.some(({ event }) => event === "email.sent"));
    });

  it("fail an email that is rejected because its recipients are suppressed, when it is accepted or sent", async () => {
    const workspace = await aWorkspace();
    const later = await aMailOf(workspace, { to: [{ email: "late@example.org" }] });
    await workspace.post("/v1/suppressions/", { email: "ada@example.org" });
    let rejected = "";
    const { payloads } = await eventsDuring(workspace, async () => {
      rejected = await aMailOf(workspace);
      await record(workspace, later, {}, [fact("suppressed", {}, "late@example.org")]);
    });
    const found = payloads.map(({ event, email_id, recipient, metadata: { error } }) => ({
      ...{ event, email_id, recipient, error },
    }));
    for (const [email_id, recipient] of [
      [rejected, "ada@example.org"],
      [later, "late@example.org"],
    ])
      expect(found.filter((one) => one.email_id === email_id)).toEqual([
        { event: "email.suppressed", email_id, recipient, error: undefined },
        { event: "email.failed", email_id, recipient, error: "the recipient is on the suppression list" },
      ]);
    expect(found).toHaveLength(4);
  });

  it("tell of each deferral with its reply, and of the recipients that are suppressed before and after acceptance", async () => {
    const workspace = await aWorkspace();
    await workspace.post("/v1/suppressions/", { email: "ada@example.org" });
    const ids: string[] = [];
    const { api, webhook, receiver } = await eventsDuring(workspace, async () => {
      const to = ["deferred+a", "suppressed+b"].map((local) => ({ email: `${local}@simulator.test` }));
      ids.push(await aMailOf(workspace, { to: [...to, { email: "ada@example.org" }] }));
      const settings = { ...LOCAL, WORK: discardingQueue };
      await runOutboxAt(Date.now(), settings);
      await runOutboxAt(Date.now() + HOUR, settings);
    }, ["email.deferred", "email.suppressed"]);
    const reply = { response: expect.stringMatching(/^4/), reason: null };
    const deferral = (attempt: number) => ({
      ...{ event: "email.deferred", email_id: ids[0], recipient: "deferred+a@simulator.test" },
      metadata: { ...reply, attempt, next_attempt_at: expect.stringMatching(/Z$/) },
    });
    const suppression = (recipient: string, reason: unknown) => ({
      ...{ event: "email.suppressed", email_id: ids[0], recipient, metadata: { reason } },
    });
    await runAt(Date.now() + 2 * HOUR);
    const payloads = (await receiver.requests()).map(({ body }) => JSON.parse(body) as Delivery["payload"]);
    expect(payloads).toMatchObject([
      suppression("ada@example.org", "manual"),
      deferral(1),
      suppression("suppressed+b@simulator.test", null),
      deferral(2),
    ]);
    const { items } = await api.deliveries(webhook.id);
    const first = items.at(-1);
    await api.post(`/v1/webhooks/${webhook.id}/deliveries/${first?.id}/replay`, undefined);
    await runAt(Date.now() + 3 * HOUR);
    const bodies = (await receiver.requests()).map(({ body }) => body);
    expect(bodies).toHaveLength(5);
    expect(bodies.at(-1)).toBe(bodies[0]);
  });

  it("deliver no event that is not subscribed to, of a paused webhook, of another workspace, or while they are off", async () => {
    const [workspace, other] = [await aWorkspace(), await aWorkspace()];
    const [id, foreign] = [await aMailOf(workspace), await aMailOf(other)];
    const paused = webhooksOf(workspace);
    const pausedReceiver = aReceiver();
    const { id: pausedId } = await paused.create(pausedReceiver.url, ALL);
    await paused.call("PATCH", `/v1/webhooks/${pausedId}`, { is_active: false });
    const { payloads } = await eventsDuring(workspace, async () => {
      await record(workspace, id, {}, EVENTS);
      await record(other, foreign, {}, EVENTS);
      await record(workspace, await aMailOf(workspace), { LIVE_WEBHOOKS: "off" }, EVENTS);
    }, ["email.clicked"]);
    expect(payloads.map(({ event, email_id }) => [event, email_id])).toEqual([["email.clicked", id]]);
    await paused.call("PATCH", `/v1/webhooks/${pausedId}`, { is_active: true });
    await runAt(Date.now() + 2000);
    expect(await pausedReceiver.requests()).toEqual([]);
  });

  it("add no D1 call to an outcome, and read at most three rows more for each event for a workspace without webhooks", async () => {
    const workspace = await aWorkspace();
    const calls = async (LIVE_WEBHOOKS: "on" | "off") => {
      const id = await aMailOf(workspace);
      const ctx = testContext({ ...LOCAL, LIVE_WEBHOOKS });
      const found = await findEmail(ctx, { workspace: workspace.workspaceNumber, emailId: id });
      if (!found) throw new Error("the email does not exist");
      let count = 0;
      let rowsRead = 0;
      const real = ctx.mail;
      const counted = {
        prepare: (sql: string) => real.prepare(sql),
        batch: async (statements: Parameters<typeof real.batch>[0]) => {
          count += 1;
          const results = await real.batch(statements);
          rowsRead += results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
          return results;
        },
      } as typeof real;
      await applyFacts(withMail(ctx, counted), [
        { state: found.state, facts: [fact("accepted-final", {})], attempt: 1 },
      ]);
      return { count, rowsRead };
    };
    // The first one creates the roll-up row, which the others read.
    await calls("off");
    const [off, on] = [await calls("off"), await calls("on")];
    expect([off.count, on.count]).toEqual([1, 1]);
    // The hand-over and the delivery.
    expect(on.rowsRead - off.rowsRead).toBeLessThanOrEqual(2 * 3);
  });

  it("are made up for by cron when the queue message is lost", async () => {
    const workspace = await aWorkspace();
    const id = await aMailOf(workspace);
    const sent: unknown[] = [];
    const WEBHOOKS = { send: async (message: unknown) => void sent.push(message) };
    await webhooksOf(workspace).create(aReceiver().url, ["email.delivered"]);
    await record(workspace, id, { WEBHOOKS: { send: () => Promise.reject(new Error("the queue is down")) } }, [
      fact("accepted-final", {}),
    ]);
    const ctx = testContext({ ...LOCAL, WEBHOOKS, WORK: { sendBatch: async () => {} } });
    await startShardJob(ctx, "sweep", newRunLimits());
    expect(sent).toContainEqual({ type: "webhooks.wake.v1", shard: ctx.shard });
  });
});

describe("deliveries", () => {
  it("are deleted after 30 days, and counted no more", async () => {
    const workspace = await aWorkspace();
    const api = webhooksOf(workspace);
    const { id } = await api.create(aReceiver().url);
    await api.post(`/v1/webhooks/${id}/test`, undefined);
    await testContext().mail.prepare("UPDATE webhook_deliveries SET created_at = created_at - 1").run();
    const DAY = 24 * 3_600_000;
    await runRetention(testContext({}, () => Date.now() + 30 * DAY - 60_000));
    expect(await api.deliveries(id)).toMatchObject({ total: 1 });
    await runRetention(testContext({}, () => Date.now() + 30 * DAY));
    expect(await api.deliveries(id)).toMatchObject({ total: 0, items: [] });
    await runMainRetention(testContext());
    expect((await api.get(`/v1/webhooks/${id}`)).status).toBe(200);
  });
});
