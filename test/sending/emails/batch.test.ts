import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { BatchOut } from "../../../src/sending/emails/batch/schema.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

const send = (items: unknown, headers?: Record<string, string>) =>
  apiWithoutQueue.post("/v1/emails/batch", items, headers);
const mails = (count: number, changes: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, i) =>
    aMail(workspace, { to: [{ email: `friend${i}@example.org` }], subject: `Mail ${i}`, ...changes }),
  );
const result = async (items: unknown, headers?: Record<string, string>) => {
  const response = await send(items, headers);
  expect(response.status, await response.clone().text()).toBe(202);
  return response.json<BatchOut>();
};
const stored = async () =>
  await database.rows<{
    id: string;
    subject: string;
    status: string;
    content_key: string;
    due_at: number;
    outbox_id: string | null;
  }>("SELECT id, subject, status, content_key, due_at, outbox_id FROM emails WHERE workspace = ?1 ORDER BY n", [
    workspace.workspaceNumber,
  ]);
const objects = async () => (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects;

describe("POST /v1/emails/batch", () => {
  it("accepts 500 emails in order with one object, five outbox rows, at most four D1 round trips and ten calls", async () => {
    const { bindings, trips } = countingDb();
    const calls = { put: 0, queue: 0 };
    const CONTENT = new Proxy(env.CONTENT, {
      get(bucket, name) {
        const value: unknown = Reflect.get(bucket, name);
        if (typeof value !== "function") return value;
        calls.put += 1;
        return value.bind(bucket);
      },
    });
    const WORK = {
      sendBatch: async () => {
        calls.queue += 1;
      },
    };
    const response = await apiOn({ ...bindings, CONTENT, WORK }, workspace.apiKey).post(
      "/v1/emails/batch",
      mails(500),
      {
        "Idempotency-Key": "k",
      },
    );
    const received = await response.json<BatchOut>();
    expect({ ...received, results: received.results.length }).toEqual({
      total: 500,
      sent: 500,
      failed: 0,
      results: 500,
    });
    const rows = await stored();
    expect(rows.map(({ id }) => id)).toEqual(received.results.map(({ id }) => id));
    expect(rows.map(({ subject }) => subject)).toEqual(mails(500).map(({ subject }) => subject));
    expect(await objects()).toHaveLength(1);
    expect(new Set(rows.map(({ outbox_id }) => outbox_id)).size).toBe(5);
    // Besides authentication and the update of last_used_at.
    const own = trips.slice(1).filter(({ statements }) => !statements[0]?.sql.startsWith("UPDATE api_keys"));
    expect(own.length).toBeLessThanOrEqual(4);
    expect(trips.length + calls.put + calls.queue).toBeLessThanOrEqual(10);
  });

  it("returns the issue of an item at its index, and sends the others", async () => {
    const items = [
      aMail(workspace),
      aMail(workspace, { to: [{ email: "nonsense" }] }),
      aMail(workspace, { to: undefined }),
      aMail(workspace, { send_at: "tomorrow" }),
      aMail(workspace, { attachments: [{ filename: "a", content_base64: "%" }] }),
      aMail(workspace, { from_: { email: "stranger@example.org" } }),
      aMail(workspace, { subject: "a\u0000b" }),
      null,
      "text",
      [],
      aMail(workspace, { send_at: new Date(Date.now() + 3_600_000).toISOString() }),
    ];
    const { results, ...counts } = await result(items);
    expect(counts).toEqual({ total: 11, sent: 2, failed: 9 });
    expect(results.map(({ status }) => status)).toEqual([
      "queued",
      ...Array.from({ length: 9 }, () => "error"),
      "scheduled",
    ]);
    for (const { id, rejection_reason } of results.slice(1, 10)) {
      expect(id).toBeNull();
      expect(rejection_reason).toEqual(expect.stringMatching(/./));
    }
    expect(results[1]?.rejection_reason).toBe("to.0.email: Not a valid email address");
    expect(results[3]?.rejection_reason).toContain("send_at");
    expect(await stored()).toHaveLength(2);
  });

  it("an item whose recipients are all suppressed has its id, is rejected, and counts as failed", async () => {
    await workspace.post("/v1/suppressions/", { email: "friend1@example.org" });
    const { results, sent, failed } = await result(mails(3));
    expect([sent, failed]).toEqual([2, 1]);
    expect(results[1]).toEqual({
      id: expect.any(String),
      status: "rejected",
      rejection_reason: expect.stringContaining("suppression"),
    });
  });

  it("refuses the whole call only for a body that is no list, 0 or 501 items, and an account that may not send", async () => {
    for (const [body, status] of [
      [{}, 422],
      ["x", 422],
      [null, 422],
      ["{", 422],
      [[], 400],
      [mails(501), 400],
    ] as const)
      expect((await send(body)).status, JSON.stringify(body).slice(0, 20)).toBe(status);
    await run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", workspace.workspaceNumber);
    expect((await send(mails(2))).status).toBe(403);
    expect(await stored()).toEqual([]);
    expect(await objects()).toEqual([]);
  });

  it("in strict mode one invalid item refuses all, and the issue names its index", async () => {
    const items = [aMail(workspace), aMail(workspace, { to: [] }), aMail(workspace, { subject: 7 })];
    const response = await send(items, { "X-Batch-Mode": "strict" });
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[] }[] }>();
    expect(detail.map(({ loc }) => loc)).toEqual([
      ["body", 1, "to"],
      ["body", 2, "subject"],
    ]);
    expect(await stored()).toEqual([]);
    expect((await result(mails(2), { "X-Batch-Mode": "strict" })).sent).toBe(2);
  });

  it("refuses an unknown X-Batch-Mode and names the header", async () => {
    for (const mode of ["lenient", "stric", ""]) {
      const response = await send(mails(1), { "X-Batch-Mode": mode });
      expect(response.status, mode).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["header", "X-Batch-Mode"] }] });
    }
    expect(await stored()).toEqual([]);
    expect((await result(mails(1), { "X-Batch-Mode": "STRICT" })).sent).toBe(1);
  });

  it("ten concurrent calls with one Idempotency-Key create one batch with one response and one object", async () => {
    const items = [...mails(20), "broken"];
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(items, { "Idempotency-Key": "same" })));
    expect(new Set(await Promise.all(responses.map((received) => received.text()))).size).toBe(1);
    expect(await stored()).toHaveLength(20);
    expect(await objects()).toHaveLength(1);
    expect((await send(mails(3), { "Idempotency-Key": "same" })).status).toBe(409);
  });

  it("a batch of invalid items only stores its response under the key and nothing else", async () => {
    const first = await (await send(["x", 1], { "Idempotency-Key": "k" })).text();
    const again = await send(["x", 1], { "Idempotency-Key": "k" });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(first);
    expect(await objects()).toEqual([]);
  });

  it("500 items with 50 recipients of long names each stay within the limits of a D1 statement", async () => {
    const to = Array.from({ length: 50 }, (_, i) => ({
      email: `recipient-number-${i}@example.org`,
      name: "N".repeat(40),
    }));
    const { sent } = await result(mails(500, { to, text: "x" }));
    expect(sent).toBe(500);
  });

  it("delivers each email once, with its own attachment", async () => {
    const count = byExtent({ quick: 40, full: 120, long: 120 });
    const server = await sinkServer();
    const items = mails(count).map((mail, i) => ({
      ...mail,
      attachments:
        i % 10 === 0 ? [{ filename: `${i}.txt`, content_base64: btoa(`file ${i}`), content_type: "text/plain" }] : [],
    }));
    expect((await result(items)).sent).toBe(count);
    // A run is bounded, and other tests of this file leave emails behind that are due earlier.
    for (let runs = 0; runs < 30 && (await stored()).some(({ status }) => status === "queued"); runs++)
      await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const texts = (await server.messages())
      .map(({ raw }) => new TextDecoder().decode(raw))
      .filter((text) => text.includes(`<${workspace.mailbox}>`));
    expect(texts).toHaveLength(count);
    for (const [i, { subject }] of items.entries()) {
      const [own, ...more] = texts.filter((text) => text.includes(`Subject: ${subject}\r\n`));
      expect(more).toEqual([]);
      expect(own?.includes(btoa(`file ${i}`))).toBe(i % 10 === 0);
    }
    const statuses = new Set((await stored()).map(({ status }) => status));
    expect(statuses).toEqual(new Set(["delivered"]));
    await server.close();
  });
});
