/** Programs of all kinds submit mail through the mail gateway: nodemailer, Python's smtplib, curl and msmtp. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import nodemailer from "nodemailer";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { eventually, startRig } from "./support/gateway-rig.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { perSuite } from "./support/suite.ts";

const run = promisify(execFile);
const rig = perSuite(() => startRig("clients.test"));

/** Returns whether a program is installed. A test that needs one that is missing is skipped, and its name says so. */
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const needs = (program: string, name: string) =>
  has(program) ? name : `${name} (SKIPPED: ${program} is not installed)`;

/** Waits for the message with this subject at the egress. */
/** Returns the message with this subject when it has left to all of its recipients, each of whom has a transaction. */
const left = (subject: string, recipients = 1) =>
  eventually(() => {
    const sent = rig.sent.filter(({ raw }) => raw.includes(`Subject: ${subject}\r\n`));
    const to = sent.flatMap((message) => message.to);
    return sent[0] && to.length >= recipients ? { ...sent[0], to } : undefined;
  });

const FILE = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256));

const RECIPIENTS = ["a@example.org", "hidden@example.org", "müller@example.org"];

/** Returns a message with an attachment, a UTF-8 address and a Bcc field, for programs that send a file as it is. */
function aMessageFile(subject: string, end: "\r\n" | "\n"): string {
  const lines = [
    `From: Shop <${rig.seed.mailbox}>`,
    "To: a@example.org, müller@example.org",
    "Bcc: hidden@example.org",
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    "Grüße",
    ".",
    "--b",
    "Content-Type: application/octet-stream",
    "Content-Disposition: attachment; filename=daten.bin",
    "Content-Transfer-Encoding: base64",
    "",
    ...(FILE.toString("base64").match(/.{1,76}/g) ?? []),
    "--b--",
    "",
  ];
  return lines.join(end);
}

/** Expects that the message file has left to its recipients, without its Bcc field. */
async function expectMessageFile(subject: string): Promise<void> {
  const { raw, to } = await left(subject, RECIPIENTS.length);
  expect(to.sort()).toEqual(RECIPIENTS);
  expect(raw).not.toContain("hidden@");
  const parsed = await PostalMime.parse(Buffer.from(raw, "latin1"));
  expect(parsed.to?.map(({ address }) => address)).toEqual(["a@example.org", "müller@example.org"]);
  expect(parsed.text?.trimEnd()).toBe("Grüße\n.");
  expect(Buffer.from(parsed.attachments[0]?.content as ArrayBuffer).equals(FILE)).toBe(true);
  expect(raw.match(/^DKIM-Signature:/gm)).toHaveLength(2);
}

describe("a program that opens 20 connections at once", () => {
  it("logs in on all of them", async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => SmtpClient.loggedIn(rig)));
    for (const client of clients) expect(await client.command("NOOP")).toMatch(/^250 /);
    for (const client of clients) client.end();
  });

  it("gets a response for each message: the id of its email, or its own refusal", async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => SmtpClient.loggedIn(rig)));
    const submitted = await Promise.all(
      clients.map(async (client, n) => {
        const from = n % 5 === 4 ? "boss@bank.example" : rig.seed.mailbox;
        await client.begin(rig.seed.mailbox, `r${n}@example.org`);
        client.write(`From: ${from}\r\nSubject: at once ${n}\r\n\r\nHello ${n}.\r\n.\r\n`);
        return client.reply();
      }),
    );
    for (const client of clients) client.end();
    for (const [n, reply] of submitted.entries()) {
      if (n % 5 === 4) {
        expect(reply).toMatch(/^550 5\.7\.1 /);
        continue;
      }
      const [, id] = /^250 2\.\d\.\d Queued as (\S+)$/.exec(reply) ?? [];
      expect(await rig.api("GET", `/v1/emails/${id}`)).toMatchObject({
        subject: `at once ${n}`,
      });
      const { raw, to } = await left(`at once ${n}`);
      expect(to).toEqual([`r${n}@example.org`]);
      expect(raw).toContain(`\r\n\r\nHello ${n}.\r\n`);
    }
  });
});

