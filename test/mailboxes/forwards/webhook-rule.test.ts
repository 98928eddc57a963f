import { beforeEach, describe, expect, it } from "vitest";
import { verifyWebhook } from "../../../sdk/index.ts";
import { utf8 } from "../../../src/lib/bytes.ts";
import { aReceiver, type Delivery, forgetDue, LOCAL, runAt } from "../../notices/webhooks/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aRawMessage } from "../inbound/support.ts";
import { arrive, collectingEgress, eventsOf, forwardAt } from "./support.ts";

interface Rule {
  id: string;
  action: { type: string; target: string };
  secret?: string;
}

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await forgetDue();
});

const rules = (method: string, suffix = "", body?: unknown, headers?: Record<string, string>) =>
  apiOn(LOCAL, workspace.apiKey).call(method, `/v1/forwarding-rules/${suffix}`, body, headers);
const aWebhookRule = async (url: string) => {
  const body = { mailbox_id: workspace.mailboxId, action: { type: "webhook", target: url } };
  const response = await rules("POST", "", body);
  expect(response.status).toBe(201);
  return response.json<Rule>();
};

const mixed = (file: string) =>
  `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe text\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>The HTML</p>\r\n` +
  `--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa(file)}\r\n--b--\r\n`;

/** Lets an email arrive, and its forwards and deliveries run. */
async function arriveAndPost(raw: string): Promise<void> {
  await arrive(workspace.mailbox, raw);
  await forwardAt(workspace, collectingEgress().egress);
  await runAt(Date.now() + 1000);
}

