import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { aMail, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const LIMIT = 16_384;
const EMPTY = { text: "", html: null, headers: [], reply_to: null, attachments: [] };

/** Returns a text whose content document has this many bytes; two of them are one character. */
const textFor = (documentBytes: number) => `é${"x".repeat(documentBytes - JSON.stringify(EMPTY).length - 2)}`;

interface Stored {
  content: string | null;
  content_key: string | null;
  content_offset: number;
  content_size: number;
}

const rowOf = (id: string) =>
  database.row<Stored>("SELECT content, content_key, content_offset, content_size FROM emails WHERE id = ?1", [id]);

const objectsOf = async ({ workspaceId }: TestWorkspace) =>
  (await env.CONTENT.list({ prefix: `w/${workspaceId}/` })).objects.length;

async function accept(workspace: TestWorkspace, changes: Record<string, unknown>, path = "/v1/emails/") {
  const body = path === "/v1/emails/" ? aMail(workspace, changes) : [aMail(workspace, changes)];
  const response = await workspace.withoutQueue.post(path, body);
  expect(response.status).toBe(202);
  const result = await response.json<{ id?: string; results?: { id: string }[] }>();
  return result.id ?? result.results?.[0]?.id ?? "";
}

/** Ids and times, which differ between two emails. */
const VARIABLE = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|w\d+-[0-9a-f]+\.example/g;

const attachment = { filename: "a.txt", content_base64: btoa("a"), content_type: "text/plain" };

describe("the content of an accepted email", () => {
  it("is in the row and not in R2 up to 16 KiB, and in R2 only from one byte more", async () => {
    const workspace = await aWorkspace();
    const small = await rowOf(await accept(workspace, { text: textFor(LIMIT) }));
    expect(await objectsOf(workspace)).toBe(0);
    expect(small).toMatchObject({ content_key: null, content_offset: 0, content_size: LIMIT });
    expect(JSON.parse(small?.content ?? "")).toEqual({ ...EMPTY, text: textFor(LIMIT) });
    const large = await rowOf(await accept(workspace, { text: textFor(LIMIT + 1) }));
    expect(await objectsOf(workspace)).toBe(1);
    expect(large).toEqual({ content: null, content_key: null, content_offset: 0, content_size: LIMIT + 1 });
  });

  it("is stored byte for byte: quotes, escapes, and characters of two to four bytes", async () => {
    const workspace = await aWorkspace();
    const text = 'a "quote" \\" \n\t\u0001 / é 字 😀 \u2028 {"a":[1.0,null]}';
    const headers = { "X-Json": text.replace(/[^ -~]/g, "") };
    const document = JSON.stringify({ ...EMPTY, text, headers: Object.entries(headers) });
    const row = await rowOf(await accept(workspace, { text, headers }));
    const size = new TextEncoder().encode(document).byteLength;
    expect([row?.content, row?.content_size]).toEqual([document, size]);
    const batched = await rowOf(await accept(workspace, { text, headers }, "/v1/emails/batch"));
    expect(await (await env.CONTENT.get(batched?.content_key ?? ""))?.text()).toBe(document);
    expect([batched?.content, batched?.content_offset, batched?.content_size]).toEqual([null, 0, size]);
  });

  it("is in R2 with an attachment, in a batch, and when it waits for more than an hour", async () => {
    const workspace = await aWorkspace();
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const soon = await rowOf(await accept(workspace, { send_at: inMinutes(59) }));
    expect(await objectsOf(workspace)).toBe(0);
    expect(soon?.content).not.toBeNull();
    const late = await rowOf(await accept(workspace, { send_at: inMinutes(61) }));
    const attached = await rowOf(await accept(workspace, { attachments: [attachment] }));
    expect([late?.content, attached?.content]).toEqual([null, null]);
    expect(await objectsOf(workspace)).toBe(2);
    const batched = await rowOf(await accept(workspace, {}, "/v1/emails/batch"));
    expect(await objectsOf(workspace)).toBe(3);
    expect(batched?.content_key).not.toBeNull();
  });

  it("is the same to a caller with 16 KiB and with one byte more: detail, events, retry, cancel", async () => {
    const shown = [];
    for (const bytes of [LIMIT, LIMIT + 1]) {
      const workspace = await aWorkspace();
      const text = textFor(bytes);
      const id = await accept(workspace, { text });
      await database.run("UPDATE emails SET status = 'bounced', due_at = NULL WHERE id = ?1", [id]);
      const {
        text_body,
        id: _id,
        ...detail
      } = await (await workspace.get(`/v1/emails/${id}`)).json<{
        id: string;
        text_body: string;
      }>();
      expect(text_body).toBe(text);
      const retried = await workspace.withoutQueue.post(`/v1/emails/${id}/retry`, "");
      expect(retried.status).toBe(202);
      const retry = (await retried.json<{ id: string }>()).id;
      const copy = await (await workspace.get(`/v1/emails/${retry}`)).json<{ text_body: string }>();
      expect(copy.text_body).toBe(text);
      const scheduled = await accept(workspace, { text, send_at: new Date(Date.now() + 600_000).toISOString() });
      expect((await workspace.call("DELETE", `/v1/emails/scheduled/${scheduled}`)).status).toBe(200);
      const cancelled = await (await workspace.get(`/v1/emails/${scheduled}`)).json<Record<string, unknown>>();
      expect(cancelled).toMatchObject({ text_body: text, status: "cancelled" });
      const shape = JSON.stringify([detail, cancelled]).replaceAll(text, "TEXT").replace(VARIABLE, "…");
      shown.push(shape.replaceAll(workspace.mailbox, "SENDER"));
    }
    expect(shown[0]).toEqual(shown[1]);
  });

  it("a small email whose recipients are all suppressed keeps its content in the row", async () => {
    const workspace = await aWorkspace();
    await workspace.post("/v1/suppressions/", { email: "friend@example.org", reason: "manual" });
    const id = await accept(workspace, { text: "kept" });
    expect((await rowOf(id))?.content).toContain("kept");
    expect(await (await workspace.get(`/v1/emails/${id}`)).json()).toMatchObject({
      status: "rejected",
      text_body: "kept",
    });
  });
});
