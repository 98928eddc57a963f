import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import type { BatchOut } from "../../../src/sending/emails/batch/schema.ts";
import { database, mail as mailDatabase } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";

const apiOf = (workspace: TestWorkspace) => workspace.withoutQueue;
const objectsOf = async ({ workspaceId }: TestWorkspace) =>
  (await env.CONTENT.list({ prefix: `w/${workspaceId}/` })).objects;

async function contentOf(workspace: TestWorkspace, id: string | null | undefined) {
  const detail = await (await workspace.get(`/v1/emails/${id}`)).json<{ html_body: string; text_body: string }>();
  return [detail.html_body, detail.text_body];
}

describe("a batch of many emails with 60 KB of html each", () => {
  it("is accepted, and every html is kept as it was sent", async () => {
    const count = byExtent({ quick: 100, full: 500, long: 500 });
    const workspace = await aWorkspace();
    const html = (index: number) => `<p>${index} é 😀 "\\</p>`.padEnd(60_000, `${index} `);
    const items = Array.from({ length: count }, (_, index) => aMail(workspace, { html: html(index) }));
    const text = JSON.stringify(items);
    expect(text.length).toBeGreaterThan(60_000 * count);
    const response = await apiOf(workspace).post("/v1/emails/batch", text);
    expect(response.status).toBe(202);
    const { results, sent } = await response.json<BatchOut>();
    expect(sent).toBe(count);
    for (const index of [0, 1, count / 2, count - 1]) {
      expect(await contentOf(workspace, results[index]?.id), String(index)).toEqual([html(index), "A text."]);
    }
    expect(await objectsOf(workspace)).toHaveLength(1);
  }, 120_000);
});

