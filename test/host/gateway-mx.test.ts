/** Mail from outside through the mail gateway (MX): bounces, mail for hosted mailboxes, and a spam filter. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startLocalDns } from "../../dev/dns/local.ts";
import { dkimRecord, generateDkimKeyPair } from "../../src/mail/dkim/keys.ts";
import { signMessage } from "../../src/mail/dkim/sign.ts";
import { composeRaw } from "../../src/mail/raw/compose.ts";
import { type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { collect } from "./support/read-back.ts";
import { RspamdServer } from "./support/rspamd-server.ts";
import { SmtpClient } from "./support/smtp-client.ts";

let rig: GatewayRig;
let sender: string;
let rspamd: RspamdServer;
let dns: Awaited<ReturnType<typeof startLocalDns>>;
const provider = await generateDkimKeyPair("rsa-sha256");

beforeAll(async () => {
  rspamd = await RspamdServer.start();
  dns = await startLocalDns(0, async () => [], undefined, [
    { type: "TXT", name: "s._domainkey.provider.test", value: dkimRecord("rsa-sha256", provider.publicKey) },
    { type: "TXT", name: "ok.example", value: "v=spf1 ip4:127.0.0.1 -all" },
    { type: "TXT", name: "bank.exam", value: "v=spf1 ip4:127.0.0.1 -all" },
    { type: "TXT", name: "_dmarc.ok.example", value: "v=DMARC1; p=none" },
    { type: "TXT", name: "_dmarc.bank.exam", value: "v=DMARC1; p=reject" },
    { type: "TXT", name: "_dmarc.bank.example", value: "v=DMARC1; p=reject" },
  ]);
  rig = await startRig(
    "inbound.test",
    {},
    { rspamdUrl: rspamd.url, dnsResolverUrl: `http://127.0.0.1:${dns.port}/dns-query` },
  );
  sender = rig.seed.mailbox;
}, 120_000);
afterAll(async () => {
  await rig?.close();
  rspamd?.stop();
  await dns?.close();
});
beforeEach(() => {
  rspamd.response = "no action";
});

/** Sends a message to the seeded mailbox from outside and returns the reply. */
const receive = (bytes: string, ...to: string[]) => receiveAt(rig.ports.mx, bytes, ...to);

const receiveAt = (port: number, bytes: string, ...to: string[]) => receiveFrom("ada@example.org", port, bytes, ...to);

async function receiveFrom(from: string, port: number, bytes: string, ...to: string[]): Promise<string> {
  const mx = await SmtpClient.connect(port);
  await mx.command("EHLO mail.example.org");
  expect(await mx.begin(from, ...(to.length > 0 ? to : [sender]))).toMatch(/^354/);
  mx.write(`${bytes}\r\n.\r\n`);
  const reply = await mx.reply();
  mx.end();
  return reply;
}

async function listFolder(folder: string) {
  const path = `/v1/inbox/${rig.seed.mailboxId}/messages?folder=${folder}`;
  const { items } = (await rig.api("GET", path)) as { items: { uid: number; subject: string }[] };
  return items;
}

async function readRaw(uid: number | undefined, folder = "INBOX"): Promise<string> {
  const path = `/v1/inbox/${rig.seed.mailboxId}/messages/${uid}/raw?folder=${folder}`;
  const response = await fetch(`${rig.host.url}${path}`, { headers: { Authorization: `Bearer ${rig.seed.apiKey}` } });
  return response.text();
}

/** Submits an email and returns its id and its return path. */
async function submitted(recipient: string, subject: string): Promise<{ id: string; from: string }> {
  const client = await SmtpClient.loggedIn(rig);
  await client.begin(sender, recipient);
  client.write(`From: ${sender}\r\nTo: ${recipient}\r\nSubject: ${subject}\r\n\r\nx\r\n.\r\n`);
  const [, id = ""] = /Queued as (\S+)/.exec(await client.reply()) ?? [];
  client.end();
  const find = () => rig.sent.find(({ raw }) => raw.includes(`Subject: ${subject}`))?.from;
  await expect.poll(find).toBeDefined();
  return { id, from: find() ?? "" };
}

