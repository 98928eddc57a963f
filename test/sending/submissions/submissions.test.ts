import PostalMime from "postal-mime";
import { beforeEach, describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { latin1 } from "../../support/outgoing-mail.ts";
import { aCredential } from "../../support/smtp-credentials.ts";
import { aGateway, aSubmitter, GATEWAY_HEADERS } from "../../support/submissions.ts";
import { apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { crlf, messagesOf } from "./support.ts";

const workspace = perTest(aWorkspace);
let other: string;
let message: ReturnType<typeof messagesOf>["message"];
let detail: ReturnType<typeof messagesOf>["detail"];
let count: ReturnType<typeof messagesOf>["count"];
let sent: ReturnType<typeof messagesOf>["sent"];

beforeEach(async () => {
  other = `second@${workspace.domain}`;
  await workspace.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "second" });
  ({ message, detail, count, sent } = messagesOf(workspace));
});

describe("the calls of the gateway", () => {
  it("need its secret", async () => {
    for (const path of ["sessions", "senders", "submissions", "submission-groups"])
      for (const headers of [
        { Authorization: "" },
        { Authorization: "Bearer " },
        { Authorization: `${GATEWAY_HEADERS.Authorization}x` },
      ])
        expect((await apiWith(workspace.apiKey).post(`/gateway/${path}`, {}, headers)).status, path).toBe(401);
    await expect(aGateway({ GATEWAY_SECRET: "" }).call("senders", {})).rejects.toThrow("401");
  });
});

describe("a login", () => {
  it("succeeds with the password of an active credential only, whatever the case of the username", async () => {
    const gateway = aGateway();
    const credential = await aCredential(workspace);
    expect((await gateway.login({ ...credential, username: credential.username.toUpperCase() })).token).toBeTruthy();
    const wrong = "535 5.7.8 The username or the password is wrong";
    expect((await gateway.login({ ...credential, password: `${credential.password}x` })).reply).toBe(wrong);
    expect((await gateway.login({ ...credential, username: `x${credential.username}` })).reply).toBe(wrong);
    await workspace.call("DELETE", `/v1/smtp-credentials/${credential.id}`);
    expect((await gateway.login(credential)).reply).toBe(wrong);
  });

  it("is refused after 10 failures from one network, and not from another one", async () => {
    const gateway = aGateway();
    const credential = await aCredential(workspace);
    for (let i = 0; i < 10; i++) await gateway.login({ ...credential, password: "wrong" }, "c", `198.51.100.${i}`);
    expect((await gateway.login(credential, "c", "198.51.100.77")).reply).toMatch(
      /^454 4\.7\.0 Too many failed logins/,
    );
    expect((await gateway.login(credential, "c", "203.0.113.5")).reply).toBeNull();
  });

  it("succeeds on 20 connections at once after the first, which do not count as guesses", async () => {
    const gateway = aGateway();
    const credential = await aCredential(workspace);
    await gateway.login(credential);
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => gateway.login(credential, `c${n}`)));
    expect(responses.map(({ reply }) => reply)).toEqual(Array(20).fill(null));
    await workspace.call("DELETE", `/v1/smtp-credentials/${credential.id}`);
    expect((await gateway.login(credential)).reply).toMatch(/^535 5\.7\.8/);
  });

  it("gives a token that ends with the credential, at MAIL FROM and at the message", async () => {
    const { gateway, token, submit, credential } = await aSubmitter(workspace);
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toBeNull();
    await workspace.call("DELETE", `/v1/smtp-credentials/${credential.id}`);
    expect((await gateway.checkSender(token, workspace.mailbox)).reply).toMatch(/^535 5\.7\.8/);
    expect((await submit(message())).reply).toMatch(/^535 5\.7\.8/);
    expect((await gateway.checkSender(`${token}x`, workspace.mailbox)).reply).toMatch(/^421 4\.7\.0/);
    expect(await count()).toBe(0);
  });
});