describe("a rule of type webhook", () => {
  it("posts an email once, signed with its own secret, with its text, header and links to its files", async () => {
    const receiver = aReceiver();
    const rule = await aWebhookRule(receiver.url);
    const raw = aRawMessage({ Subject: "Größe", "Content-Type": 'multipart/mixed; boundary="b"' }, mixed("x,y\n1,2\n"));
    await arriveAndPost(raw);
    await arriveAndPost(raw);
    const [request, ...others] = await receiver.requests();
    expect(others).toEqual([]);
    const body = request?.body ?? "";
    await verifyWebhook({ body, headers: new Headers(request?.headers as Record<string, string>) }, rule.secret ?? "");
    const payload = JSON.parse(body);
    expect(payload).toMatchObject({
      event: "email.inbound.forwarded",
      recipient: workspace.mailbox,
      metadata: {
        from: "ada@example.org",
        subject: "Größe",
        text: "The text\nThe HTML",
        html: "<pre>The text</pre>\n<p>The HTML</p>",
        attachments: [{ filename: "a.csv", content_type: "text/csv", size: 8 }],
      },
    });
    expect(payload.metadata.headers).toContainEqual({ name: "Subject", value: "Größe" });
    const entry = await workspace.call("GET", `/v1/emails/inbound/${payload.email_id}`);
    expect(entry.status).toBe(200);
    expect(await eventsOf(workspace)).toContainEqual(expect.objectContaining({ event: "forwarded", rule_id: rule.id }));
  });

  it("posts an email of a thousand files and long texts with as much of it as one row of the database takes", async () => {
    const receiver = aReceiver();
    await aWebhookRule(receiver.url);
    const text = "\u0001".repeat(150_000);
    const file = (n: number) =>
      `--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="${n}${"ü".repeat(240)}"\r\n\r\na\r\n`;
    const long = (type: string) => `--b\r\nContent-Type: text/${type}\r\n\r\n${text}\r\n`;
    const files = Array.from({ length: 998 }, (_, n) => file(n)).join("");
    const raw = aRawMessage(
      { Subject: "Large", "Content-Type": 'multipart/mixed; boundary="b"', "X-Long": "é".repeat(60_000) },
      `${long("plain")}${long("html")}${files}--b--\r\n`,
    );
    await arriveAndPost(raw);
    const [request] = await receiver.requests();
    // The limit of D1, which the local one does not enforce; the other columns of the row are short.
    expect(utf8(request?.body ?? "").length).toBeLessThan(1_990_000);
    const { metadata } = JSON.parse(request?.body ?? "{}") as { metadata: Record<string, unknown> };
    expect(metadata).toMatchObject({ subject: "Large", text: expect.stringMatching(/^\u0001{40000}/) });
    const [named, omitted] = [(metadata.attachments as unknown[]).length, Number(metadata.attachments_omitted)];
    expect([named > 300, named + omitted]).toEqual([true, 998]);
    expect((await eventsOf(workspace)).map(({ event }) => event)).toEqual(["stored", "forwarded"]);
  });

  it("links to files that anyone with the link can download for 24 hours, and to no other", async () => {
    const receiver = aReceiver();
    await aWebhookRule(receiver.url);
    await arriveAndPost(aRawMessage({ "Content-Type": 'multipart/mixed; boundary="b"' }, mixed("x,y\n1,2\n")));
    const [request] = await receiver.requests();
    const { url } = JSON.parse(request?.body ?? "").metadata.attachments[0] as { url: string };
    const { pathname } = new URL(url);
    const file = await apiWith(null).get(pathname);
    expect(await file.text()).toBe("x,y\n1,2\n");
    expect(file.headers.get("Content-Disposition")).toContain('attachment; filename="a.csv"');
    const changed = `${pathname.slice(0, -3)}${pathname.endsWith("AAA") ? "BBB" : "AAA"}`;
    for (const unknown of [changed, "/forwarded-files/x", `/forwarded-files/${"A".repeat(5000)}`])
      expect((await apiWith(null).get(unknown)).status, unknown.slice(0, 40)).toBe(404);
  });

  it("shows its secret only when it is made, also to a repeated call, and makes one when a rule becomes one", async () => {
    const body = { mailbox_id: workspace.mailboxId, action: { type: "webhook", target: aReceiver().url } };
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await (await rules("POST", "", body, key)).json<Rule>();
    expect(first.secret).toMatch(/^whsec_/);
    expect(await (await rules("POST", "", body, key)).json()).toEqual(first);
    expect(await (await rules("GET", first.id)).json()).not.toHaveProperty("secret");
    const moved = await rules("PATCH", first.id, { action: { type: "webhook", target: aReceiver().url } });
    expect(await moved.json()).not.toHaveProperty("secret");
    const mailbox = await rules("PATCH", first.id, { action: { type: "mailbox", target: workspace.mailboxId } });
    expect(mailbox.status).toBe(200);
    const again = await (await rules("PATCH", first.id, { action: body.action })).json<Rule>();
    expect(again.secret).toMatch(/^whsec_/);
    expect(again.secret).not.toBe(first.secret);
  });

  it("refuses a URL that is not public", async () => {
    for (const target of [
      "http://example.org/",
      "https://127.0.0.1/",
      "https://[::1]/",
      "https://169.254.169.254/",
      "no URL",
    ]) {
      const body = { mailbox_id: workspace.mailboxId, action: { type: "webhook", target } };
      const response = await workspace.post("/v1/forwarding-rules/", body);
      expect(response.status, target).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc, target).toEqual(["body", "action", "target"]);
    }
  });

  it("posts nothing after it was disabled", async () => {
    const receiver = aReceiver();
    const rule = await aWebhookRule(receiver.url);
    await arrive(workspace.mailbox, aRawMessage());
    await rules("PATCH", rule.id, { is_active: false });
    await forwardAt(workspace, collectingEgress().egress);
    await runAt(Date.now() + 1000);
    expect(await receiver.requests()).toEqual([]);
    expect(await eventsOf(workspace)).toContainEqual(expect.objectContaining({ event: "forward_failed" }));
  });

  it("shows the mail that it has posted to owners and admins who may read mail, and to no one else who has the id", async () => {
    const receiver = aReceiver();
    await aWebhookRule(receiver.url);
    await arriveAndPost(aRawMessage({}, "Only for this mailbox."));
    const [request] = await receiver.requests();
    const path = `/v1/webhook-deliveries/${request?.headers["webhook-id"]}`;
    const [admin, member] = [await aMember(workspace, "admin"), await aMember(workspace, "member")];
    for (const api of [workspace, admin]) {
      const { payload } = await (await api.get(path)).json<Delivery>();
      expect(payload.metadata.text).toContain("Only for this mailbox.");
    }
    const others = [
      member,
      await aSession({ ...workspace, userId: member.userId }),
      apiWith(await aKey(workspace, { scopes: ["webhooks:manage", "domains:manage"] })),
    ];
    for (const api of others) expect((await api.get(path)).status).toBe(403);
  });
});
