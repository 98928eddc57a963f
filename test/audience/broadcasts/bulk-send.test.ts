import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { BulkSendOut } from "../../../src/audience/broadcasts/bulk-send/schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aKey, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aContact, aList } from "../contacts/support.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
let listId: string;

beforeEach(async () => {
  listId = (await aList(workspace)).id;
});

const bodyOf = (changes: Record<string, unknown> = {}) => ({
  contact_list_id: listId,
  mailbox_id: workspace.mailboxId,
  subject: "News for {{name}}",
  html: "<p>Hello {{ name }} of {{city}}, {{email}}</p>",
  ...changes,
});
const send = (changes: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  api.post(`/v1/contacts/${listId}/send`, bodyOf(changes), headers);
const add = (email: string, changes: Record<string, unknown> = {}) => aContact(workspace, listId, email, changes);
const run = async (settings: Record<string, unknown> = {}) => {
  for (let round = 0; round < 3; round++)
    await runOutboxAt(Date.now() + round * 61_000, settings, ["broadcast", "bulk", "deliver"]);
};
const emails = async () => {
  const results = await database.rows<{
    subject: string;
    source: string;
    tags: string | null;
    status: string;
    email: string;
  }>(
    "SELECT subject, source, tags, status, recipients->>'$[0].email' AS email FROM emails WHERE workspace = ?1 ORDER BY n",
    [workspace.workspaceNumber],
  );
  return results;
};

describe("POST /v1/contacts/{list_id}/send", () => {
  it("refuses a segment instead of mailing the whole list", async () => {
    await add("delivered+a@simulator.test");
    expect((await send({ segment_id: crypto.randomUUID() })).status).toBe(422);
    await run();
    expect(await emails()).toEqual([]);
  });

  it("sends one rendered email to every contact that is not suppressed", async () => {
    await add("delivered+a@simulator.test", { name: "Ada", metadata: { city: "London" } });
    await add("delivered+b@simulator.test");
    await add("delivered+c@simulator.test");
    await workspace.post("/v1/suppressions/", { email: "delivered+c@simulator.test", reason: "unsubscribe" });
    const response = await send({ tags: ["news"] });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      queued: 2,
      skipped: 1,
      errors: ["delivered+c@simulator.test: skipped, the address has unsubscribed"],
    });
    await run();
    expect(await emails()).toEqual([
      {
        subject: "News for Ada",
        source: "bulk",
        tags: '["news"]',
        status: "delivered",
        email: "delivered+a@simulator.test",
      },
      {
        subject: "News for ",
        source: "bulk",
        tags: '["news"]',
        status: "delivered",
        email: "delivered+b@simulator.test",
      },
    ]);
    expect(await (await api.get("/v1/broadcasts/")).json()).toEqual([]);
  });

  it("escapes values in html and adds unsubscribe headers and a visible link", async () => {
    await add("ada@example.org", { name: "A<b>", metadata: { city: "{{email}}" } });
    const server = await sinkServer();
    await send({ text: "Hello {{name}}" });
    await run({ EGRESS_URL: server.url });
    const [message] = await server.messages();
    await server.close();
    const raw = new TextDecoder().decode(message?.raw);
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(raw.replace(/=\r\n/g, "")).toContain("Hello A&lt;b&gt; of {{email}}, ada@example.org");
    expect(raw).toContain("Unsubscribe:");
  });

  it("finds a key of a contact whatever spaces stand around it, and the one without them before others", async () => {
    await add("ada@example.org", { metadata: { " city ": "Paris", plan: "gold", " plan": "free" } });
    const server = await sinkServer();
    await send({ text: "{{city}} {{ plan }}" });
    await run({ EGRESS_URL: server.url });
    const [message] = await server.messages();
    await server.close();
    expect(new TextDecoder().decode(message?.raw)).toContain("Paris gold");
  });

  it("does not send to contacts that are added, deleted or suppressed in the main database after the call", async () => {
    await add("delivered+a@simulator.test");
    const gone = await add("delivered+b@simulator.test");
    await add("delivered+c@simulator.test");
    await send();
    await add("delivered+later@simulator.test");
    await workspace.call("DELETE", `/v1/contacts/${listId}/contacts/${gone.id}`);
    await database.run(
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, 'delivered+c@simulator.test', 'manual', 0)",
      [workspace.workspaceNumber],
    );
    await run();
    expect((await emails()).map(({ email }) => email)).toEqual(["delivered+a@simulator.test"]);
  });

  it("sends once for repeated and concurrent calls with one Idempotency-Key", async () => {
    await add("delivered+a@simulator.test");
    const key = { "Idempotency-Key": "bulk-1" };
    const responses = await Promise.all([1, 2, 3].map(() => send({}, key)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const received of responses) expect(await received.json<BulkSendOut>()).toMatchObject({ queued: 1 });
    await run();
    expect(await emails()).toHaveLength(1);
    expect((await send({ subject: "Another" }, key)).status).toBe(409);
  });

  it("sends nothing when the list is deleted before its emails are made", async () => {
    await add("delivered+a@simulator.test");
    expect((await send()).status).toBe(200);
    await workspace.call("DELETE", `/v1/contacts/${listId}`);
    await run();
    expect(await emails()).toEqual([]);
  });

  it("names at most 100 skipped contacts", async () => {
    await add("delivered@simulator.test");
    await database.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 150)
         INSERT INTO contacts (workspace, list, id, email, email_key, suppressed, created_at)
         SELECT ?1, (SELECT n FROM contact_lists WHERE id = ?2), 'i' || n, n || '@x.test', n || '@x.test', 'bounce', 1 FROM numbers`,
      [workspace.workspaceNumber, listId],
    );
    const result = await (await send()).json<BulkSendOut>();
    expect([result.queued, result.skipped, result.errors.length]).toEqual([1, 150, 100]);
  });

  it.each([
    ["an unknown list in the body", 400, { contact_list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a" }],
    ["a list id that is no UUID", 422, { contact_list_id: "x" }],
    ["an unknown mailbox", 404, { mailbox_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a" }],
    ["no subject", 422, { subject: "" }],
    ["a subject with a line break", 422, { subject: "a\r\nBcc: x@example.org" }],
    ["neither html nor text", 422, { html: null }],
    ["eleven tags", 422, { tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }],
    ["more than 1,000,000 bytes", 413, { html: "x".repeat(999_900) }],
  ])("refuses %s with %i", async (_, status, changes) => {
    await add("delivered@simulator.test");
    expect((await send(changes)).status).toBe(status);
    await run();
    expect(await emails()).toEqual([]);
  });

  it("refuses an empty list, an inactive mailbox, an unverified domain and a paused workspace", async () => {
    expect((await send()).status).toBe(400);
    await add("delivered@simulator.test");
    const set = (table: string, change: string) =>
      env.DB.prepare(`UPDATE ${table} SET ${change} WHERE ${table === "workspaces" ? "number" : "workspace"} = ?1`)
        .bind(workspace.workspaceNumber)
        .run();
    await set("mailboxes", "is_active = 0");
    expect((await send()).status).toBe(422);
    await set("mailboxes", "is_active = 1");
    await set("domains", "status = 'pending'");
    expect((await send()).status).toBe(422);
    await set("domains", "status = 'verified'");
    await set("workspaces", "sending_paused_at = 1");
    expect((await send()).status).toBe(403);
  });

  it("returns 404 for a mailbox outside the domains that the key is restricted to", async () => {
    await add("delivered@simulator.test");
    const key = await aKey(workspace, { domainIds: [crypto.randomUUID()] });
    expect((await apiWith(key).post(`/v1/contacts/${listId}/send`, bodyOf())).status).toBe(404);
  });
});
