/** Thunderbird sets up an account by its address, reads, changes and sends mail, and loses its access. */
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalDns } from "../../dev/dns/local.ts";
import { eventually, type GatewayRig, startRig } from "./support/gateway-rig.ts";
import { startService } from "./support/shared-service.ts";
import { SmtpClient } from "./support/smtp-client.ts";
import { certify, HttpsHosts, type NamedCertificate } from "./support/thunderbird/named-hosts.ts";
import { Thunderbird, thunderbirdUnavailable } from "./support/thunderbird/program.ts";

const skipped = thunderbirdUnavailable();
const IMAP_HOST = "imap.service.test";
const SMTP_HOST = "smtp.service.test";
/** Hosts that a customer has led here, and the host of the service that the MX record names. */
const OWN_HOSTS = ["autoconfig.gateway.test", "autodiscover.gateway.test"];
const SERVICE_HOST = "autoconfig.service.test";
/** nsMsgSocketType.SSL: TLS from the first byte. */
const TLS = 3;

let rig: GatewayRig;
let certificate: NamedCertificate;
let dns: Awaited<ReturnType<typeof startLocalDns>>;

beforeAll(async () => {
  if (skipped !== null) return;
  certificate = await certify([IMAP_HOST, SMTP_HOST, ...OWN_HOSTS, SERVICE_HOST]);
  dns = await startLocalDns(0, async () => []);
  const settings = {
    imap: [{ port: 0, isImplicitTls: true }],
    tls: certificate.files,
    dnsResolverUrl: `http://127.0.0.1:${dns.port}/dns-query`,
  };
  rig = await startRig("gateway.test", {}, settings, await startService({ IMAP_HOST, SMTP_HOST }));
}, 120_000);
afterAll(async () => {
  await rig?.close();
  await certificate?.remove();
  await dns?.close();
});

interface Message {
  uid: number;
  subject: string;
  seen: boolean;
  flagged: boolean;
  preview: string;
}

/** Returns the messages of a folder as the API lists them. */
async function listed(folder: string): Promise<Message[]> {
  const path = `/v1/inbox/${rig.seed.mailboxId}/messages?folder=${encodeURIComponent(folder)}`;
  return ((await rig.api("GET", path)) as { items: Message[] }).items;
}

const find = async (folder: string, subject: string) => (await listed(folder)).find((one) => one.subject === subject);

/** Sends a message to the mailbox from outside. */
async function receive(subject: string, lines: readonly string[]): Promise<void> {
  const mx = await SmtpClient.connect(rig.ports.mx);
  await mx.command("EHLO mail.example.org");
  expect(await mx.begin("ada@example.org", rig.seed.mailbox)).toMatch(/^354/);
  const fields = ["From: Ada <ada@example.org>", `To: ${rig.seed.mailbox}`, `Subject: ${subject}`];
  mx.write([...fields, `Message-ID: <${encodeURIComponent(subject)}@example.org>`, ...lines, ".", ""].join("\r\n"));
  expect(await mx.reply()).toMatch(/^250 /);
  mx.end();
}

