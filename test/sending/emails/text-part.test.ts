/** Emails with HTML only leave with a text part that is made from it, which is not stored. */
import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import type { DetailOut } from "../../../src/sending/emails/schema.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const HTML =
  '<head><title>T</title><style>p{}</style></head><p>Hello <b>Ada</b></p><p><a href="https://x.example/a">Go</a>';
const TEXT = "Hello Ada\n\nGo <https://x.example/a>";

/** Sends an email with HTML and dispatches it. Returns the parts of the message that left, and the email as the API shows it. */
async function sent(changes: Record<string, unknown>, path = "/v1/emails/") {
  const api = workspace.withoutQueue;
  const mail = aMail(workspace, { text: undefined, html: HTML, ...changes });
  const response = await api.post(path, path.endsWith("batch") ? [mail] : mail);
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  const [, id = ""] = /"id":"([^"]+)"/.exec(await response.text()) ?? [];
  const [message] = await sentBy((EGRESS_URL) => runOutboxAt(Date.now(), { EGRESS_URL }));
  const raw = new TextDecoder().decode(message?.raw);
  const [, type = ""] = /^Content-Type: ([^;\r\n]+)/im.exec(raw) ?? [];
  const { text, html } = await PostalMime.parse(message?.raw ?? "");
  const email = await (await api.get(`/v1/emails/${id}`)).json<DetailOut>();
  return { id, type, text: text?.trim().replaceAll("\r\n", "\n"), html, email };
}

it("a single email and one of a batch leave as multipart/alternative, the text first (RFC 2046 5.1.4)", async () => {
  for (const path of ["/v1/emails/", "/v1/emails/batch"]) {
    const { type, text, html, email } = await sent({}, path);
    expect([type, text], path).toEqual(["multipart/alternative", TEXT]);
    expect(html).toContain("<b>Ada</b>");
    expect([email.text_body, email.html_body]).toEqual([null, HTML]);
  }
});

it("an email by a template leaves with the text of what was rendered", async () => {
  const { id } = await workspace.withoutQueue.create("/v1/templates/", { name: "T", html_body: "<li>{{name}}</li>" });
  const { text } = await sent({ html: undefined, template_id: id, variables: { name: "<Ada>" } });
  expect(text).toBe("- <Ada>");
});

it("a retry has the text part of its original", async () => {
  const { id } = await sent({ to: [{ email: "bounce@simulator.test" }] });
  const response = await workspace.withoutQueue.post(`/v1/emails/${id}/retry`, undefined);
  expect(response.status, await response.clone().text()).toBe(202);
  const retry = await response.json<{ id: string }>();
  const source = await workspace.withoutQueue.get(`/v1/emails/${retry.id}/source`);
  expect(await source.text()).toContain("Content-Type: multipart/alternative");
});

it("text_from_html: false, a text of one's own, and HTML without text leave as they are", async () => {
  expect(await sent({ text_from_html: false })).toMatchObject({
    type: "text/html",
    html: expect.stringContaining("Go"),
  });
  expect(await sent({ text: "Mine" })).toMatchObject({ type: "multipart/alternative", text: "Mine" });
  expect(await sent({ html: undefined, text: "Mine" })).toMatchObject({ type: "text/plain" });
  expect(await sent({ html: '<img src="https://x.example/a.png">' })).toMatchObject({ type: "text/html" });
  expect(await sent({ html: `<p>${"x".repeat(1_000_000)}</p>` })).toMatchObject({ type: "text/html" });
});