describe("nodemailer", () => {
  it("sends text, HTML, an attachment and Bcc to several recipients over STARTTLS and over implicit TLS", async () => {
    for (const secure of [false, true]) {
      const subject = `nodemailer ${secure}`;
      const transport = nodemailer.createTransport({
        host: "127.0.0.1",
        port: secure ? rig.ports.implicit : rig.ports.starttls,
        secure,
        requireTLS: true,
        auth: { user: rig.login.username, pass: rig.login.password },
        tls: { ca: readFileSync(rig.caFile), servername: "localhost" },
      });
      const info = await transport.sendMail({
        from: { name: "Shöp", address: rig.seed.mailbox },
        to: ["a@example.org", "müller@example.org"],
        cc: "c@example.org",
        bcc: "hidden@example.org",
        subject,
        text: "Grüße\n.dot\n",
        html: "<p>Grüße</p>",
        attachments: [{ filename: "daten.bin", content: FILE }],
      });
      transport.close();
      expect(info.response).toMatch(/^250 2\.\d\.\d Queued as [0-9a-f-]{36}$/);
      const { raw, to } = await left(subject, 4);
      expect(to.sort()).toEqual(["a@example.org", "c@example.org", "hidden@example.org", "müller@example.org"]);
      expect(raw).not.toContain("hidden@");
      const parsed = await PostalMime.parse(Buffer.from(raw, "latin1"));
      expect(parsed.text?.trimEnd()).toBe("Grüße\n.dot");
      expect(Buffer.from(parsed.attachments[0]?.content as ArrayBuffer).equals(FILE)).toBe(true);
      expect(raw.match(/^DKIM-Signature:/gm)).toHaveLength(2);
    }
  });

  it("is refused with a wrong password and with a sender of another domain", async () => {
    const options = {
      host: "127.0.0.1",
      port: rig.ports.starttls,
      requireTLS: true,
      tls: { ca: readFileSync(rig.caFile), servername: "localhost" },
    };
    const wrong = nodemailer.createTransport({ ...options, auth: { user: rig.login.username, pass: "wrong" } });
    await expect(wrong.sendMail({ from: rig.seed.mailbox, to: "a@example.org", text: "x" })).rejects.toThrow("535");
    const right = nodemailer.createTransport({
      ...options,
      auth: { user: rig.login.username, pass: rig.login.password },
    });
    await expect(right.sendMail({ from: "boss@bank.example", to: "a@example.org", text: "x" })).rejects.toThrow("550");
  });
});

const PYTHON = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, ca, user, password, sender = sys.argv[1:6]
message = EmailMessage()
message["From"], message["To"], message["Cc"], message["Bcc"] = sender, "a@example.org, b@example.org", "c@example.org", "hidden@example.org"
message["Subject"] = "python"
message.set_content("Gr\\u00fc\\u00dfe aus Python\\n.\\n..\\n")
message.add_attachment(bytes(range(256)) * 20, maintype="application", subtype="octet-stream", filename="daten \\u00fc.bin")
with smtplib.SMTP("localhost", int(port)) as smtp:
    smtp.starttls(context=ssl.create_default_context(cafile=ca))
    smtp.login(user, password)
    smtp.send_message(message)
    message.replace_header("Subject", "python-utf8")
    message.replace_header("To", "m\\u00fcller@example.org")
    smtp.send_message(message)
    smtp.mail(sender)
    print(smtp.rcpt("not an address")[0])
