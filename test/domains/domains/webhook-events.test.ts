import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { recheckDomains } from "../../../src/domains/domains/index.ts";
import { aReceiver, type Delivery, forgetDue, LOCAL, runAt, webhooksOf } from "../../notices/webhooks/support.ts";
import { unpublish } from "../../support/dns-control.ts";
import { publishRecords, register, uniqueDomainName } from "../../support/domains.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

/** `domain.verified` and `domain.failed` (docs/contract/webhooks.md#events-of-domains). */

const DAY = 24 * 3_600_000;
const EVENTS = ["domain.verified", "domain.failed"];

beforeEach(async () => void (await forgetDue()));

/** Returns functions that verify domains of a workspace, and that return what its webhook got. */
async function aSubscriber(events = EVENTS) {
  const workspace = await aWorkspace();
  const receiver = aReceiver();
  const api = webhooksOf(workspace);
  const webhook = await api.create(receiver.url, events);
  const payloads = async (now = Date.now()) => {
    await runOutboxAt(now, LOCAL, ["webhook"]);
    await runAt(now + 1000);
    return (await receiver.requests()).map(({ body }) => JSON.parse(body) as Delivery["payload"]);
  };
  const verify = (id: string) => api.post(`/v1/domains/${id}/verify`, undefined);
  return { workspace, api, webhook, payloads, verify };
}

/** Returns the events of domains of a workspace that wait in the outbox of the main database. */
async function waitingEvents({ workspaceNumber }: TestWorkspace) {
  const select =
    "SELECT * FROM outbox WHERE kind = 'webhook' AND ref->>'workspace' = ?1 AND ref->>'payload' IS NOT NULL";
  return (await env.DB.prepare(select).bind(workspaceNumber).all<{ id: string; due_at: number; ref: string }>())
    .results;
}

it("tells of a domain once when it is verified, also of two calls at once, and not of later checks", async () => {
  const { workspace, payloads, verify } = await aSubscriber();
  const domain = await register(workspace);
  expect((await verify(domain.id)).status).toBe(200);
  expect(await payloads()).toEqual([]);
  await publishRecords(domain);
  await Promise.all([verify(domain.id), verify(domain.id)]);
  await verify(domain.id);
  const event = {
    event: "domain.verified",
    email_id: null,
    recipient: null,
    timestamp: expect.stringMatching(/^2.*Z$/),
    metadata: { domain_id: domain.id, domain: domain.name, reason: null },
  };
  expect(await payloads()).toEqual([event]);
});

it("tells of a domain once when the daily check ends its verification, and again when it is verified anew", async () => {
  const { workspace, payloads, verify } = await aSubscriber();
  const domain = await register(workspace);
  await publishRecords(domain);
  await verify(domain.id);
  for (const { name } of domain.records) await unpublish(name);
  for (let day = 1; day <= 5; day++) await recheckDomains(testContext(LOCAL, () => Date.now() + day * (DAY + 1_000)));
  await payloads(Date.now() + 6 * DAY);
  await publishRecords(domain);
  await verify(domain.id);
  const found = (await payloads(Date.now() + 7 * DAY))
    // The daily checks end the domain that each test workspace has too.
    .filter(({ metadata }) => metadata.domain_id === domain.id)
    .map(({ event, metadata }) => [event, metadata.domain_id, metadata.reason]);
  expect(found).toEqual([
    ["domain.verified", domain.id, null],
    ["domain.failed", domain.id, expect.stringContaining("3 daily checks")],
    ["domain.verified", domain.id, null],
  ]);
});

it("tells the workspace that loses a name below a verified domain, and the one that wins it", async () => {
  const [winner, loser] = [await aSubscriber(), await aSubscriber()];
  const name = uniqueDomainName();
  const below = await insertDomain(loser.workspace, `mail.${name}`);
  const domain = await register(winner.workspace, name);
  await publishRecords(domain);
  expect((await winner.verify(domain.id)).status).toBe(200);
  expect((await winner.payloads()).map(({ event, metadata }) => [event, metadata.domain_id])).toEqual([
    ["domain.verified", domain.id],
  ]);
  expect((await loser.payloads()).map(({ event, metadata }) => [event, metadata])).toEqual([
    ["domain.failed", { domain_id: below.id, domain: below.name, reason: `Another workspace has verified ${name}` }],
  ]);
});

it("is delivered once when the run that copies it ends before its outbox row does, and again by a replay", async () => {
  const { workspace, api, webhook, payloads, verify } = await aSubscriber();
  const domain = await register(workspace);
  await publishRecords(domain);
  await verify(domain.id);
  const [row] = await waitingEvents(workspace);
  await payloads();
  await env.DB.prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'webhook', ?3)")
    .bind(row?.due_at, row?.id, row?.ref)
    .run();
  const [first, ...others] = await payloads();
  expect(others).toEqual([]);
  const { items } = await api.deliveries(webhook.id);
  expect(items.map(({ id }) => id)).toEqual([row?.id]);
  await api.post(`/v1/webhooks/${webhook.id}/deliveries/${row?.id}/replay`, undefined);
  expect(await payloads()).toEqual([first, first]);
});

it("writes no row for a webhook of other events, a paused one, or while webhooks are off", async () => {
  const other = await aSubscriber(["email.delivered"]);
  const paused = await aSubscriber();
  await paused.api.call("PATCH", `/v1/webhooks/${paused.webhook.id}`, { is_active: false });
  const off = await aSubscriber();
  for (const { workspace, verify } of [other, paused, { ...off, verify: webhooksOff(off.workspace) }]) {
    const domain = await register(workspace);
    await publishRecords(domain);
    expect((await verify(domain.id)).status).toBe(200);
    expect(await waitingEvents(workspace)).toEqual([]);
  }
});

const webhooksOff = (workspace: TestWorkspace) => (id: string) =>
  webhooksOf(workspace, { LIVE_WEBHOOKS: "off" }).post(`/v1/domains/${id}/verify`, undefined);