describe("a bounce through MX", () => {
  it("becomes an event of the email it is about, once however often it comes", async () => {
    const { id, from } = await submitted("gone@example.org", "to bounce");
    const report = `From: MAILER-DAEMON@example.org\r\nAuthentication-Results: mx.gateway.test; dkim=pass\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nFailed.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n\r\nFinal-Recipient: rfc822; gone@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n.\r\n`;
    for (let i = 0; i < 2; i++) {
      const mx = await SmtpClient.connect(rig.ports.mx);
      await mx.command("EHLO mail.example.org");
      expect(await mx.begin("", from)).toMatch(/^354/);
      mx.write(report);
      expect(await mx.reply()).toMatch(/^250 /);
      mx.end();
    }
    const found = (await rig.api("GET", `/v1/emails/${id}`)) as { status: string; events: { event_type: string }[] };
    expect(found.status).toBe("bounced");
    expect(found.events.filter(({ event_type }) => event_type === "bounced")).toHaveLength(1);
  });
});

describe("a complaint by RFC 9477 through MX", () => {
  const eventsOf = async (id: string) => {
    const { events } = (await rig.api("GET", `/v1/emails/${id}`)) as { events: { event_type: string }[] };
    return events.map(({ event_type }) => event_type);
  };

  /** Returns a report that its provider has signed, without its last line end. */
  async function signedReport(from: string): Promise<string> {
    const head = `From: fbl@provider.test\r\nTo: cfbl@bounces.mail.test\r\nSubject: complaint\r\nDate: Sat, 21 Nov 2026 14:00:00 +0000\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n`;
    const body = `--b\r\n\r\nA complaint.\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\nUser-Agent: FBL/1\r\nOriginal-Mail-From: <${from}>\r\n--b--\r\n`;
    const key = {
      id: crypto.randomUUID(),
      selector: "s",
      algorithm: "rsa-sha256" as const,
      pkcs8: () => provider.pkcs8,
    };
    const composed = composeRaw({ head, isEightBit: false }, Buffer.from(body));
    const signed = await signMessage(composed, [key], { domain: "provider.test", now: new Date() });
    return Buffer.from(await collect(signed.chunks()))
      .toString("latin1")
      .trimEnd();
  }

  it("counts when the gateway finds its signature valid, and not when it was changed or has none", async () => {
    const { id, from } = await submitted("unwilling@example.org", "to complain about");
    const report = await signedReport(from);
    const unsigned = report.slice(report.indexOf("From: fbl@"));
    for (const text of [unsigned, report.replace("A complaint.", "A Complaint.")]) {
      expect(await receive(text, "cfbl@bounces.mail.test")).toMatch(/^250 /);
      expect(await eventsOf(id)).not.toContain("complained");
    }
    for (let i = 0; i < 2; i++) expect(await receive(report, "cfbl@bounces.mail.test")).toMatch(/^250 /);
    expect((await eventsOf(id)).filter((type) => type === "complained")).toHaveLength(1);
  });
});

describe("mail for a hosted mailbox through MX", () => {
  it("arrives once however often it comes, with trace fields of the gateway and none that claim to be", async () => {
    const bytes =
      "Authentication-Results: mx.gateway.test; dkim=pass\r\nFrom: ada@example.org\r\nSubject: To the inbox\r\nMessage-ID: <in@example.org>\r\n\r\nHello.";
    for (let i = 0; i < 2; i++) expect(await receive(bytes)).toMatch(/^250 /);
    const items = await listFolder("INBOX");
    expect(items.map(({ subject }) => subject)).toEqual(["To the inbox"]);
    const raw = await readRaw(items[0]?.uid);
    expect(raw).toMatch(
      /^X-Spam-Status: No, score=1.50 required=15.00\r\nReceived-SPF: [\s\S]*\r\nAuthentication-Results: mx\.gateway\.test;[\s\S]*\r\nReceived: from mail\.example\.org \(\[127\.0\.0\.1\]\)\r\n by mx\.gateway\.test/,
    );
    expect(raw.match(/^Authentication-Results:/gm)).toHaveLength(1);
    expect(
      raw.endsWith(
        "\r\nFrom: ada@example.org\r\nSubject: To the inbox\r\nMessage-ID: <in@example.org>\r\n\r\nHello.\r\n",
      ),
    ).toBe(true);
  });
});

