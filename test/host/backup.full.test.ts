/**
 * A deployment is saved while it sends, and restored into an empty one; both commands get a SIGKILL in the middle. Everything that
 * was accepted before is there, and nothing is sent until it is released.
 */
import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkFiles, openBackup } from "../../dev/backups/check.ts";
import { readLines } from "../../dev/backups/row-file.ts";
import type { SavedObject } from "../../dev/backups/save-objects.ts";
import type { Seeded } from "../../dev/seed-workspace.ts";
import { seeded } from "../support/failures.ts";
import { startWebhookReceiver } from "../support/webhook-receiver-server.ts";
import { call, type Filled, fill, MASTER_KEYS, runCommand, sendOn, transfer } from "./support/backup-site.ts";
import { CountingSink } from "./support/counting-sink.ts";
import { byExtent, isFull } from "./support/extent.ts";
import { findTestPort } from "./support/ports.ts";
import { RestartableHost } from "./support/restartable-host.ts";
import { newAttempt, type SendAttempt, send } from "./support/sending-client.ts";
import { temporaryFolder } from "./support/suite.ts";

const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1e9));
const random = seeded(seed);
/** A backup is killed when this many more parts are complete at most: about the half of it in three kills. */
const KILL_WITHIN_PARTS = 12;
/** A restore is killed up to this many milliseconds after it printed a line; what follows takes longer. */
const MAX_DELAY_MS = 50;
const KILLS = byExtent({ quick: 1, full: 3, long: 3 });
/** Tables of mail databases in which nothing changes while emails are sent. */
const TABLES = ["contacts", "contact_lists", "shard_workspaces"];

interface Site {
  host: RestartableHost;
  sink: CountingSink;
  url: string;
}

const folder = temporaryFolder();
let from: Site;
let to: Site;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let seeds: Seeded[];
let filled: Filled;
let during: SendAttempt[];
let before: unknown[];
let rowsBefore: unknown[][];
let backupId: string;

const target = () => path.join(folder, "backup");
const backUp = (isKillTime?: () => Promise<boolean>) =>
  runCommand("backup", ["--url", from.url, "--to", target()], isKillTime);
const restore = (isKillTime?: (output: string) => Promise<boolean>) =>
  runCommand("restore", ["--url", to.url, "--from", target(), "--backup", backupId], isKillTime);

/** Returns the number of complete parts of the unfinished backup. */
async function completeParts(): Promise<number> {
  const [snapshot = ""] = await readdir(path.join(target(), "snapshots")).catch(() => []);
  const journal = await readFile(path.join(target(), "snapshots", snapshot, "journal.ndjson"), "utf8").catch(() => "");
  return journal.split("\n").length - 1;
}

const readAll = ({ host }: Site) => Promise.all(filled.reads.map((one) => call(host, one.apiKey, ["GET", one.path])));
/** Returns responses without their UIDVALIDITY values, and these. */
function splitUidValidities(responses: unknown): [unknown, number[]] {
  const values: number[] = [];
  const text = JSON.stringify(responses, (key, value: unknown) => {
    if (key !== "uidvalidity") return value;
    values.push(Number(value));
    return undefined;
  });
  return [JSON.parse(text), values];
}
const rowsOf = ({ host }: Site) =>
  Promise.all(
    TABLES.map(async (table) => (await host.sql<unknown>(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)).results),
  );

async function openSite(name: string): Promise<Site> {
  const sink = new CountingSink();
  await sink.listen();
  const port = await findTestPort();
  const url = `http://127.0.0.1:${port}`;
  const vars = {
    ...{ MASTER_KEYS, PUBLIC_URL: url, EGRESS_URL: `smtp://127.0.0.1:${sink.port}/?tls=off` },
    ...{ LIVE_WEBHOOKS: "on", WEBHOOK_ALLOW_INSECURE: "on", SYSTEM_MAILBOX: "hello@backup-0.example" },
  };
  const host = new RestartableHost({ stateDir: path.join(folder, name), port, vars, queueSeconds: 0 });
  return { host, sink, url };
}

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  from = await openSite("from");
  const [first, second, seller] = await from.host.startAndSeed("backup-0.example", "backup-1.example", "sold.example");
  if (!first || !second || !seller) throw new Error("there are no workspaces");
  seeds = [first, second];
  await from.host.start();
  filled = await fill(from.host, seeds, `http://127.0.0.1:${receiver.ports.receiver}/backup/200`);
  await transfer(from.host, filled, [seller, first]);
  await waitUntilSent(from);
  before = await readAll(from);
  rowsBefore = await rowsOf(from);
}, 180_000);
afterAll(async () => {
  await from?.host.stop();
  await to?.host.stop();
  for (const site of [from, to]) site?.sink.close();
  await receiver?.stop();
});

