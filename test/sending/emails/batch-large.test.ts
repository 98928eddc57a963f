import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import type { BatchOut } from "../../../src/sending/emails/batch/schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";

const MIB = 1024 * 1024;

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

/** Returns base64 of one repeated letter; `size` is a multiple of three. */
const base64 = (size: number, letter: string) => btoa(letter.repeat(3)).repeat(size / 3);
const file = (size: number, letter: string) => ({ filename: `${letter}.txt`, content_base64: base64(size, letter) });
const sized = (mib: number) => Math.floor((mib * MIB) / 3) * 3;
const mail = (name: string, attachments: unknown[], changes: Record<string, unknown> = {}) =>
  aMail(workspace, { to: [{ email: `${name}@example.org` }], subject: name, attachments, ...changes });
const send = (items: unknown, headers?: Record<string, string>) => {
  const text = JSON.stringify(items);
  return apiWithoutQueue.post("/v1/emails/batch", text, { "Content-Length": String(text.length), ...headers });
};
const objects = async () => (await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects;
const emails = () =>
  database.value("SELECT count(*) AS n FROM emails WHERE workspace = ?1", [workspace.workspaceNumber]);

describe("a batch above 8 MB", () => {
  it("refuses items with bad attachments, and delivers the others byte for byte", async () => {
    const server = await sinkServer({ capabilities: ["PIPELINING", "8BITMIME", "SIZE 37748736"] });
    const items = [
      mail("first", [file(sized(3), "a"), file(6, "b")]),
      mail("broken", [{ filename: "x", content_base64: `${base64(sized(2), "x")}*` }]),
      mail("second", [file(sized(4), "c")]),
      mail("bad address", [file(3000, "d")], { to: [{ email: "nonsense" }] }),
      mail("nul", [], { text: "a\0b" }),
      mail("plain", []),
    ];
    const response = await send(items);
    expect(response.status, await response.clone().text()).toBe(202);
    const { results, ...counts } = await response.json<BatchOut>();
    expect(counts).toEqual({ total: 6, sent: 3, failed: 3 });
    expect(results.map(({ rejection_reason }) => rejection_reason)).toEqual([
      null,
      expect.stringMatching(/^attachments\.0\.content_base64: .*base64/),
      null,
      "to.0.email: Not a valid email address",
      "text: NUL is not allowed",
      null,
    ]);
    expect(await objects()).toHaveLength(1);
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const parsed = await Promise.all((await server.messages()).map(({ raw }) => PostalMime.parse(raw)));
    const mine = parsed.filter(({ from }) => from?.address === workspace.mailbox);
    expect(mine.map(({ subject }) => subject).sort()).toEqual(["first", "plain", "second"]);
    const files = mine.flatMap(({ subject, attachments }) =>
      attachments.map(({ content }) => {
        const bytes = new Uint8Array(content as ArrayBuffer);
        return [subject, bytes.length, new Set(bytes)];
      }),
    );
    const byte = (letter: string) => new Set([letter.charCodeAt(0)]);
    expect(files.sort((a, b) => Number(b[1]) - Number(a[1]))).toEqual([
      ["second", sized(4), byte("c")],
      ["first", sized(3), byte("a")],
      ["first", 6, byte("b")],
    ]);
    await server.close();
  }, 120_000);

  it("limits each email to 24 MiB of attachments", async () => {
    const items = [mail("over", [file(sized(16), "a"), file(sized(8.5), "b")]), mail("within", [file(sized(3), "c")])];
    const { sent, results } = await (await send(items)).json<BatchOut>();
    expect(sent).toBe(1);
    expect(results[0]).toMatchObject({ id: null, status: "error" });
    expect(results[0]?.rejection_reason).toMatch(/exceed/);
    expect(results[1]?.status).toBe("queued");
  }, 120_000);

  it("stores nothing when no item is accepted, strict or not", async () => {
    const items = [mail("a", [file(sized(7), "a")], { to: [] }), mail("b", [file(3, "b")], { subject: 1 })];
    expect(await (await send(items)).json()).toMatchObject({ sent: 0, failed: 2 });
    const mixed = [mail("good", [file(sized(7), "a")]), mail("bad", [], { to: [] })];
    expect((await send(mixed, { "X-Batch-Mode": "strict" })).status).toBe(422);
    expect([await emails(), await objects()]).toEqual([0, []]);
  }, 120_000);

  it("above 40 MB is a 413 for the whole call, and stores nothing", async () => {
    const items = [mail("a", [file(sized(20), "a")]), mail("b", [file(sized(10), "b")])];
    expect((await send(items)).status).toBe(413);
    expect([await emails(), await objects()]).toEqual([0, []]);
  }, 120_000);

  it("sends once when it is repeated with its Idempotency-Key", async () => {
    const items = [mail("a", [file(sized(7), "a")]), mail("b", [])];
    const first = await send(items, { "Idempotency-Key": "large" });
    const again = await send(items, { "Idempotency-Key": "large" });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    expect(await emails()).toBe(2);
    expect(await objects()).toHaveLength(1);
  }, 120_000);
});

it("the texts of a batch, short and long, are read from its R2 object at dispatch", async () => {
  const server = await sinkServer();
  const items = Array.from({ length: 200 }, (_, i) =>
    mail(`m${i}`, [], { text: `${i}.`.repeat(i % 10 ? 4_000 : 10_000) }),
  );
  expect(await (await send(items)).json()).toMatchObject({ sent: 200 });
  const inRows = await database.value<number>("SELECT count(content) AS n FROM emails WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  expect(inRows).toBe(0);
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
  const parsed = await Promise.all((await server.messages()).map(({ raw }) => PostalMime.parse(raw)));
  const mine = parsed.filter(({ from }) => from?.address === workspace.mailbox);
  expect(mine).toHaveLength(200);
  for (const { subject, text } of mine) {
    const i = Number(subject?.slice(1));
    expect(text?.replace(/\n$/, "")).toBe(`${i}.`.repeat(i % 10 ? 4_000 : 10_000));
  }
  await server.close();
}, 120_000);