describe("a path with a quoted local part (RFC 5321 4.1.2)", () => {
  it.each([
    ["with a blank", '<"john doe"@example.org>', 'envelope-from="\\"john doe\\"@example.org"'],
    ["with an at sign", '<"a@b"@example.org>', 'envelope-from="\\"a@b\\"@example.org"'],
    ["with two dots", '<"a..b"@example.org>', 'envelope-from="a..b@example.org"'],
    [
      "with angle brackets, a quote and a parameter",
      '<"a>\\"<b"@example.org> BODY=8BITMIME',
      String.raw`envelope-from="\"a>\\\"<b\"@example.org"`,
    ],
    ["without need", '<@relay.example:"ann"@example.org>', 'envelope-from="ann@example.org"'],
  ])("%s is taken as a sender, and kept", async (subject, path, kept) => {
    const mx = await SmtpClient.connect(rig.ports.mx);
    await mx.command("EHLO mail.example.org");
    expect(await mx.command(`MAIL FROM:${path}`)).toMatch(/^250/);
    expect(await mx.command(`RCPT TO:<"${sender.replace("@", '"@')}>`)).toMatch(/^250/);
    expect(await mx.command("DATA")).toMatch(/^354/);
    mx.write(`From: ann@ok.example\r\nSubject: Quoted ${subject}\r\n\r\nx\r\n.\r\n`);
    expect(await mx.reply()).toMatch(/^250/);
    mx.end();
    const stored = (await listFolder("INBOX")).find((item) => item.subject === `Quoted ${subject}`);
    expect(await readRaw(stored?.uid)).toContain(kept);
  });

  it.each(["<a..b@example.org>", '<"a"b@example.org>', '<"a@example.org>', `<"${"a".repeat(250)}"@example.org>`])(
    "is refused where it is none: %s",
    async (path) => {
      const mx = await SmtpClient.connect(rig.ports.mx);
      await mx.command("EHLO mail.example.org");
      expect(await mx.command(`MAIL FROM:${path}`)).toMatch(/^501/);
      mx.end();
    },
  );

  it("writes no result into the fields of the gateway", async () => {
    const mx = await SmtpClient.connect(rig.ports.mx);
    await mx.command("EHLO mail.example.org");
    expect(await mx.command('MAIL FROM:<"a; dmarc=pass (x"@ok.example>')).toMatch(/^250/);
    expect(await mx.command(`RCPT TO:<${sender}>`)).toMatch(/^250/);
    expect(await mx.command("DATA")).toMatch(/^354/);
    mx.write("From: ceo@bank.example\r\nSubject: Quoted result\r\n\r\nx\r\n.\r\n");
    expect(await mx.reply()).toMatch(/^250/);
    mx.end();
    const stored = (await listFolder("Spam")).find((item) => item.subject === "Quoted result");
    const raw = await readRaw(stored?.uid, "Spam");
    // Quoted strings and comments may have any text (RFC 8601 2.2).
    const results = raw.replace(/"(?:[^"\\]|\\.)*"|\((?:[^)\\]|\\.)*\)/g, "");
    expect(results.match(/(?<!\.)dmarc=\w+/g)).toEqual(["dmarc=fail"]);
  });
});

describe("the policy of the domain that is shown", () => {
  it.each([
    ["a comment in its domain", "From: ceo@bank(Your Bank).example", "foo@ok.example"],
    ["a comment that joins two texts", "From: ceo@bank.exam(Your Bank)ple", "foo@bank.exam"],
    ["two authors", "From: ceo@bank.example, foo@ok.example", "foo@ok.example"],
    ["authors that a semicolon parts", "From: ceo@bank.example; foo@ok.example", "foo@ok.example"],
    ["two From fields", "From: ceo@bank.example\r\nFrom: foo@ok.example", "foo@ok.example"],
    ["an author that cannot be read", "From: <ceo@bank.example>@ok.example", "foo@ok.example"],
    ["an address in a text before its author", "From: ceo@bank.example x, foo@ok.example", "foo@ok.example"],
  ])("sends a message with %s to Spam", async (subject, fields, from) => {
    expect(await receiveFrom(from, rig.ports.mx, `${fields}\r\nSubject: ${subject}\r\n\r\nx`)).toMatch(/^250 /);
    const stored = (await listFolder("Spam")).find((item) => item.subject === subject);
    expect(stored).toBeDefined();
    expect(await readRaw(stored?.uid, "Spam")).not.toContain("dmarc=pass");
  });

  it.each([
    ["one author", "From: Bank <ceo@bank.exam>", "pass"],
    ["authors of one domain", "From: ceo@bank.exam, cfo@bank.exam", "pass"],
  ])("leaves a message with %s in INBOX", async (subject, fields, result) => {
    expect(await receiveFrom("foo@bank.exam", rig.ports.mx, `${fields}\r\nSubject: ${subject}\r\n\r\nx`)).toMatch(
      /^250 /,
    );
    const stored = (await listFolder("INBOX")).find((item) => item.subject === subject);
    expect(await readRaw(stored?.uid)).toContain(`dmarc=${result}`);
  });
});

