import { beforeEach, describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { type Detail, run } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
let topic: string;

beforeEach(async () => {
  topic = (await aTopic(workspace)).id;
});

const ada = () => personOf(workspace, "ada@example.org");
const mail = (changes: object = {}) =>
  aMail(workspace, { to: [{ email: "ada@example.org" }], topic_id: topic, ...changes });
const detail = async (id: string) => (await api.get(`/v1/emails/${id}`)).json<Detail>();
const send = async (changes: object = {}) => {
  const response = await api.post("/v1/emails/", mail(changes));
  expect(response.status, await response.clone().text()).toBe(202);
  return response.json<{ id: string; status: string; rejection_reason: string | null }>();
};
const types = async (id: string) => (await detail(id)).events.map(({ event_type }) => event_type);

describe("an email of a topic", () => {
  it("carries one-click unsubscribe, as with unsubscribe: true", async () => {
    const server = await sinkServer();
    await send();
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const [message] = await server.messages();
    await server.close();
    const text = new TextDecoder().decode(message?.raw);
    expect(text).toMatch(/List-Unsubscribe: <http[^>]+\/u\//);
    expect(text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  });

  it("goes to persons who are subscribed by default or by choice, and to no others", async () => {
    const optIn = (await aTopic(workspace, { default: "unsubscribed" })).id;
    expect((await send()).status).toBe("queued");
    expect(await send({ topic_id: optIn })).toMatchObject({
      status: "rejected",
      rejection_reason: "The recipient is on the suppression list, or not subscribed to the topic",
    });
    await ada().choose(optIn, "subscribed");
    expect((await send({ topic_id: optIn.toUpperCase() })).status).toBe("queued");
    await ada().choose(topic, "unsubscribed");
    expect((await send()).status).toBe("rejected");
    expect((await send({ to: [{ email: "ADA@example.org" }] })).status).toBe("rejected");
    expect((await send({ topic_id: null })).status).toBe("queued");
    expect((await send({ to: [{ email: "bob@example.org" }] })).status).toBe("queued");
  });

  it("is stopped by an unsubscribe from all, whatever the choice", async () => {
    await ada().choose(topic, "subscribed");
    await workspace.post("/v1/suppressions/", { email: "ada@example.org", reason: "unsubscribe" });
    expect((await send()).status).toBe("rejected");
    expect((await ada().read()).unsubscribed_from_all).toBe(true);
  });

  it("names a dropped recipient in its events", async () => {
    await ada().choose(topic, "unsubscribed");
    const { id } = await send();
    expect((await detail(id)).events[0]).toMatchObject({
      event_type: "suppressed",
      metadata: { recipient: "ada@example.org", reason: "unsubscribe" },
    });
  });

  it("has one recipient, offers to unsubscribe, has no such header of the caller, and a topic that exists", async () => {
    const other = (await aTopic(await aWorkspace())).id;
    for (const [fields, loc] of [
      [{ to: [{ email: "a@example.org" }, { email: "b@example.org" }] }, "topic_id"],
      [{ cc: [{ email: "b@example.org" }] }, "topic_id"],
      [{ headers: { "List-Unsubscribe": "<mailto:a@example.org>" } }, "topic_id"],
      [{ unsubscribe: false }, "unsubscribe"],
      [{ topic_id: "x" }, "topic_id"],
      [{ topic_id: "" }, "topic_id"],
      [{ topic_id: "x\r\ny\0" }, "topic_id"],
      [{ topic_id: other }, "topic_id"],
      [{ topic_id: 7 }, "topic_id"],
    ] as const) {
      const response = await api.post("/v1/emails/", mail(fields));
      expect(response.status, JSON.stringify(fields)).toBe(422);
      expect(await response.text()).toContain(`["body","${loc}"]`);
      const validated = await api.post("/v1/emails/validate", mail(fields));
      expect(await validated.json(), JSON.stringify(fields)).toMatchObject({ valid: false, can_send: false });
    }
  });

  it("is validated as it is sent", async () => {
    const validate = async () => (await api.post("/v1/emails/validate", mail())).json();
    expect(await validate()).toEqual({ valid: true, can_send: true, issues: [] });
    await ada().choose(topic, "unsubscribed");
    expect(await validate()).toEqual({
      valid: false,
      can_send: false,
      issues: [{ field: "to", error: "ada@example.org is not subscribed to the topic" }],
    });
  });

  it("in a batch is decided for each item", async () => {
    const second = (await aTopic(workspace)).id;
    await ada().choose(topic, "unsubscribed");
    const items = [
      {},
      { topic_id: second },
      { to: [{ email: "bob@example.org" }] },
      { topic_id: "x" },
      { topic_id: null },
    ];
    const response = await api.post("/v1/emails/batch", items.map(mail));
    const { results } = await response.json<{ results: { status: string }[] }>();
    expect(results.map(({ status }) => status)).toEqual(["rejected", "queued", "queued", "error", "queued"]);
  });

  it("costs no D1 call more, alone and in a batch", async () => {
    const count = async (path: string, body: unknown) => {
      const counted = countingDb();
      const response = await apiOn({ ...counted.bindings, WORK: discardingQueue }, workspace.apiKey).post(path, body);
      expect(response.status).toBe(202);
      return counted.trips.length;
    };
    const withTopic = [await count("/v1/emails/", mail()), await count("/v1/emails/batch", [mail(), mail()])];
    const without = [
      await count("/v1/emails/", mail({ topic_id: undefined })),
      await count("/v1/emails/batch", [mail({ topic_id: undefined }), mail({ topic_id: undefined })]),
    ];
    expect(withTopic).toEqual(without);
  });
});

describe("at dispatch", () => {
  it("an unsubscribe since the email was accepted stops it, also a scheduled one", async () => {
    const { id } = await send();
    const scheduled = await send({ send_at: new Date(Date.now() + 600_000).toISOString() });
    const kept = await send({ to: [{ email: "bob@example.org" }] });
    await ada().choose(topic, "unsubscribed");
    await runOutboxAt(Date.now() + 900_000);
    expect(await types(id)).toEqual(["queued", "suppressed"]);
    expect(await types(scheduled.id)).toEqual(["scheduled", "queued", "suppressed"]);
    expect((await detail(id)).status).toBe("rejected");
    expect((await detail(kept.id)).status).toBe("delivered");
  });

  it("a choice that was withdrawn from a topic to which persons subscribe stops it", async () => {
    const optIn = (await aTopic(workspace, { default: "unsubscribed" })).id;
    await ada().choose(optIn, "subscribed");
    const { id } = await send({ topic_id: optIn });
    await ada().choose(optIn, null);
    await runOutboxAt(Date.now());
    expect(await types(id)).toEqual(["queued", "suppressed"]);
  });

  it("mail of a topic that was deleted is cancelled, also of those who had left it", async () => {
    const { id } = await send();
    const bob = await send({ to: [{ email: "bob@example.org" }] });
    await ada().choose(topic, "unsubscribed");
    await workspace.call("DELETE", `/v1/topics/${topic}`);
    await runOutboxAt(Date.now());
    for (const each of [id, bob.id]) {
      expect((await detail(each)).status).toBe("cancelled");
      expect((await detail(each)).events.at(-1)).toMatchObject({
        event_type: "cancelled",
        metadata: { reason: "topic deleted" },
      });
    }
    const response = await api.post("/v1/emails/", mail());
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("No topic has this id")]);
  });
});

describe("a retry", () => {
  /** Returns an email of the topic that failed. */
  async function failed(): Promise<string> {
    const { id } = await send();
    await run("DELETE FROM outbox WHERE id = ?1", id);
    await run(
      "UPDATE emails SET status = 'failed', due_at = NULL, recipients = replace(recipients, '\"queued\"', '\"failed\"') WHERE id = ?1",
      id,
    );
    return id;
  }
  const retry = (id: string) => api.call("POST", `/v1/emails/${id}/retry`);

  it("keeps the topic: a person who left it gets nothing, at accept and at dispatch", async () => {
    const id = await failed();
    const accepted = await (await retry(id)).json<{ id: string; status: string }>();
    expect(accepted.status).toBe("queued");
    await ada().choose(topic, "unsubscribed");
    await runOutboxAt(Date.now());
    expect((await detail(accepted.id)).status).toBe("rejected");
    expect(await (await retry(id)).json()).toMatchObject({ status: "rejected" });
  });

  it("of mail whose topic was deleted is refused", async () => {
    const id = await failed();
    await workspace.call("DELETE", `/v1/topics/${topic}`);
    const response = await retry(id);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("topic")]);
  });
});
