import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import type { OutboxKind } from "../../../src/platform/context.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { withoutOtherRows } from "../../support/outbox.ts";
import { base64Of, digestOf, patternedBytes } from "../../support/patterned-bytes.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

const MIB = 1024 * 1024;

const file = (filename: string, bytes: Uint8Array) => ({ filename, content_base64: base64Of(bytes) });

async function countStored(workspace: TestWorkspace) {
  const { objects } = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` });
  const row = await database.row<{ emails: number }>("SELECT count(*) AS emails FROM emails WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  return { objects: objects.length, emails: row?.emails };
}

describe("attachments above 8 MB", () => {
  it("are accepted, and arrive at the egress byte for byte", async () => {
    const server = await sinkServer({ capabilities: ["PIPELINING", "8BITMIME", "SIZE 37748736"] });
    const workspace = await aWorkspace();
    // The queue refuses wake-ups, so that only this test delivers, to its own server.
    const { post } = workspace.withoutQueue;
    const bytes = patternedBytes(byExtent({ quick: 9, full: 24, long: 24 }) * MIB - 1000, 7);
    const small = patternedBytes(1000, 9);
    const attachments = [file("large.bin", bytes), { ...file("small.bin", small), content_type: "image/png" }];
    const response = await post("/v1/emails/", aMail(workspace, { attachments }));
    expect(response.status).toBe(202);
    const { id } = await response.json<{ id: string }>();
    const ctx = testContext({ EGRESS_URL: server.url });
    const results = await database.rows<{ dueAt: number; id: string; kind: OutboxKind }>(
      "SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1",
      [id],
    );
    await deliver(ctx, results, egressOf(ctx.settings));
    const { status, events } = await (await workspace.get(`/v1/emails/${id}`)).json<{
      status: string;
      events: unknown;
    }>();
    expect(status, JSON.stringify(events)).toBe("delivered");
    const [message] = await server.messages();
    const parsed = await PostalMime.parse(message?.raw ?? new Uint8Array());
    expect(parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ["large.bin", "application/octet-stream"],
      ["small.bin", "image/png"],
    ]);
    const got = parsed.attachments.map(({ content }) => new Uint8Array(content as ArrayBuffer));
    expect(await digestOf(got[0] ?? small)).toBe(await digestOf(bytes));
    expect(await digestOf(got[1] ?? bytes)).toBe(await digestOf(small));
    await server.close();
  }, 120_000);

  it("one byte above 24 MiB is a 413, in one file or in two, and stores nothing", async () => {
    const workspace = await aWorkspace();
    const over = [file("a.bin", patternedBytes(24 * MIB + 1, 1))];
    const together = [file("a.bin", patternedBytes(16 * MIB, 1)), file("b.bin", patternedBytes(8 * MIB + 1, 2))];
    for (const attachments of byExtent({ quick: [over], full: [over, together], long: [over, together] })) {
      const response = await workspace.post("/v1/emails/", aMail(workspace, { attachments }));
      expect(response.status).toBe(413);
    }
    expect(await countStored(workspace)).toEqual({ objects: 0, emails: 0 });
  }, 120_000);

  it("base64 that becomes invalid after 9 MB is a 400, and stores nothing", async () => {
    const workspace = await aWorkspace();
    const broken = { filename: "a.bin", content_base64: `${base64Of(patternedBytes(9 * MIB, 3)).slice(0, -3)}*` };
    const response = await workspace.post("/v1/emails/", aMail(workspace, { attachments: [broken] }));
    expect(response.status).toBe(400);
    expect(await countStored(workspace)).toEqual({ objects: 0, emails: 0 });
  });

  const refusals: [string, Record<string, unknown>, number][] = [
    ["a sender of another workspace", { from_: { email: "stranger@example.org" } }, 422],
    ["NUL in a string", { subject: "a\0b" }, 422],
    ["a filename with a slash", { filename: "../../etc/passwd" }, 422],
    ["a header that the service owns", { headers: { Bcc: "x@example.org" } }, 422],
    ["a body not declared as JSON", { contentType: "text/plain" }, 415],
  ];
  for (const [what, { filename = "a.bin", contentType, ...changes }, status] of refusals) {
    it(`${what} is a ${status} as with a small body, and stores nothing`, async () => {
      const workspace = await aWorkspace();
      const attachments = [file(String(filename), patternedBytes(7 * MIB, 5))];
      const headers: Record<string, string> = typeof contentType === "string" ? { "Content-Type": contentType } : {};
      const response = await workspace.post("/v1/emails/", aMail(workspace, { attachments, ...changes }), headers);
      expect(response.status).toBe(status);
      expect(await countStored(workspace)).toEqual({ objects: 0, emails: 0 });
    });
  }

  it("a body without Content-Length is accepted", async () => {
    const workspace = await aWorkspace();
    const text = JSON.stringify(aMail(workspace, { attachments: [file("a.bin", patternedBytes(7 * MIB, 6))] }));
    const response = await workspace.withoutQueue.call("POST", "/v1/emails/", text);
    expect(response.status).toBe(202);
    expect(await countStored(workspace)).toEqual({ objects: 1, emails: 1 });
  });

  it("a large call repeated with its Idempotency-Key sends once; another content with the key is a 409", async () => {
    const workspace = await aWorkspace();
    const api = workspace.withoutQueue;
    const send = (seed: number) =>
      api.post("/v1/emails/", aMail(workspace, { attachments: [file("a.bin", patternedBytes(7 * MIB, seed))] }), {
        "Idempotency-Key": "large",
      });
    const first = await send(1);
    const again = await send(1);
    expect([first.status, again.status, (await send(2)).status]).toEqual([202, 202, 409]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    expect(await countStored(workspace)).toEqual({ objects: 1, emails: 1 });
  });

  it("validate reads a large body, responds as for a small one, and stores nothing", async () => {
    const workspace = await aWorkspace();
    const attachments = [file("a.bin", patternedBytes(7 * MIB, 8))];
    const response = await workspace.post("/v1/emails/validate", aMail(workspace, { attachments }));
    expect(await response.json()).toEqual({ valid: true, can_send: true, issues: [] });
    expect(await countStored(workspace)).toEqual({ objects: 0, emails: 0 });
  });

  it("two stalled large bodies do not keep others of the same workspace out", async () => {
    const workspace = await aWorkspace();
    const api = workspace.withoutQueue;
    const text = JSON.stringify(aMail(workspace, { attachments: [file("a.bin", patternedBytes(8 * MIB, 4))] }));
    const gate = Promise.withResolvers<void>();
    const stalledBody = () => {
      const pieces = [text.slice(0, -1), text.slice(-1)].map((piece) => new TextEncoder().encode(piece));
      return new ReadableStream({
        async pull(controller) {
          const piece = pieces.shift();
          if (!piece) return controller.close();
          if (pieces.length === 0) await gate.promise;
          controller.enqueue(piece);
        },
      });
    };
    const send = (body: ReadableStream | string) =>
      api.call("POST", "/v1/emails/", body, {
        "Content-Type": "application/json",
        "Content-Length": String(text.length),
      });
    const inFlight = [send(stalledBody()), send(stalledBody())];
    const others = await Promise.all([send(text), send(text)]);
    gate.resolve();
    expect(others.map(({ status }) => status)).toEqual([202, 202]);
    for (const response of await Promise.all(inFlight)) expect(response.status).toBe(202);
    expect(await countStored(workspace)).toEqual({ objects: 4, emails: 4 });
  });
});

describe("an empty attachment", () => {
  it("arrives as an empty file", async () => {
    const server = await sinkServer();
    const workspace = await aWorkspace();
    const { post } = workspace.withoutQueue;
    const attachments = [{ filename: "empty.txt", content_base64: "" }, file("a.txt", patternedBytes(3, 1))];
    const { id } = await (await post("/v1/emails/", aMail(workspace, { attachments }))).json<{ id: string }>();
    const ctx = testContext({ EGRESS_URL: server.url });
    const results = await database.rows<{ dueAt: number; id: string; kind: OutboxKind }>(
      "SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1",
      [id],
    );
    await withoutOtherRows([id], () => deliver(ctx, results, egressOf(ctx.settings)));
    const [message] = await server.messages();
    const parsed = await PostalMime.parse(message?.raw ?? new Uint8Array());
    const sizes = parsed.attachments.map(({ filename, content }) => [filename, (content as ArrayBuffer).byteLength]);
    expect(sizes).toEqual([
      ["empty.txt", 0],
      ["a.txt", 3],
    ]);
  });
});
