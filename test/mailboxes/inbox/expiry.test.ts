import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkRecipient } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { testContext } from "../../support/workspace.ts";
import { objectsOf } from "../inbound/support.ts";
import { fill } from "../mailbox-store/support.ts";
import { anInbox, type Inbox } from "./support.ts";

const DAY = 86_400_000;
/** Longer than a read of an expunged message may take. */
const HOUR = 3_600_000;

let inbox: Inbox;
let start: number;

beforeEach(async () => {
  start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  inbox = await anInbox();
});
afterEach(() => {
  vi.useRealTimers();
});

const object = () => env.MAILBOX.getByName(inbox.workspace.mailboxId);
const objects = async () => (await objectsOf(inbox.workspace.mailboxId)).length;
const subjects = async (folder: string) => {
  const items = (await object().list(folder, { limit: 200, offset: 0 }))?.items ?? [];
  return items.map(({ subject }) => subject).sort();
};
const sizes = async (folder: string) =>
  ((await object().list(folder, { limit: 200, offset: 0 }))?.items ?? []).reduce((sum, { size }) => sum + size, 0);
const used = async () => (await object().quota()).usedBytes;
const row = () => database.value("SELECT used_bytes FROM mailboxes WHERE id = ?1", [inbox.workspace.mailboxId]);
/** Sets the clock to a time after the start, in ms, and runs the alarm. */
async function runAt(after: number): Promise<void> {
  vi.setSystemTime(start + after);
  await runDurableObjectAlarm(object());
}

const WITH_FILE = [
  "--b",
  "Content-Type: text/plain",
  "",
  "A text about pelicans.",
  "--b",
  'Content-Disposition: attachment; filename="a.bin"',
  "Content-Transfer-Encoding: base64",
  "",
  btoa("file".repeat(500)),
  "--b--",
  "",
].join("\r\n");
const receive = (Subject: string) =>
  inbox.receive({ Subject, "Content-Type": "multipart/mixed; boundary=b" }, WITH_FILE);
const change = async (method: string, path: string, body?: unknown) => {
  const response = await inbox.call(method, path, body);
  expect(response.ok, `${method} ${path} ${response.status}`).toBe(true);
};

describe("Trash and Spam", () => {
  it("keep a message for 29 days and delete it for good after 30, with its files and its share of the quota", async () => {
    for (const subject of ["stays", "starred stays", "trash", "starred trash", "spam", "comes back", "moved on"])
      await receive(subject);
    const all = await used();
    expect(all).toBe(await sizes("INBOX"));
    for (const uid of [2, 4]) await change("POST", `/messages/${uid}/flags`, { flagged: true });
    for (const uid of [3, 4, 6, 7]) await change("DELETE", `/messages/${uid}`);
    await change("POST", "/messages/5/spam");
    const quota_bytes = await used();
    await change("PATCH", `/../../mailboxes/${inbox.workspace.mailboxId}`, { quota_bytes });
    expect((await checkRecipient(testContext(), inbox.workspace.mailbox)).accepted).toBe(false);

    await runAt(29 * DAY);
    expect([await subjects("Trash"), await subjects("Spam")]).toEqual([
      ["comes back", "moved on", "starred trash", "trash"],
      ["spam"],
    ]);
    await change("POST", "/messages/3/move?folder=Trash", { folder: "INBOX" });
    await change("POST", "/messages/4/move?folder=Trash", { folder: "Spam" });
    expect([await used(), await objects()]).toEqual([all, 7]);

    await runAt(30 * DAY + 60_000);
    expect([await subjects("INBOX"), await subjects("Trash"), await subjects("Spam")]).toEqual([
      ["comes back", "starred stays", "stays"],
      [],
      ["moved on"],
    ]);
    const kept = (await sizes("INBOX")) + (await sizes("Spam"));
    expect([await used(), await row(), (await object().quota()).messageCount]).toEqual([kept, kept, 4]);
    expect((await object().search("pelicans", "*", { limit: 50, offset: 0 }))?.total).toBe(4);
    expect((await object().listFolders()).filter(({ total }) => total > 0).map(({ name }) => name)).toEqual([
      "INBOX",
      "Spam",
    ]);
    expect((await checkRecipient(testContext(), inbox.workspace.mailbox)).accepted).toBe(true);
    expect((await inbox.call("GET", "/messages/1?folder=Trash")).status).toBe(404);

    await runAt(30 * DAY + 2 * HOUR);
    expect(await objects()).toBe(4);
    await runAt(59 * DAY + HOUR);
    expect([await subjects("Spam"), (await subjects("INBOX")).length]).toEqual([[], 3]);
    await runAt(90 * DAY);
    expect([(await subjects("INBOX")).length, await objects()]).toEqual([3, 3]);
  });

  it("are emptied 500 messages at a time, until nothing is left", async () => {
    const [trash, spam] = [5, 4];
    await fill(object(), 700, trash);
    await fill(object(), 500, spam);
    await runInDurableObject(object(), async (_, { storage }) => {
      storage.sql.exec(`INSERT INTO deliveries (key, object, at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100) SELECT i, 'o', 1 FROM n`);
      await storage.deleteAlarm();
    });
    // Without its alarm, which would run at a moment of its own between these runs.
    const run = () =>
      runInDurableObject(object(), async (instance, { storage }) => {
        await instance.alarm();
        const next = await storage.getAlarm();
        await storage.deleteAlarm();
        const rows = "SELECT (SELECT count(*) FROM messages) AS m, (SELECT count(*) FROM deliveries) AS d";
        return { ...storage.sql.exec(rows).one(), goesOnAtOnce: next !== null && next < Date.now() + 60_000 };
      });
    expect([await run(), await run(), await run()]).toEqual([
      { m: 700, d: 100, goesOnAtOnce: true },
      { m: 200, d: 0, goesOnAtOnce: true },
      { m: 0, d: 0, goesOnAtOnce: false },
    ]);
  });

  it("give their objects back later when R2 fails, and the alarm goes on", async () => {
    await receive("trash");
    await change("DELETE", "/messages/1");
    await runAt(31 * DAY);
    const { CONTENT: real } = env;
    const setObjects = (CONTENT: unknown) =>
      runInDurableObject(object(), (instance) => {
        Object.assign((instance as unknown as { env: object }).env, { CONTENT });
      });
    await setObjects({ delete: () => Promise.reject(new Error("R2 is down")) });
    const start = Date.now();
    await runAt(31 * DAY + HOUR).finally(() => setObjects(real));
    expect(await objects()).toBe(1);
    expect(await runInDurableObject(object(), (_, { storage }) => storage.getAlarm())).toBeGreaterThan(start);
    await runAt(31 * DAY + 2 * HOUR);
    expect(await objects()).toBe(0);
  });
});
