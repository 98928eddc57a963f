/**
 * A deployment is saved while a broadcast is half sent, another one is being made, webhooks fail and a message is in Trash; then
 * it is gone. The restored one completes what was begun: everybody gets one email, and every delivery arrives.
 */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackupClient } from "../../dev/backups/client.ts";
import type { Seeded } from "../../dev/seed-workspace.ts";
import { call, MASTER_KEYS, runCommand } from "./support/backup-site.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";
import { temporaryFolder } from "./support/suite.ts";

const CONTACTS = 300;
/** The egress of the first deployment breaks down after so many messages. */
const SENT_BEFORE = 120;

interface Site {
  host: RestartableHost;
  sink: CountingSink;
  url: string;
}

const folder = temporaryFolder();
let receiver: Server;
/** How the receiver of webhooks responds, and the deliveries that it got with this response, by their ids. */
let result = 500;
const deliveries: { status: number; id: string }[] = [];
let from: Site;
let to: Site;
let seed: Seeded;
let delivered: Set<string>;
let objects: Map<string, string>;
let held: string[];

const recipients = (site: Site) => site.sink.receipts.flatMap((receipt) => receipt.recipients);
const emails = (site: Site, where: string) =>
  site.host.sql<{ recipient: string }>(`SELECT recipients ->> '$[0].email' AS recipient FROM emails WHERE ${where}`);