describe("MAIL FROM and header From", () => {
  it("may be different mailboxes of the domain", async () => {
    const { submit, gateway, token } = await aSubmitter(workspace);
    expect((await gateway.checkSender(token, other)).reply).toBeNull();
    expect((await submit(message({ From: other }))).reply).toBeNull();
    expect((await detail((await submit(message({ From: `"A, B" <${other}>` }))).id)).from_address).toBe(
      `"A, B" <${other}>`,
    );
  });

  it("must each be an active mailbox of the credential's domain", async () => {
    const foreign = await aWorkspace();
    const { submit, gateway, token } = await aSubmitter(workspace);
    await workspace.call(
      "PATCH",
      `/v1/mailboxes/${(await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "off" })).id}`,
      { is_active: false },
    );
    const refused = [
      foreign.mailbox,
      `nobody@${workspace.domain}`,
      `off@${workspace.domain}`,
      `hello+x@${workspace.domain}`,
    ];
    for (const address of refused) {
      expect((await gateway.checkSender(token, address)).reply, address).toMatch(/^550 5\.7\.1/);
      expect((await gateway.submit(token, address, ["a@example.org"], message())).reply, address).toMatch(
        /^550 5\.7\.1/,
      );
      expect((await submit(message({ From: address }))).reply, address).toMatch(/^550 5\.7\.1/);
    }
    for (const address of ["", "nonsense", "a@b@c"])
      expect((await gateway.checkSender(token, address)).reply, address).toMatch(/^553 5\.1\.7/);
    expect(await count()).toBe(0);
  });

  it("are refused where two readers could see different senders", async () => {
    const { submit } = await aSubmitter(workspace);
    const good = workspace.mailbox;
    const froms = [
      `${good}, boss@bank.example`,
      `boss@bank.example <${good}>`,
      `Group: ${good};`,
      `<${good}> <boss@bank.example>`,
      `${good} (comment) boss@bank.example`,
      `"${good}"`,
      "",
    ];
    for (const From of froms) expect((await submit(message({ From }))).reply, From).toMatch(/^55[04] 5\.[67]\.[01]/);
    const twice = `From: boss@bank.example\r\n${message()}`;
    expect((await submit(twice)).reply).toBe("554 5.6.0 the header has more than one from field");
    expect(await count()).toBe(0);
  });
});