/** Returns how many connections the gateway has. */
async function connections(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${rig.ports.health}/health`);
  return ((await response.json()) as { connections: number }).connections;
}

/** Starts Thunderbird in a network where these names are served over https. */
async function start(names: readonly string[]) {
  const hosts = await HttpsHosts.open(certificate, names, rig.host.url);
  const { starttls, implicit } = rig.ports;
  const [imap = 0] = rig.gateway.ports.imap;
  // Nothing listens on port 9, so nothing is found over http and in guesses at other ports.
  const ports = { 25: 9, 80: 9, 110: 9, 143: 9, 443: hosts.port, 465: implicit, 587: starttls, 993: imap, 995: 9 };
  return { hosts, program: await Thunderbird.start(certificate.authority, ports) };
}

/** Returns an app password of the mailbox. */
const createPassword = () =>
  rig.api("POST", `/v1/mailboxes/${rig.seed.mailboxId}/app-passwords`, { name: "Thunderbird" }) as Promise<{
    id: string;
    password: string;
  }>;

const person = () => ({ name: "Grace Hopper", address: rig.seed.mailbox });

const SYSTEM_FOLDERS = ["Archive Archive", "Drafts Drafts", "INBOX Inbox", "Sent SentMail", "Spam Junk", "Trash Trash"];

describe.skipIf(skipped !== null)("Thunderbird", () => {
  let program: Thunderbird;
  let hosts: HttpsHosts;
  let appPassword: Awaited<ReturnType<typeof createPassword>>;
  const poll = <Value>(name: string, input: unknown = null) => expect.poll(() => program.call<Value>(name, input));

  beforeAll(async () => {
    if (skipped === null) ({ program, hosts } = await start(OWN_HOSTS));
  });
  afterAll(async () => {
    await program?.close();
    hosts?.close();
  });

  it("sets up an account by the configuration at the domain, and says when the password is wrong", async () => {
    expect(await program.call("findAccount", person())).toEqual({
      incoming: IMAP_HOST,
      outgoing: SMTP_HOST,
      username: rig.seed.mailbox,
      source: "xml-from-isp-https",
    });
    expect(hosts.requests).toContain("GET https://autoconfig.gateway.test/mail/config-v1.1.xml");
    expect(await program.call("createAccount", { password: "wrong-password" })).toBe("Authentication error.");
    appPassword = await createPassword();
    expect(await program.call("createAccount", appPassword)).toBeNull();
    expect(await program.call("servers")).toEqual([
      [IMAP_HOST, 993, TLS, rig.seed.mailbox],
      [SMTP_HOST, 465, TLS, rig.seed.mailbox],
    ]);
    await poll("folders").toEqual(SYSTEM_FOLDERS);
  });

  it("shows what is there, what arrives and what changes elsewhere while it waits", async () => {
    // Thunderbird does not wait at an empty folder. It logs out, and asks after minutes.
    await receive("One", ["", "Text of One."]);
    await program.call("openFolder", "INBOX");
    await poll("messages", "INBOX").toContain("One");
    for (const subject of ["Two", "Three"]) {
      await receive(subject, ["", `Text of ${subject}.`]);
      await poll("messages", "INBOX").toContain(subject);
    }
    const [one, two] = [await find("INBOX", "One"), await find("INBOX", "Two")];
    const path = (message: Message | undefined, what: string) =>
      `/v1/inbox/${rig.seed.mailboxId}/messages/${message?.uid}/${what}?folder=INBOX`;
    await rig.api("POST", path(one, "flags"), { seen: true, flagged: true });
    await rig.api("POST", path(two, "move"), { folder: "Trash" });
    await poll("messages", "INBOX").toEqual(["One read flagged", "Three"]);
  });

  it("reads a message with a file, which is seen then, marks it and moves it", async () => {
    const part = ["Content-Type: application/pdf", "Content-Disposition: attachment; filename*=UTF-8''%C3%BCber.pdf"];
    const text = [
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      btoa("Gr\xc3\xbcn"),
    ];
    const file = [
      ...part,
      "Content-Transfer-Encoding: base64",
      "",
      ...Array.from({ length: 20_000 }, () => "QUJD".repeat(19)),
    ];
    const head = ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"];
    await receive("Files", [...head, "", "--b", ...text, "--b", ...file, "--b--"]);
    expect(await program.call("readMessage", "Files")).toEqual({ text: "Grün", files: ["über.pdf"] });
    await expect.poll(() => find("INBOX", "Files")).toMatchObject({ seen: true, flagged: false });
    await program.call("doCommand", { command: "cmd_markAsFlagged" });
    await expect.poll(() => find("INBOX", "Files")).toMatchObject({ seen: true, flagged: true });
    await program.call("doCommand", { command: "cmd_moveMessage", path: "Archive" });
    await expect.poll(() => find("Archive", "Files")).toMatchObject({ seen: true, flagged: true });
    expect(await find("INBOX", "Files")).toBeUndefined();
  });

  it("sends a message that is once in Sent", async () => {
    const message = { to: "friend@example.org", subject: "Größe", text: "Grüße von Grace" };
    expect(await program.call("write", { ...message, command: "cmd_sendNow" })).toBe(true);
    expect(await program.call("takeDialogs")).toEqual([]);
    const { raw, to } = await eventually(() => rig.sent[0]);
    expect(to).toEqual(["friend@example.org"]);
    const sent = await PostalMime.parse(Buffer.from(raw, "latin1"));
    expect([sent.from, sent.subject, sent.text?.trim()]).toEqual([
      { name: "Grace Hopper", address: rig.seed.mailbox },
      ...["Größe", "Grüße von Grace"],
    ]);
    await program.call("openFolder", "Sent");
    await poll("messages", "Sent").toEqual(["Größe read"]);
    expect((await listed("Sent")).map(({ subject }) => subject)).toEqual(["Größe"]);
    expect(rig.sent).toHaveLength(1);
  });

  it("replaces a draft when it is saved again, and leaves none when it is sent", async () => {
    const draft = { path: "Drafts", subject: "Draft" };
    const message = { to: "friend@example.org", subject: "Draft", text: "Later", command: "cmd_saveAsDraft" };
    expect(await program.call("write", message)).toBe(true);
    await program.call("openFolder", "Drafts");
    for (const text of [" or sooner", " or now"]) {
      await poll("messages", "Drafts").toEqual([expect.stringContaining("Draft")]);
      expect(await program.call("editDraft", { ...draft, text, command: "cmd_saveAsDraft" })).toBe(true);
      const previews = async () => (await listed("Drafts")).map(({ preview }) => preview);
      await expect.poll(previews).toEqual([expect.stringContaining(text)]);
    }
    await poll("messages", "Drafts").toEqual([expect.stringContaining("Draft")]);
    expect(await program.call("editDraft", { ...draft, text: " or not", command: "cmd_sendNow" })).toBe(true);
    await expect.poll(() => listed("Drafts")).toEqual([]);
    await poll("messages", "Drafts").toEqual([]);
    expect((await listed("Sent")).map(({ subject }) => subject).sort()).toEqual(["Draft", "Größe"]);
  });

  it("deletes a folder with its messages when it empties Trash", async () => {
    await program.call("createFolder", "Ärger & Co");
    await poll("folders").toContain("Ärger & Co");
    await program.call("openFolder", "INBOX");
    await program.call("readMessage", "Three");
    await program.call("doCommand", { command: "cmd_moveMessage", path: "Ärger & Co" });
    await expect.poll(() => find("Ärger & Co", "Three")).toBeDefined();
    await program.call("acceptDialogs", true);
    await program.call("deleteFolder", "Ärger & Co");
    await poll("folders").toContain("Trash/Ärger & Co");
    await program.call("emptyTrash");
    await program.call("acceptDialogs", false);
    await poll("folders").toEqual(SYSTEM_FOLDERS);
    const names = async () => (await rig.api("GET", `/v1/inbox/${rig.seed.mailboxId}/folders`)) as { name: string }[];
    await expect.poll(async () => (await names()).map(({ name }) => name)).not.toContain("Trash/Ärger & Co");
    expect(await listed("Trash")).toEqual([]);
    expect(await program.call("takeDialogs")).toEqual(["Are you sure you want to delete the folder 'Ärger & Co'?"]);
  });

  it("has after a restart what changed meanwhile", async () => {
    await program.call("openFolder", "INBOX");
    await poll("messages", "INBOX").toEqual(["One read flagged"]);
    await program.restart(async () => {
      const one = await find("INBOX", "One");
      await rig.api("POST", `/v1/inbox/${rig.seed.mailboxId}/messages/${one?.uid}/move?folder=INBOX`, {
        folder: "Spam",
      });
      const files = await find("Archive", "Files");
      const path = `/v1/inbox/${rig.seed.mailboxId}/messages/${files?.uid}/flags?folder=Archive`;
      await rig.api("POST", path, { flagged: false });
      await receive("Four", ["", "Text of Four."]);
    });
    await program.call("openFolder", "INBOX");
    await poll("messages", "INBOX").toEqual(["Four"]);
    expect(await program.call("readMessage", "Four")).toEqual({ text: "Text of Four.", files: [] });
    await program.call("openFolder", "Archive");
    await poll("messages", "Archive").toEqual(["Files read"]);
  });

  it("says so when its app password is deleted, and neither reads nor sends", async () => {
    const message = { to: "friend@example.org", text: "Text", command: "cmd_sendNow" };
    expect(await program.call("write", { ...message, subject: "In time" })).toBe(true);
    await rig.api("DELETE", `/v1/mailboxes/${rig.seed.mailboxId}/app-passwords/${appPassword.id}`);
    await receive("Unread", ["", "x"]);
    // Thunderbird does not ask for the password when its connection ends while it opens a folder. What is left is that of submission.
    await expect.poll(connections).toBeLessThanOrEqual(1);
    await program.call("openFolder", "Sent");
    const user = `with username ${rig.seed.mailbox} failed.`;
    await poll<string[]>("takeDialogs").toContain(`Login to server ${IMAP_HOST} ${user}`);
    // The connection from before is open still.
    expect(await program.call("write", { ...message, subject: "Late" })).toBe(false);
    const [refused] = await program.call<string[]>("takeDialogs");
    expect(refused).toContain("The mail server responded: The access to this mailbox has ended; log in again.");
    expect(await program.call("write", { ...message, subject: "Later" })).toBe(false);
    expect(await program.call("takeDialogs")).toEqual([
      `Login to server ${SMTP_HOST} ${user}`,
      expect.stringMatching(/^Sending of the message failed\.\nUnable to authenticate/),
    ]);
    expect(rig.sent.filter(({ raw }) => raw.includes("Subject: Late"))).toEqual([]);
    expect(await program.call("messages", "INBOX")).toEqual(["Four read"]);
  });
});

it.skipIf(skipped !== null)("Thunderbird sets up an account by the host of the MX record", async () => {
  const { program, hosts } = await start([SERVICE_HOST]);
  try {
    await program.call("setMxHosts", ["mx.service.test"]);
    expect(await program.call("findAccount", person())).toMatchObject({ incoming: IMAP_HOST });
    expect(hosts.requests).toEqual([`GET https://${SERVICE_HOST}/mail/config-v1.1.xml`]);
    expect(await program.call("createAccount", await createPassword())).toBeNull();
    await expect.poll(() => program.call("folders")).toEqual(SYSTEM_FOLDERS);
  } finally {
    await program.close();
    hosts.close();
  }
});
