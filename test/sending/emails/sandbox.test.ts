/** Mail of a test domain, and its recipients (docs/contract/emails.md#test-domain). */
import { beforeEach, describe, expect, it } from "vitest";
import { composeSource } from "../../../src/sending/delivery/prepare/source.ts";
import { callerContext } from "../../support/accept-email.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { accepted, readEmail, scheduleEmail } from "../../support/emails.ts";
import { PASSWORD } from "../../support/hashed-password.ts";
import { latin1 } from "../../support/outgoing-mail.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSandbox, contextOf, endMembership, SANDBOX, type Sandbox } from "../../support/sandbox.ts";
import { sentBy } from "../../support/smtp-control.ts";
import { insertCredential } from "../../support/smtp-credentials.ts";
import { pathIn } from "../../support/smtp-path.ts";
import { aGateway } from "../../support/submissions.ts";
import { insertDomain } from "../../support/transfers.ts";
import { aMail, aMember, apiOn, aWorkspace, discardingQueue } from "../../support/workspace.ts";

let workspace: Sandbox;

beforeEach(async () => {
  workspace = await aSandbox();
});

const toOwner = (changes: Record<string, unknown> = {}) =>
  aMail(workspace, { to: [{ email: workspace.email }], ...changes });
const send = (changes: Record<string, unknown> = {}) => workspace.post("/v1/emails/", toOwner(changes));
const strangers = (...emails: string[]) =>
  emails.map((email) => ({
    loc: ["body", "to"],
    msg: `${email} is no member of this workspace, and the test domain ${workspace.domain} sends to members only; add a domain of your own`,
    type: "recipient_not_allowed",
  }));

/** Delivers what is due after `ms` and returns the messages that left from the test domain, each with its recipients. */
async function deliverAll(ms = 0): Promise<{ raw: string; rcpts: string[] }[]> {
  const messages = await sentBy((EGRESS_URL) => runOutboxAt(Date.now() + ms, { ...SANDBOX, EGRESS_URL }));
  return messages
    .map(({ raw, rcpts }) => ({ raw: latin1(raw), rcpts }))
    .filter(({ raw }) => raw.includes(`@${workspace.domain}`));
}

