import { beforeEach, expect, it } from "vitest";
import { verifyWebhook } from "../../../sdk/index.ts";
import { aReceiver, type Delivery, forgetDue, LOCAL, runAt, webhooksOf } from "../../notices/webhooks/support.ts";
import { database, mail, withFailingCall } from "../../support/databases.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aRawMessage, deliver } from "./support.ts";

/** `email.received` (docs/contract/webhooks.md#received-mail). */

const workspace = perTest(aWorkspace);
const EVENTS = ["email.received"];

beforeEach(async () => void (await forgetDue()));

const arrive = (raw: string, bindings: Record<string, unknown> = {}, to = workspace.mailbox) =>
  deliver(to, raw, { bindings: { ...LOCAL, ...bindings } });

async function aSubscriber(of = workspace) {
  const receiver = aReceiver();
  const api = webhooksOf(of);
  const webhook = await api.create(receiver.url, EVENTS);
  const payloads = async () => {
    await runAt(Date.now() + 1000);
    return (await receiver.requests()).map(({ body }) => JSON.parse(body) as Delivery["payload"]);
  };
  return { api, receiver, webhook, payloads };
}

const rowsOf = async (number: number) =>
  (await mail.prepare("SELECT 1 FROM webhook_deliveries WHERE workspace = ?1").bind(number).all()).results.length;

it("tells of a received email with its sender, subject, size and thread, signed, and without its text", async () => {
  const { receiver, webhook, payloads } = await aSubscriber();
  const raw = aRawMessage({ Subject: "Where is my order?", "Message-ID": "<order@example.org>" }, "SECRET TEXT");
  expect(await arrive(raw)).toBeNull();
  const [entry] = await database.rows("SELECT id, received_at FROM inbound_emails WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  expect(await payloads()).toEqual([
    {
      event: "email.received",
      email_id: entry?.id,
      recipient: workspace.mailbox,
      timestamp: new Date(Number(entry?.received_at)).toISOString(),
      metadata: {
        mailbox_id: workspace.mailboxId,
        mailbox: workspace.mailbox,
        folder: "INBOX",
        thread_id: expect.any(String),
        from: "ada@example.org",
        from_name: "Ada Lovelace",
        subject: "Where is my order?",
        message_id: "<order@example.org>",
        size: raw.length,
        attachment_count: 0,
      },
    },
  ]);
  const [request] = await receiver.requests();
  const { body = "", headers = {} } = request ?? {};
  expect(body).not.toContain("SECRET TEXT");
  const arrived = { body, headers: new Headers(headers as Record<string, string>) };
  expect(await verifyWebhook(arrived, webhook.secret)).toMatchObject({ event: "email.received" });
});

it("has the thread of the conversation that the email belongs to", async () => {
  const { payloads } = await aSubscriber();
  await arrive(aRawMessage({ "Message-ID": "<first@example.org>" }));
  await arrive(aRawMessage({ "In-Reply-To": "<first@example.org>", Subject: "Re: A subject" }));
  await deliver(workspace.mailbox, aRawMessage({ Subject: "Other" }), { bindings: LOCAL });
  const threads = (await payloads()).map(({ metadata }) => metadata.thread_id);
  expect(threads).toHaveLength(3);
  expect(threads[1]).toBe(threads[0]);
  expect(threads[2]).not.toBe(threads[0]);
});

it("tells once of an email that is delivered twice, at once or again after a failure of any database call", async () => {
  const { payloads } = await aSubscriber();
  const twice = aRawMessage({ Subject: "Twice" });
  await Promise.all([arrive(twice), arrive(twice)]);
  const subjects = ["Twice"];
  for (const moment of ["before", "after"] as const)
    for (let failing = 0; ; failing++) {
      const subject = `${moment} ${failing}`;
      const raw = aRawMessage({ Subject: subject });
      const { bindings, hit } = withFailingCall({ failing, moment });
      await arrive(raw, bindings).catch(() => "failed");
      if (hit() === null) break;
      expect(await arrive(raw)).toBeNull();
      subjects.push(subject);
    }
  await arrive(aRawMessage({ Subject: "Last" }));
  await runAt(Date.now() + 2000);
  const found = (await payloads()).map(({ metadata }) => metadata.subject);
  for (const subject of subjects)
    expect(
      found.filter((one) => one === subject),
      subject,
    ).toHaveLength(1);
});

it("writes no row for a workspace without a webhook for it, while webhooks are off, or for a paused one", async () => {
  const other = await aWorkspace();
  await webhooksOf(other).create(aReceiver().url, ["email.delivered"]);
  const { api, webhook } = await aSubscriber();
  await arrive(aRawMessage(), { LIVE_WEBHOOKS: "off" });
  await arrive(aRawMessage(), {}, other.mailbox);
  await api.call("PATCH", `/v1/webhooks/${webhook.id}`, { is_active: false });
  await arrive(aRawMessage());
  expect([await rowsOf(workspace.workspaceNumber), await rowsOf(other.workspaceNumber)]).toEqual([0, 0]);
});

it("is delivered again by a replay", async () => {
  const { api, webhook, payloads } = await aSubscriber();
  await arrive(aRawMessage());
  const [first] = await payloads();
  const { items } = await api.deliveries(webhook.id);
  const replay = await api.post(`/v1/webhooks/${webhook.id}/deliveries/${items[0]?.id}/replay`, undefined);
  expect(replay.status).toBe(201);
  expect(await payloads()).toEqual([first, first]);
});