async function openSite(name: string, breaksAfter: number): Promise<Site> {
  let messages = 0;
  const sink: CountingSink = new CountingSink(() => {
    messages += 1;
    if (messages === breaksAfter) sink.close();
    return messages >= breaksAfter;
  });
  await sink.listen();
  const port = await findTestPort();
  const url = `http://127.0.0.1:${port}`;
  const vars = {
    ...{ MASTER_KEYS, PUBLIC_URL: url, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` },
    ...{ LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on" },
  };
  return { host: new RestartableHost({ stateDir: path.join(folder, name), port, vars, queueSeconds: 0 }), sink, url };
}

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      deliveries.push({ status: result, id: String(request.headers["x-service-delivery-id"]) });
      response.writeHead(result).end();
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  from = await openSite("from", SENT_BEFORE);
  const [first] = await from.host.startAndSeed("flight.example");
  if (!first) throw new Error("there is no workspace");
  seed = first;
  await from.host.start();
}, 120_000);
afterAll(async () => {
  await from?.host.stop();
  await to?.host.stop();
  for (const site of [from, to]) site?.sink.close();
  receiver?.close();
});

describe("a backup of a deployment with work in flight", () => {
  it("is made while one broadcast is half sent and another one is being made", { timeout: 120_000 }, async () => {
    const post = <Out>(target: string, body: object = {}) => call<Out>(from.host, seed.apiKey, ["POST", target], body);
    await writeContent(post);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    await post("/v1/webhooks/", { url, events: ["email.delivered"] });
    const list = await importContacts();
    for (const name of ["First", "Second"]) {
      const { id } = await post<{ id: string }>("/v1/broadcasts/", {
        ...{ name, subject: `${name} for {{email}}`, from_address: seed.mailbox, contact_list_id: list },
        html_body: "<p>Hello {{name}}</p>",
      });
      await post(`/v1/broadcasts/${id}/send`);
      if (name === "First") await until(() => from.sink.receipts.length >= SENT_BEFORE && deliveries.length > 0);
    }
    const { code, output } = await runCommand("backup", ["--url", from.url, "--to", path.join(folder, "backup")]);
    expect(code, output).toBe(0);
    objects = await readObjects(from);
    await from.host.stop();
    held = [...new Set(deliveries.map(({ id }) => id))];
    expect(held.length).toBeGreaterThan(0);
  });

  it("restores every object of R2 with the same content", { timeout: 120_000 }, async () => {
    to = await openSite("to", Number.POSITIVE_INFINITY);
    await to.host.startAndSeed();
    await to.host.start();
    const { code, output } = await runCommand("restore", ["--url", to.url, "--from", path.join(folder, "backup")]);
    expect(code, output).toBe(0);
    expect(output).toContain("0 rows were not written");
    const kinds = new Set([...objects.keys()].map((key) => key.split("/")[0]));
    expect(objects.size, [...kinds].join()).toBeGreaterThan(4);
    const restored = await readObjects(to);
    // Content of the second broadcast may have been written after the objects were listed.
    for (const [key, digest] of restored) expect(digest, key).toBe(objects.get(key));
    const left = [...objects.keys()].filter((key) => !restored.has(key));
    expect(left).toEqual([]);
  });

  it("holds emails and webhook deliveries until they are released", { timeout: 60_000 }, async () => {
    result = 200;
    delivered = new Set((await emails(to, "broadcast IS NOT NULL AND status = 'delivered'")).results.map(toRecipient));
    expect(delivered.size).toBeGreaterThan(0);
    expect(delivered.size).toBeLessThan(SENT_BEFORE + 1);
    await to.host.runCron();
    expect(to.sink.receipts).toEqual([]);
    expect(deliveries.filter(({ status }) => status === 200)).toEqual([]);
  });

  it("completes both broadcasts after the release: each contact gets each one exactly once", {
    timeout: 120_000,
  }, async () => {
    // Retries after the outage are due later; the test does not wait for them.
    await to.host.sql("UPDATE held_outbox SET due_at = 0");
    const { code, output } = await runCommand("restore", ["--url", to.url, "--release"]);
    expect(code, output).toBe(0);
    for (let isSent = false; !isSent; await sleep(500)) {
      await to.host.runCron();
      const broadcasts = await call<{ status: string }[]>(to.host, seed.apiKey, ["GET", "/v1/broadcasts/"]);
      const queued = await emails(to, "broadcast IS NOT NULL AND status = 'queued'");
      isSent = broadcasts.every(({ status }) => status === "sent") && queued.results.length === 0;
    }
    const counts = await call<Record<string, number>[]>(to.host, seed.apiKey, ["GET", "/v1/broadcasts/"]);
    for (const { queued_count, delivered_count } of counts)
      expect([queued_count, delivered_count]).toEqual([CONTACTS, CONTACTS]);
    const messages = to.sink.receipts.map(({ subject }) => subject).filter((subject) => / for c/.test(subject));
    expect(new Set(messages).size).toBe(messages.length);
    const second = messages.filter((subject) => subject.startsWith("Second"));
    expect(second).toHaveLength(CONTACTS);
    const first = messages
      .filter((subject) => subject.startsWith("First"))
      .map((subject) => subject.slice("First for ".length));
    expect(first.filter((address) => delivered.has(address))).toEqual([]);
    expect(new Set([...first, ...delivered]).size).toBe(CONTACTS);
    expect(new Set(recipients(to)).size).toBeGreaterThan(CONTACTS - 1);
  });

  it("delivers each held webhook delivery once", { timeout: 60_000 }, async () => {
    const arrived = () =>
      deliveries.filter(({ id, status }) => status === 200 && held.includes(id)).map(({ id }) => id);
    await until(() => new Set(arrived()).size === held.length);
    expect(arrived().sort()).toEqual([...held].sort());
  });
});

const toRecipient = ({ recipient }: { recipient: string }) => recipient;

/** Writes emails whose content is in R2: an attachment, a batch whose content is packed, and a draft with text. */
async function writeContent(post: <Out>(target: string, body: object) => Promise<Out>): Promise<void> {
  const mail = (n: number) => ({
    ...{ from_: { email: seed.mailbox }, to: [{ email: `x${n}@example.org` }], subject: `Content ${n}` },
    html: `<p>${createHash("sha512").update(String(n)).digest("hex").repeat(200)}</p>`,
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const file = { filename: "a.bin", content_base64: Buffer.alloc(1_500_000, "ab\u0000").toString("base64") };
  await post("/v1/emails/", { ...mail(0), attachments: [file] });
  await post(
    "/v1/emails/batch",
    Array.from({ length: 40 }, (_, n) => mail(n + 1)),
  );
  const draft = { to: ["friend@example.org"], subject: "Draft", text: "A draft" };
  await post(`/v1/inbox/${seed.mailboxId}/drafts`, draft);
}

async function importContacts(): Promise<string> {
  const { id } = await call<{ id: string }>(from.host, seed.apiKey, ["POST", "/v1/contacts/"], { name: "All" });
  const rows = Array.from({ length: CONTACTS }, (_, n) => `c${n}@example.org,Person ${n}`);
  const form = new FormData();
  form.append("file", new Blob([`email,name\n${rows.join("\n")}\n`], { type: "text/csv" }), "contacts.csv");
  const headers = { Authorization: `Bearer ${seed.apiKey}` };
  const response = await fetch(`${from.url}/v1/contacts/${id}/upload`, { method: "POST", headers, body: form });
  expect(response.status, await response.text()).toBe(200);
  return id;
}

/** Returns the digests of the content of all objects, by their keys. */
async function readObjects({ url }: Site): Promise<Map<string, string>> {
  const client = new BackupClient({ url, masterKeys: MASTER_KEYS });
  const read = new Map<string, string>();
  for (let cursor: string | null = null, isDone = false; !isDone; ) {
    const page: { objects: { key: string }[]; cursor: string | null } = await client.call("/auth/backup/objects", {
      cursor,
    });
    for (const { key } of page.objects) {
      const object = await client.readObject(key);
      const content = Buffer.from((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
      read.set(key, createHash("sha256").update(content).digest("hex"));
    }
    cursor = page.cursor;
    isDone = cursor === null;
  }
  return read;
}

/** Waits until a condition holds, at most 40 seconds. */
async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 40_000; !holds(); await sleep(50)) {
    if (Date.now() > end) throw new Error("the condition does not hold");
  }
}