describe("a long html or text", () => {
  it("arrives at the egress as it was sent, with its attachment", async () => {
    const server = await sinkServer({ capabilities: ["PIPELINING", "8BITMIME", "SIZE 37748736"] });
    const workspace = await aWorkspace();
    const html = `<p>${"Ünïcode 😀 漢字 \u2028 ".repeat(5_000)}</p>`;
    const text = "A line with é.\r\n".repeat(8_000);
    const attachments = [{ filename: "a.txt", content_base64: btoa("content") }];
    const body = aMail(workspace, { subject: "long text", html, text, attachments });
    const { id } = await apiOf(workspace).create("/v1/emails/", body);
    expect(await contentOf(workspace, id)).toEqual([html, text]);
    await runOutboxAt(Date.now(), { EGRESS_URL: server.url });
    const mails = await Promise.all((await server.messages()).map(({ raw }) => PostalMime.parse(raw)));
    const mail = mails.find(({ from }) => from?.address === workspace.mailbox);
    expect(mail?.html?.trim()).toBe(html);
    expect(mail?.text?.replace(/\r?\n/g, "\n").trim()).toBe(text.replace(/\r?\n/g, "\n").trim());
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual(["a.txt"]);
    await server.close();
  });

  it("keeps a byte order mark and every escape, wherever the chunks end", async () => {
    const workspace = await aWorkspace();
    const html = `\ufeff<p>${'😀"\\\b\f\n\r\t/é\u0001'.repeat(12_000)}</p>`;
    const escaped = JSON.stringify(aMail(workspace, { html })).replace(
      /[\u0080-\uffff/]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const { id } = await apiOf(workspace).create("/v1/emails/", escaped);
    expect(await contentOf(workspace, id)).toEqual([html, "A text."]);
  });

  it("may come before or after the attachments, and of two of one name the last counts", async () => {
    const workspace = await aWorkspace();
    const mail = aMail(workspace);
    const long = (letter: string) => JSON.stringify(letter.repeat(70_000));
    const file = '"attachments":[{"filename":"a.txt","content_base64":"Zm9v"}]';
    const head = JSON.stringify(mail).slice(0, -1);
    const bodies: [string, string][] = [
      [`${head},"html":${long("a")},${file}}`, "a".repeat(70_000)],
      [`${head},${file},"html":${long("b")}}`, "b".repeat(70_000)],
      [`${head},"html":${long("a")},${file},"html":${long("c")}}`, "c".repeat(70_000)],
      [`${head},"html":${long("a")},${file},"html":"short"}`, "short"],
    ];
    for (const [body, html] of bodies) {
      const response = await apiOf(workspace).post("/v1/emails/", body);
      expect(response.status, await response.clone().text()).toBe(202);
      expect((await contentOf(workspace, (await response.json<{ id: string }>()).id))[0]).toBe(html);
    }
  });

  it("with NUL or a lone surrogate is a 422 at its field and stores nothing; in a batch it is the item's error", async () => {
    const workspace = await aWorkspace();
    const long = "x".repeat(70_000);
    const issues: [string, string][] = [
      [`${long}\\u0000${long}`, "string_nul"],
      [`${long}\\ud800${long}`, "string_unicode"],
      [`${long}\\udc00`, "string_unicode"],
      [`${long}\\ud83d`, "string_unicode"],
    ];
    const mail = JSON.stringify(aMail(workspace)).slice(0, -1);
    for (const [html, type] of issues) {
      const single = await apiOf(workspace).post("/v1/emails/", `${mail},"html":"${html}"}`);
      expect(single.status).toBe(422);
      expect(await single.json()).toMatchObject({ detail: [{ loc: ["body", "html"], type }] });
      const batch = await apiOf(workspace).post("/v1/emails/batch", `[${mail},"html":"${html}"},${mail}}]`);
      const { results } = await batch.json<BatchOut>();
      expect(results.map(({ status }) => status)).toEqual(["error", "queued"]);
      expect(results[0]?.rejection_reason).toMatch(/^html: /);
    }
    expect(await objectsOf(workspace)).toHaveLength(issues.length);
  });

  it("counts towards the limit of html and text together, to the byte", async () => {
    const workspace = await aWorkspace();
    const send = (html: string, text: string) => apiOf(workspace).post("/v1/emails/", aMail(workspace, { html, text }));
    const half = "é".repeat(1_250_000);
    expect((await send(half, half)).status).toBe(202);
    expect((await send(half, `${half}a`)).status).toBe(413);
    expect(await objectsOf(workspace)).toHaveLength(1);
  });

  it("of a retried email is copied to the new email", async () => {
    const workspace = await aWorkspace();
    const html = `<p>${"long ".repeat(20_000)}</p>`;
    const mail = aMail(workspace, { html, to: [{ email: "bounced@simulator.test" }] });
    const { id } = await apiOf(workspace).create("/v1/emails/", mail);
    await mailDatabase.batch([
      database.prepare("DELETE FROM outbox WHERE id = ?1").bind(id),
      database
        .prepare(
          "UPDATE emails SET status = 'failed', due_at = NULL, recipients = replace(recipients, '\"queued\"', '\"failed\"') WHERE id = ?1",
        )
        .bind(id),
    ]);
    const retry = await apiOf(workspace).call("POST", `/v1/emails/${id}/retry`);
    expect(retry.status, await retry.clone().text()).toBe(202);
    expect((await contentOf(workspace, (await retry.json<{ id: string }>()).id))[0]).toBe(html);
  });
});

describe("a body up to 40 MB", () => {
  it.runIf(env.TEST_FULL)(
    "is read whatever it contains: unknown fields, white space, many short strings",
    async () => {
      const workspace = await aWorkspace();
      const mail = JSON.stringify(aMail(workspace)).slice(0, -1);
      const bodies = [
        `${mail},"unknown":"${"x".repeat(39_900_000)}"}`,
        `${mail},"unknown":1${" ".repeat(39_900_000)}}`,
        `${mail},"unknown":[${`"${"y".repeat(3_990)}",`.repeat(9_900)}1]}`,
      ];
      for (const body of bodies) {
        expect((await apiOf(workspace).post("/v1/emails/validate", body)).status).toBe(200);
      }
      const over = `${mail},"unknown":"${"x".repeat(40_000_000)}"}`;
      expect((await apiOf(workspace).post("/v1/emails/validate", over)).status).toBe(413);
    },
    120_000,
  );

  it("with a long string in a short field is a 422 that says its size and the limit", async () => {
    const workspace = await aWorkspace();
    const response = await apiOf(workspace).post("/v1/emails/", aMail(workspace, { subject: "é".repeat(100_000) }));
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      detail: [{ loc: ["body", "subject"], msg: "The string is 200000 bytes; the limit is 998", type: "too_long" }],
    });
  });
});