`;

describe("Python's smtplib", () => {
  it.skipIf(!has("python3"))(needs("python3", "sends an attachment, UTF-8 and Bcc to several recipients"), async () => {
    const { stdout } = await run("python3", [
      "-c",
      PYTHON,
      String(rig.ports.starttls),
      rig.caFile,
      rig.login.username,
      rig.login.password,
      rig.seed.mailbox,
    ]);
    expect(stdout.trim()).toBe("501");
    const { raw, to } = await left("python", 4);
    expect(to.sort()).toEqual(["a@example.org", "b@example.org", "c@example.org", "hidden@example.org"]);
    const parsed = await PostalMime.parse(Buffer.from(raw, "latin1"));
    expect(parsed.text?.trimEnd()).toBe("Grüße aus Python\n.\n..");
    expect(parsed.attachments[0]).toMatchObject({ filename: "daten ü.bin", content: { byteLength: 5_120 } });
    expect(raw).not.toContain("hidden@");
    const international = await left("python-utf8", 3);
    expect(international.to.sort()).toEqual(["c@example.org", "hidden@example.org", "müller@example.org"]);
    expect(Buffer.from(international.raw, "latin1").toString()).toContain("\r\nTo: müller@example.org\r\n");
  });
});

describe("curl", () => {
  const send = (file: string, port: string, recipients: readonly string[]) => {
    const login = `${rig.login.username}:${rig.login.password}`;
    const options = ["-sS", "--ssl-reqd", "--cacert", rig.caFile, "--user", login, "--mail-from", rig.seed.mailbox];
    const to = recipients.flatMap((recipient) => ["--mail-rcpt", recipient]);
    return run("curl", [...options, ...to, "--upload-file", file, port], { timeout: 30_000 });
  };

  it.skipIf(!has("curl"))(needs("curl", "sends the same file three times: three emails"), async () => {
    const file = path.join(rig.stateDir, "curl.eml");
    await writeFile(
      file,
      `From: ${rig.seed.mailbox}\r\nTo: a@example.org\r\nSubject: curl\r\n\r\nHello from curl.\r\n`,
    );
    const recipients = ["a@example.org", "b@example.org"];
    for (let i = 0; i < 3; i++) await send(file, `smtp://localhost:${rig.ports.starttls}`, recipients);
    await left("curl", 3 * recipients.length);
    const ids = rig.sent.flatMap(({ raw }) =>
      raw.includes("Subject: curl\r\n") ? [/^Message-ID: (.+)\r$/m.exec(raw)?.[1]] : [],
    );
    expect(new Set(ids).size).toBe(3);
  });

  it.skipIf(!has("curl"))(needs("curl", "sends an attachment, UTF-8 and Bcc over implicit TLS"), async () => {
    const file = path.join(rig.stateDir, "curl-file.eml");
    await writeFile(file, aMessageFile("curl-file", "\r\n"));
    await send(file, `smtps://localhost:${rig.ports.implicit}`, RECIPIENTS);
    await expectMessageFile("curl-file");
  });
});

describe("msmtp", () => {
  it.skipIf(!has("msmtp"))(needs("msmtp", "sends an attachment, UTF-8 and Bcc over implicit TLS"), async () => {
    const options = [
      "--host=localhost",
      `--port=${rig.ports.implicit}`,
      "--tls=on",
      "--tls-starttls=off",
      `--tls-trust-file=${rig.caFile}`,
      "--auth=plain",
      `--user=${rig.login.username}`,
      `--passwordeval=echo ${rig.login.password}`,
      `--from=${rig.seed.mailbox}`,
      ...RECIPIENTS,
    ];
    // Not spawnSync: the gateway runs in this process.
    const child = run("msmtp", options, { timeout: 30_000 });
    child.child.stdin?.end(aMessageFile("msmtp", "\n"));
    expect(await child).toMatchObject({ stderr: "" });
    await expectMessageFile("msmtp");
  });
});

it("an accepted message is found by the API with source smtp, and search finds it", async () => {
  const found = (await rig.api("GET", "/v1/emails/search?q=python")) as unknown;
  expect(JSON.stringify(found)).toContain('"source":"smtp"');
});