describe("the recipients of a test domain", () => {
  it("are members of the workspace by to, cc and bcc, whatever the case of their addresses", async () => {
    const member = await aMember(workspace, "member");
    const cc = [{ email: member.email.toUpperCase() }];
    await accepted(await send({ to: [{ email: workspace.email.toUpperCase() }], cc, bcc: cc }));
    const rcpts = (await deliverAll()).flatMap((message) => message.rcpts);
    expect(rcpts.map((rcpt) => pathIn(rcpt.toLowerCase())).sort()).toEqual([member.email, workspace.email].sort());
  });

  it("are refused as a 422 for each that is no member: strangers, plus-addresses, members of other workspaces, the simulator", async () => {
    const other = await aSandbox();
    const plus = workspace.email.replace("@", "+x@");
    const response = await send({
      to: [{ email: workspace.email }, { email: "a@example.org" }, { email: plus }, { email: other.email }],
      bcc: [{ email: "delivered@simulator.test" }],
    });
    const [bcc] = strangers("delivered@simulator.test");
    expect([response.status, await response.json()]).toEqual([
      422,
      { detail: [...strangers("a@example.org", plus, other.email), { ...bcc, loc: ["body", "bcc"] }] },
    ]);
    expect(await database.row("SELECT 1 FROM emails WHERE workspace = ?1", [workspace.workspaceNumber])).toBeNull();
  });

  it("are an issue of a validation, and the fault of their item in a batch", async () => {
    const stranger = toOwner({ to: [{ email: "a@example.org" }] });
    const [{ msg = "" } = {}] = strangers("a@example.org");
    const validation = await workspace.post("/v1/emails/validate", stranger);
    expect(await validation.json()).toEqual({
      valid: false,
      can_send: false,
      issues: [{ field: "to", error: `to: ${msg}` }],
    });
    const batch = await workspace.post("/v1/emails/batch", [toOwner(), stranger]);
    expect([batch.status, await batch.json()]).toMatchObject([
      202,
      {
        sent: 1,
        failed: 1,
        results: [{ status: "queued" }, { id: null, status: "error", rejection_reason: `to: ${msg}` }],
      },
    ]);
    expect((await workspace.post("/v1/emails/batch", [stranger], { "X-Batch-Mode": "strict" })).status).toBe(422);
  });

  it("hold for webmail, for templates, for the Resend API and for a retry too", async () => {
    const inbox = (email: string) =>
      workspace.post(`/v1/inbox/${workspace.mailboxId}/send`, { to: [email], subject: "S", text: "T" });
    expect((await inbox("a@example.org")).status).toBe(422);
    await accepted(await inbox(workspace.email));
    const template = { name: "T", subject: "Hello", text_body: "Hello" };
    const { id: templateId } = await workspace.create("/v1/templates/", template);
    const of = (email: string) => ({
      ...toOwner(),
      to: [{ email }],
      subject: undefined,
      text: undefined,
      template_id: templateId,
    });
    await accepted(await workspace.post("/v1/emails/", of(workspace.email)));
    expect((await workspace.post("/v1/emails/", of("a@example.org"))).status).toBe(422);
    const resend = { from: workspace.mailbox, to: ["a@example.org"], subject: "S", text: "T" };
    expect((await workspace.post("/compat/resend/emails", resend)).status).toBe(422);
    expect((await workspace.post("/compat/resend/emails", { ...resend, to: [workspace.email] })).status).toBe(200);
    const member = await aMember(workspace, "member");
    const { id } = await accepted(await send({ to: [{ email: member.email }] }));
    await endMembership(workspace, member.userId);
    await deliverAll();
    expect((await workspace.post(`/v1/emails/${id}/retry`, undefined)).status).toBe(422);
  });

  it("are checked again at dispatch: without one of them the whole email is failed, also a scheduled one", async () => {
    const member = await aMember(workspace, "member");
    const to = [{ email: workspace.email }, { email: member.email }];
    const { id: queued } = await accepted(await send({ to }));
    const scheduled = await scheduleEmail(workspace, workspace, 3_600_000, { to });
    const { id: kept } = await accepted(await send());
    const later = await scheduleEmail(workspace, workspace, 3_600_000, { to: [{ email: workspace.email }] });
    await endMembership(workspace, member.userId);
    expect(await deliverAll(3_700_000)).toHaveLength(2);
    for (const id of [queued, scheduled]) {
      const { status, events } = await readEmail(workspace, id);
      expect(status).toBe("failed");
      expect(JSON.stringify(events)).toContain("a recipient is no member of the workspace any more");
    }
    for (const id of [kept, later]) expect((await readEmail(workspace, id)).status).toMatch(/^(sent|delivered)$/);
  });
});

describe("the line in the mail of a test domain", () => {
  const line = (name: string) =>
    `Sent from a test domain of Email service. It reaches only members of the workspace ${name}.`;

  /** Returns the message of an email as its source shows it. */
  async function sourceOf(of: Sandbox, content: Record<string, unknown>): Promise<string> {
    const mailOf = aMail(of, { to: [{ email: of.email }], text: undefined, ...content });
    const { id } = await accepted(await of.post("/v1/emails/", mailOf));
    const { chunks } = await composeSource(await callerContext(contextOf(), of), id);
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks()) parts.push(chunk.slice());
    return (await new Blob(parts).text()).replace(/=\r\n/g, "").replace(/=3D/g, "=").replace(/\r\n/g, "\n");
  }

  it("ends the text, and is the last of the body of the HTML, in mail that has either or both", async () => {
    const text = await sourceOf(workspace, { text: "Hello." });
    expect(text).toContain(`Hello.\n\n${line("Acme")}\n`);
    const html = await sourceOf(workspace, { html: "<html><body><p>Hi</p></body></html>" });
    expect(html).toContain(`<p>Hi</p><p style="font:13px sans-serif;color:#5d5953">${line("Acme")}</p></body></html>`);
    const both = await sourceOf(workspace, { text: "Hello.", html: "<p>Hi</p>" });
    expect(both).toContain(`Hello.\n\n${line("Acme")}\n`);
    expect(both).toMatch(/<p>Hi<\/p><p style=[^>]*>Sent from a test domain/);
  });

  it("escapes the name of the workspace in HTML, and is in no mail of another domain", async () => {
    const named = await aSandbox({ name: "A <b>& Co</b>" });
    expect(await sourceOf(named, { html: "<p>Hi</p>" })).toContain(line("A &lt;b&gt;&amp; Co&lt;/b&gt;"));
    const own = await insertDomain(workspace);
    const mailbox = `me@${own.name}`;
    const insert =
      "INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, created_at) VALUES (?1, ?2, ?3, 'me', ?4, 0)";
    await database.prepare(insert).bind(crypto.randomUUID(), workspace.workspaceNumber, own.id, mailbox).run();
    const other = { ...workspace, mailbox };
    expect(await sourceOf(other, { text: "Hello.", to: [{ email: "anyone@example.org" }] })).not.toContain(
      "test domain",
    );
  });

  it("leaves with the message, which is signed for the test domain", async () => {
    await accepted(await send());
    const [message] = await deliverAll();
    expect(message?.raw).toContain("It reaches only members of the workspace Acme.");
    expect(message?.raw).toMatch(new RegExp(`DKIM-Signature: [^]*d=${workspace.domain};`));
  });
});