describe("npm run backup", () => {
  it("is completed by a further run after kills, while emails are sent", { timeout: 300_000 }, async () => {
    const stop = sendOn(from.host, seeds);
    const killed: unknown[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const parts = (await completeParts()) + 1 + Math.floor(random() * KILL_WITHIN_PARTS);
      killed.push((await backUp(async () => (await completeParts()) >= parts)).signal);
    }
    const { code, output } = await backUp();
    during = await stop();
    expect(code, `seed ${seed}: ${output}`).toBe(0);
    expect(killed, `seed ${seed}`).toEqual(killed.map(() => "SIGKILL"));
    expect(output).toMatch(/^Continuing the backup (\S+) .*is complete/s);
    backupId = /backup (\S+) is complete/.exec(output)?.[1] ?? "";
    expect(during.length, "emails sent meanwhile").toBeGreaterThan(5);
    await waitUntilSent(from);
  });

  it("keeps the master keys beside the folder, for its owner only", async () => {
    const file = `${target()}.master-keys`;
    expect((await readFile(file, "utf8")).trim()).toBe(MASTER_KEYS);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(target())).mode & 0o077).toBe(0);
  });
});

describe("npm run restore", () => {
  beforeAll(async () => {
    to = await openSite("to");
    await to.host.startAndSeed();
    await to.host.start();
  }, 120_000);

  it("refuses a deployment that is not empty", { timeout: 60_000 }, async () => {
    const { code, output } = await runCommand("restore", ["--url", from.url, "--from", target()]);
    expect(code).toBe(1);
    expect(output).toContain("The deployment is not empty. Restore into a new one");
  });

  it.runIf(isFull)("refuses a damaged backup before it writes anything", { timeout: 60_000 }, async () => {
    const file = path.join(target(), "snapshots", backupId, "main", "users.00001.ndjson.gz");
    const content = await readFile(file);
    await appendFile(file, "x");
    const { code, output } = await restore();
    await writeFile(file, content);
    expect(code).toBe(1);
    expect(output).toContain("users.00001.ndjson.gz has changed");
  });

  it("is completed by a further run after kills", { timeout: 300_000 }, async () => {
    const killed: unknown[] = [];
    const lines = ["checking", "mail-0: written", "mail-1: written", "objects: "];
    const one = lines.slice(Math.floor(random() * lines.length)).slice(0, 1);
    for (const line of byExtent({ quick: one, full: lines, long: lines })) {
      const after = random() * MAX_DELAY_MS;
      const isKillTime = async (output: string) => output.includes(line) && sleep(after, true);
      killed.push((await restore(isKillTime)).signal);
    }
    const { code, output } = await restore();
    expect(code, `seed ${seed}: ${output}`).toBe(0);
    expect(killed, `seed ${seed}`).toEqual(killed.map(() => "SIGKILL"));
    expect(output).toContain("0 rows were not written");
    // A mailbox reads the objects of its messages as soon as it has them.
    expect(output.indexOf("objects: "), output).toBeLessThan(output.indexOf("mail-0: written"));
    const again = await restore();
    expect(again.output).toContain("The deployment has this backup already");
  });

  it("leaves no message to mend", { timeout: 60_000 }, async () => {
    const { code, output } = await runCommand("restore", ["--url", to.url, "--mend", "--dry-run"]);
    expect([code, output]).toEqual([0, "0 messages would be read again.\n"]);
  });

  it("brings back everything that was accepted, and old API keys work", { timeout: 60_000 }, async () => {
    const [responses, uidValidities] = splitUidValidities(await readAll(to));
    const [responsesBefore, uidValiditiesBefore] = splitUidValidities(before);
    expect(responses).toEqual(responsesBefore);
    // Mail programs must not take the UIDs of a restored mailbox for those that they know.
    expect(uidValidities.map((value, n) => value > (uidValiditiesBefore[n] ?? 0))).toEqual(
      uidValiditiesBefore.map(() => true),
    );
    expect(uidValidities.length).toBeGreaterThan(10);
    for (const { ids, apiKey } of filled.sent) {
      const target = ["GET", `/v1/emails/${[...ids][0]}`] as const;
      const [old, restored] = await Promise.all([from, to].map(({ host }) => call<object>(host, apiKey, target)));
      expect(restored).toEqual(old);
    }
    expect(await rowsOf(to)).toEqual(rowsBefore);
  });

  it("returns a repeated request as before, without a second email", { timeout: 60_000 }, async () => {
    const mail = filled.sent.find(({ key }) => key !== null);
    if (!mail) throw new Error("no email has a key");
    await send(to.host, mail);
    expect(mail.ids.size).toBe(1);
  });

  it("sends nothing until it is released, and new mail at once", { timeout: 60_000 }, async () => {
    await to.host.runCron();
    const [first] = seeds;
    if (!first) throw new Error("there are no workspaces");
    const fresh = newAttempt(9_999, first);
    await send(to.host, fresh);
    await until(() => to.sink.receipts.some(({ subject }) => subject === fresh.subject));
    expect(to.sink.receipts.map(({ subject }) => subject)).toEqual([fresh.subject]);
  });

  it("sends each held email exactly once after its release", { timeout: 120_000 }, async () => {
    const held = await to.host.sql<{ subject: string }>(
      "SELECT subject FROM emails WHERE status IN ('queued', 'scheduled')",
    );
    to.sink.receipts.length = 0;
    const { code, output } = await runCommand("restore", ["--url", to.url, "--release"]);
    expect(code, output).toBe(0);
    for (const { id, apiKey } of filled.scheduled)
      await call(to.host, apiKey, ["POST", `/v1/emails/scheduled/${id}/send-now`]);
    await waitUntilSent(to);
    await to.host.runCron();
    const sent = new Set(to.sink.receipts.map(({ subject }) => subject));
    expect(sent).toEqual(new Set(held.results.map(({ subject }) => subject)));
    for (const { subject } of filled.scheduled) expect(sent).toContain(subject);
    // An email with recipients in to, cc and bcc is one message for each.
    const messages = to.sink.receipts.map(({ messageId, recipients }) => `${messageId} ${recipients.join()}`);
    expect(new Set(messages).size).toBe(messages.length);
    const { results } = await to.host.sql<{ n: number }>("SELECT count(*) AS n FROM held_outbox");
    expect(results.map(({ n }) => n)).toEqual([0, 0]);
  });

  it.runIf(isFull)("finds old mail in the search after npm run reindex", { timeout: 60_000 }, async () => {
    const { code, output } = await runCommand("reindex", ["--url", to.url]);
    expect(code, output).toBe(0);
    for (const { recipients, apiKey, ids } of filled.sent) {
      const found = await call<{ id: string }[]>(to.host, apiKey, ["GET", `/v1/emails/search?q=${recipients[0]}`]);
      expect(found.map(({ id }) => id)).toEqual([...ids]);
    }
  });
});