describe("with rspamd", () => {
  const aMessage = (subject: string, body = "Hello.") =>
    `From: ada@example.org\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.org>\r\n\r\n${body}`;

  for (const action of ["add header", "rewrite subject", "quarantine", "reject"])
    it(`a message with the action "${action}" is accepted and goes to Spam, and its header says why`, async () => {
      rspamd.response = action;
      const subject = `spam-${action.replace(" ", "-")}`;
      expect(await receive(aMessage(subject))).toMatch(/^250 /);
      expect((await listFolder("INBOX")).map((item) => item.subject)).not.toContain(subject);
      const stored = (await listFolder("Spam")).find((item) => item.subject === subject);
      expect(await readRaw(stored?.uid, "Spam")).toMatch(/^X-Spam-Status: Yes, score=1\.50 required=15\.00\r\n/);
    });

  for (const action of ["no action", "greylist", "soft reject"])
    it(`a message with the action "${action}" goes to INBOX at once`, async () => {
      rspamd.response = action;
      const subject = `ham-${action.replace(" ", "-")}`;
      expect(await receive(aMessage(subject))).toMatch(/^250 /);
      expect((await listFolder("INBOX")).map((item) => item.subject)).toContain(subject);
    });

  it("rspamd gets the message as it arrived, and the envelope", async () => {
    await receive(aMessage("as it is", "..dots\r\nGr\xfc\xdfe"), `Hello+x@${sender.split("@")[1]}`);
    const { headers, body } = rspamd.requests.at(-1) ?? { headers: {}, body: "" };
    expect(body).toBe(aMessage("as it is", ".dots\r\nGr\xfc\xdfe\r\n"));
    expect(headers).toMatchObject({
      ip: "127.0.0.1",
      helo: "mail.example.org",
      from: "ada@example.org",
      rcpt: `Hello+x@${sender.split("@")[1]}`,
    });
  });

  for (const result of ["down", "500", "no JSON", "no action field", "endless"] as const)
    it(`that is or responds with ${result}, a message is delivered to INBOX`, async () => {
      rspamd.response = result;
      const subject = `unchecked ${result}`;
      expect(await receive(aMessage(subject))).toMatch(/^250 /);
      const stored = (await listFolder("INBOX")).find((item) => item.subject === subject);
      expect(await readRaw(stored?.uid)).toMatch(/^Received-SPF:/);
    });

  it("that gives no response, a message waits 5 seconds and no longer", async () => {
    rspamd.response = "silence";
    const clock = new ManualClock();
    const { ports } = await rig.startGateway({}, clock);
    const before = rspamd.requests.length;
    const reply = receiveAt(ports.mx[0] ?? 0, aMessage("no response"));
    await expect.poll(() => rspamd.requests.length).toBe(before + 1);
    const subjects = async () => (await listFolder("INBOX")).map(({ subject }) => subject);
    await clock.advance(4_999);
    expect(await subjects()).not.toContain("no response");
    await clock.advance(1);
    expect(await reply).toMatch(/^250 /);
    expect(await subjects()).toContain("no response");
  });

  it("a message of more than 4 MiB is not checked", async () => {
    const before = rspamd.requests.length;
    expect(await receive(aMessage("large", `${"x".repeat(998)}\r\n`.repeat(4_300)))).toMatch(/^250 /);
    expect(rspamd.requests.length).toBe(before);
    expect((await listFolder("INBOX")).map(({ subject }) => subject)).toContain("large");
  });
});