describe("the ways to send from a test domain", () => {
  it("are neither bulk sends, broadcasts, nor automations, nor confirmations of a list", async () => {
    const { id: list } = await workspace.create("/v1/contacts/", { name: "A list" });
    await workspace.post(`/v1/contacts/${list}/contacts`, { email: workspace.email });
    const draft = { name: "News", subject: "News", text_body: "Hello", from_address: workspace.mailbox };
    const { id } = await workspace.create("/v1/broadcasts/", { ...draft, contact_list_id: list });
    const bulk = { contact_list_id: list, mailbox_id: workspace.mailboxId, subject: "News", html: "<p>Hello</p>" };
    const step = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello", text: "Hello" };
    const automation = { name: "A", trigger: { event: "signed_up" }, steps: [step] };
    const { id: automationId } = await workspace.create("/v1/automations/", automation);
    const responses = [
      await workspace.post(`/v1/broadcasts/${id}/send`, undefined),
      await workspace.post(`/v1/broadcasts/${id}/test`, { to: [workspace.email] }),
      await workspace.post(`/v1/contacts/${list}/send`, bulk),
      await workspace.call("PATCH", `/v1/contacts/${list}`, { confirm_mailbox_id: workspace.mailboxId }),
      await workspace.post(`/v1/automations/${automationId}/activate`, undefined),
    ];
    const texts = await Promise.all(responses.map(async (response) => `${response.status} ${await response.text()}`));
    for (const text of texts) expect(text).toMatch(/^422 .*sends single emails by the API and the pages only/s);
  });

  it("are not SMTP, by a credential of another domain or a password of the mailbox", async () => {
    const refused = `550 5.7.1 The test domain ${workspace.domain} sends single emails by the API and the pages only`;
    const gateway = aGateway(SANDBOX);
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password: PASSWORD });
    const { token = "" } = await gateway.login({ username: workspace.mailbox, password: PASSWORD });
    expect(token).not.toBe("");
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toBe(refused);
    const text = `From: ${workspace.mailbox}\r\nTo: ${workspace.email}\r\nSubject: S\r\n\r\nHello\r\n`;
    expect((await gateway.submit(token, workspace.mailbox, [workspace.email], text)).reply).toMatch(/^5/);
    const login = await insertCredential(workspace, { domain_id: workspace.domainId });
    const { token: other = "" } = await gateway.login(login);
    expect((await gateway.submit(other, workspace.mailbox, [workspace.email], text)).reply).toMatch(/^5/);
  });

  it("are 50 emails a day: the 51st is a 429, and the next day takes more", async () => {
    const batch = (count: number) => Array.from({ length: count }, () => toOwner());
    expect((await workspace.post("/v1/emails/batch", batch(49))).status).toBe(202);
    await accepted(await send());
    const response = await send();
    expect([response.status, await response.text()]).toEqual([
      429,
      expect.stringContaining("The limit of this workspace is 50 emails a day, of which 50 were accepted today"),
    ]);
    expect((await workspace.post("/v1/emails/batch", batch(1))).status).toBe(429);
    await database.run("UPDATE shard_workspaces SET day = day - 1 WHERE number = ?1", [workspace.workspaceNumber]);
    await database.run("UPDATE emails SET created_at = created_at - 86400000 WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    await accepted(await send());
  });
});

it("an accept reads no member for an ordinary domain, and calls D1 as often for a test domain", async () => {
  const trips = async (of: { apiKey: string }, body: unknown) => {
    const counted = countingDb();
    const api = apiOn({ ...SANDBOX, ...counted.bindings, WORK: discardingQueue }, of.apiKey);
    await api.get("/v1/me");
    counted.trips.length = 0;
    await accepted(await api.post("/v1/emails/", body));
    return counted.trips.length;
  };
  const ordinary = await aWorkspace();
  expect(await trips(workspace, toOwner())).toBe(await trips(ordinary, aMail(ordinary)));
});