describe.runIf(isFull)("a further backup", () => {
  it("reads only the objects that are new, and deletes older backups with --keep", { timeout: 120_000 }, async () => {
    expect((await backUp()).code).toBe(0);
    expect((await backUp()).output).toMatch(/objects: 0 read/);
    const [first] = seeds;
    if (!first) throw new Error("there are no workspaces");
    const content_base64 = Buffer.alloc(600_000, "new").toString("base64");
    const mail = { from_: { email: first.mailbox }, to: [{ email: "new@example.org" }], subject: "New", text: "New" };
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const attachments = [{ filename: "new.bin", content_base64 }];
    await call(from.host, first.apiKey, ["POST", "/v1/emails/"], { ...mail, send_at, attachments });
    const { code, output } = await runCommand("backup", ["--url", from.url, "--to", target(), "--keep", "1"]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/objects: [12] read/);
    expect(await readdir(path.join(target(), "snapshots"))).toHaveLength(1);
    const backup = await openBackup(target(), undefined);
    await checkFiles(backup);
    const [list] = backup.manifest.objectLists;
    const { value: saved } = await readLines<SavedObject>(backup.folder, list?.path ?? "").next();
    if (!saved) throw new Error("the backup has no object");
    await appendFile(path.join(target(), saved.file), "x");
    await expect(checkFiles(backup)).rejects.toThrow(`${saved.file} has changed`);
  });
});

/** Waits until no email is queued, at most 60 seconds. */
async function waitUntilSent({ host }: Site): Promise<void> {
  for (const end = Date.now() + 60_000; ; await sleep(100)) {
    const { results } = await host.sql<{ n: number }>("SELECT count(*) AS n FROM emails WHERE status = 'queued'");
    if (results.every(({ n }) => n === 0)) return;
    if (Date.now() > end) throw new Error(`emails are queued: ${JSON.stringify(results)} (seed ${seed})`);
  }
}

/** Waits until a condition holds, at most 30 seconds. */
async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !holds(); await sleep(50)) {
    if (Date.now() > end) throw new Error(`the condition does not hold (seed ${seed})`);
  }
}