describe("an accepted message", () => {
  it("leaves byte for byte, without Bcc, with Message-ID, Date and two DKIM signatures", async () => {
    const { submit } = await aSubmitter(workspace);
    const body = crlf("  leading\n.dot\n..dots\nsüß \n\n\n");
    const text = message({ Bcc: "secret@example.org", "X-Odd": "  kept  \n\tfolded " }, body);
    const { id } = await submit(text, ["friend@example.org", "secret@example.org"]);
    const { unsigned, raw } = await sent(id);
    const expected = latin1(new TextEncoder().encode(text)).replace(/Bcc:.*\r\n/, "");
    const head = expected.slice(0, expected.indexOf("\r\n\r\n") + 2);
    expect(unsigned.startsWith(head)).toBe(true);
    expect(unsigned.slice(head.length)).toMatch(/^Message-ID: <[0-9a-f-]+@[^>]+>\r\nDate: .+ \+0000\r\n\r\n/);
    expect(unsigned.endsWith(expected.slice(head.length))).toBe(true);
    expect(raw.match(/^DKIM-Signature:/gm)).toHaveLength(2);
    expect(raw).not.toContain("secret@example.org");
  });

  it("leaves with long lines of its header folded between their words, and no word lost", async () => {
    const { submit } = await aSubmitter(workspace);
    const references = Array.from({ length: 40 }, (_, n) => `<${n}.${"x".repeat(40)}@example.org>`);
    const { id } = await submit(message({ References: references.join(" ") }));
    const { unsigned } = await sent(id);
    expect((await PostalMime.parse(unsigned)).references).toBe(references.join(" "));
    const lines = unsigned.slice(0, unsigned.indexOf("\r\n\r\n")).split("\r\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect(unsigned.match(/^References: <0\.x/m)).not.toBeNull();
  });

  it("keeps the Message-ID and Date of the client, in the record too", async () => {
    const { submit } = await aSubmitter(workspace);
    const head = { "Message-ID": "<own@client.example>", Date: "Sat, 21 Nov 2026 20:00:00 +0100" };
    const { id } = await submit(message(head));
    expect((await detail(id)).message_id).toBe("<own@client.example>");
    const { unsigned } = await sent(id);
    expect(unsigned).toBe(message(head));
  });

  it("leaves without fields that are the service's, a receiver's or another sender's to write", async () => {
    const { submit } = await aSubmitter(workspace);
    const own = { "Message-ID": "<a@b>", Date: "x" };
    const foreign = {
      "Return-Path": "<boss@bank.example>",
      Sender: "Boss <boss@bank.example>",
      "Authentication-Results": "mx.example.org;\n\tdkim=pass",
      "Idempotency-Key": "order-8",
      "return-path": "<a@b>",
      "AUTHENTICATION-RESULTS": "x; spf=pass",
    };
    const { id } = await submit(message({ ...own, ...foreign }));
    expect((await sent(id)).unsigned).toBe(message(own));
    expect((await detail(id)).headers).toEqual({});
  });

  it("keeps a Sender that is the author or the envelope sender, and no other, nor several", async () => {
    const { gateway, token } = await aSubmitter(workspace);
    const kept = async (Sender: string) => {
      const text = message({ Sender, "X-Of": Sender });
      const { id } = await gateway.submit(token, other, ["friend@example.org"], text);
      return (await sent(id)).unsigned.includes(`Sender: ${Sender}\r\n`);
    };
    expect(await kept(workspace.mailbox)).toBe(true);
    expect(await kept(`"The office" <${other.toUpperCase()}>`)).toBe(true);
    expect(await kept(`third@${workspace.domain}`)).toBe(false);
    expect(await kept(`${workspace.mailbox}, boss@bank.example`)).toBe(false);
  });

  it("is the same mail as by the API: source, recipients by header, subject, text, events, search", async () => {
    const { submit } = await aSubmitter(workspace);
    const Subject = "=?utf-8?B?R3LDvMOfZQ==?= aus\n =?iso-8859-1?Q?K=F6ln?=";
    const to = ["friend@example.org", "copy@example.org", "hidden@example.org", "FRIEND@example.org"];
    const { id } = await submit(message({ Subject, Cc: '"Co, Py" <copy@example.org>', "X-Order": "7" }), to);
    const found = await detail(id);
    expect(found).toMatchObject({
      source: "smtp",
      status: "queued",
      subject: "Grüße aus Köln",
      to_addresses: [expect.stringMatching(/^friend@example.org$/i)],
      cc_addresses: ["copy@example.org"],
      bcc_addresses: ["hidden@example.org"],
      text_body: "Hello.\r\n",
      html_body: null,
      headers: { "X-Order": "7" },
    });
    const listed = await (await workspace.get("/v1/emails/search?q=Köln")).json();
    expect(JSON.stringify(listed)).toContain(id);
    await sent(id);
    expect((await detail(id)).events.map(({ event_type }) => event_type)).toEqual([
      "queued",
      "delivered",
      "delivered",
      "delivered",
    ]);
  });

  it("drops suppressed recipients, and is rejected when all are", async () => {
    const { submit } = await aSubmitter(workspace);
    await workspace.post("/v1/suppressions/", { email: "gone@example.org" });
    const { id } = await submit(message(), ["friend@example.org", "gone@example.org"]);
    expect((await sent(id)).rcpts.join()).toMatch(/^[^,]*<friend@example.org>[^,]*$/);
    const all = await submit(message(), ["gone@example.org"]);
    expect(await detail(all.id)).toMatchObject({
      status: "rejected",
      events: [{ event_type: "suppressed" }, { event_type: "rejected" }],
    });
  });

  it("shows text, HTML and attachments of a multipart, also when it is large", async () => {
    const { submit } = await aSubmitter(workspace);
    const file = btoa("x".repeat(57)).concat("\n").repeat(1_000);
    const body = [
      '--b\nContent-Type: multipart/alternative; boundary="c"\n\n--c\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nK=F6ln\n',
      "--c\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\nPHA+SGFsbG88L3A+\n--c--\n",
      `--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\nContent-Transfer-Encoding: base64\n\n${file}--b--\n`,
    ].join("");
    const text = message(
      { "MIME-Version": "1.0", "Content-Type": 'multipart/mixed; boundary="b"', Date: "x", "Message-ID": "<a@b>" },
      body,
    );
    const { id } = await submit(text);
    expect(await detail(id)).toMatchObject({ text_body: "Köln", html_body: "<p>Hallo</p>" });
    const { unsigned } = await sent(id);
    expect(unsigned).toBe(text);
    expect((await PostalMime.parse(unsigned)).attachments[0]?.content).toHaveProperty("byteLength", 57_000);
  });

  it("is retried as it is, to the recipients that bounced", async () => {
    const { submit } = await aSubmitter(workspace);
    const text = message({ Date: "x", "Message-ID": "<a@b>" }, "x\n".repeat(20_000));
    const { id } = await submit(text, ["friend@example.org", "bounced@simulator.test"]);
    await sent(id);
    const { id: retry } = await workspace.create(`/v1/emails/${id}/retry`, undefined);
    expect(await detail(retry)).toMatchObject({
      source: "smtp",
      message_id: "<a@b>",
      text_body: crlf("x\n".repeat(20_000)),
    });
  });
});

describe("the same message again", () => {
  const head = { "Message-ID": "<one@client.example>" };

  it("within 10 minutes on another connection is the same email: the response to the first was lost", async () => {
    const { credential, submit, gateway } = await aSubmitter(workspace);
    const first = await submit(message(head));
    const { token = "" } = await gateway.login(credential, "c2");
    const again = await gateway.submit(token, workspace.mailbox, ["friend@example.org"], message(head));
    expect(again).toEqual(first);
    const others = await gateway.submit(token, workspace.mailbox, ["other@example.org"], message(head));
    expect(others.id).not.toBe(first.id);
    await database.run("UPDATE idempotency_keys SET created_at = created_at - 600001 WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    const { token: later = "" } = await gateway.login(credential, "c3");
    expect((await gateway.submit(later, workspace.mailbox, ["friend@example.org"], message(head))).id).not.toBe(
      first.id,
    );
    expect(await count()).toBe(3);
  });

  it("on the same connection is a second email once its client has the response to the first, and not before", async () => {
    const { gateway, token } = await aSubmitter(workspace);
    const ids = [];
    for (const sequence of [0, 1, 1, 2]) {
      const text = message();
      const to = ["friend@example.org"];
      ids.push((await gateway.submit(token, workspace.mailbox, to, text, "\0end", sequence)).id);
    }
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe(ids[2]);
  });

  it("after the client said QUIT is a second email: it has received the response", async () => {
    const { credential, submit, gateway, token } = await aSubmitter(workspace);
    const first = await submit(message(head));
    await gateway.confirm(token, [first.repeat]);
    const { token: next = "" } = await gateway.login(credential, "c2");
    const again = await gateway.submit(next, workspace.mailbox, ["friend@example.org"], message(head));
    expect(again.id).not.toBe(first.id);
  });

  it("after a lost response was repeated is a second email on that connection, and on others once its client said QUIT", async () => {
    const { credential, submit, gateway } = await aSubmitter(workspace);
    const { token: c2 = "" } = await gateway.login(credential, "c2");
    const { token: c3 = "" } = await gateway.login(credential, "c3");
    const send = (token: string, sequence: number) =>
      gateway.submit(token, workspace.mailbox, ["friend@example.org"], message(head), "\0end", sequence);
    const lost = await submit(message(head));
    expect((await send(c2, 0)).id).toBe(lost.id);
    const second = await send(c2, 1);
    expect(second.id).not.toBe(lost.id);
    expect((await send(c3, 0)).id).toBe(second.id);
    await gateway.confirm(c3, [second.repeat], "c3");
    const { token: c4 = "" } = await gateway.login(credential, "c4");
    const third = await send(c4, 0);
    expect([lost.id, second.id]).not.toContain(third.id);
    expect(await count()).toBe(3);
  });

  it("is remembered for the newest of many connections that it was repeated on, in a bounded row", async () => {
    const { credential, submit, gateway } = await aSubmitter(workspace);
    const first = await submit(message(head));
    const repeat = async (connection: string) => {
      const { token = "" } = await gateway.login(credential, connection);
      const { id } = await gateway.submit(token, workspace.mailbox, ["friend@example.org"], message(head));
      return { token, id };
    };
    const repeats = [];
    for (let n = 0; n < 20; n++) repeats.push(await repeat(`again${n}`));
    expect(new Set(repeats.map(({ id }) => id))).toEqual(new Set([first.id]));
    const stored = await database.row<{ size: number }>(
      "SELECT length(answer) AS size FROM idempotency_keys WHERE workspace = ?1",
      [workspace.workspaceNumber],
    );
    expect(stored?.size).toBeLessThan(1_500);
    await gateway.confirm(repeats.at(-1)?.token ?? "", [first.repeat], "again19");
    expect((await repeat("later")).id).not.toBe(first.id);
  });

  it("with its own Idempotency-Key is the same email, with another recipient an error", async () => {
    const { submit } = await aSubmitter(workspace);
    const keyed = (body: string) => message({ "Idempotency-Key": "order-7" }, body);
    const first = await submit(keyed("Hello.\n"));
    expect(await submit(keyed("Hello again.\n"))).toEqual(first);
    expect((await submit(keyed("Hello.\n"), ["other@example.org"])).reply).toMatch(/^554 5\.5\.0/);
    expect(await count()).toBe(1);
  });

  it("20 times at once is one email", async () => {
    const { credential, gateway } = await aSubmitter(workspace);
    const { token = "" } = await gateway.login(credential, "c2");
    const text = message({ "Idempotency-Key": "once" });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => gateway.submit(token, workspace.mailbox, ["friend@example.org"], text)),
    );
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(await count()).toBe(1);
  });
});
