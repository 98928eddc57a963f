import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/lib/bytes.ts";
import { runImports } from "../../../src/mailboxes/inbox/archives/index.ts";
import { importNow, importRun } from "../../../src/mailboxes/inbox/archives/rules.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import { onMain } from "../../../src/platform/jobs/shards.ts";
import { MAX_CLAIMS } from "../../../src/platform/outbox/rules.ts";
import { database } from "../../support/databases.ts";
import { consumeQueues } from "../../support/queues.ts";
import { apiOn, discardingQueue, testContext } from "../../support/workspace.ts";
import { objectsOf } from "../inbound/support.ts";
import { startedImport } from "./started-import.ts";
import { anInbox, type Inbox } from "./support.ts";
import { aZip } from "./zip-files.ts";

consumeQueues("work");

interface BackgroundImport {
  id: string;
  status: string;
  size: number;
  read: number;
  imported: number;
  duplicates: number;
  skipped: number;
  errors: string[];
}

const MAILS = 30;
const mail = (n: number, bytes: number) =>
  `Subject: mail ${n}\r\nMessage-ID: <${n}@example.org>\r\n\r\n${"Some words of a mail.\r\n".repeat(Math.ceil(bytes / 23))}`;
const mboxOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => `From a Sat Nov 21 14:12:48 2026\r\n${mail(n, bytes)}\r\n`).join("");
const encode = (text: string) => utf8(text);
const LARGE = Math.ceil(importNow.archiveBytes / MAILS);
/** Archives beyond the bound; the ZIP archive has an mbox file between single messages, and a file that is no message. */
const archives = {
  mbox: async () => encode(mboxOf(MAILS, LARGE)),
  zip: async () =>
    aZip([
      { name: "mailbox.json", data: JSON.stringify({ folders: ["Work"], labels: [] }) },
      ...Array.from({ length: 5 }, (_, n) => ({ name: `${n}.eml`, data: mail(n, LARGE) })),
      { name: "readme.txt", data: "x" },
      { name: "Old.mbox", data: mboxOf(20, LARGE), deflate: true },
      ...Array.from({ length: 5 }, (_, n) => ({ name: `Work/${n}.eml`, data: mail(100 + n, LARGE) })),
      { name: "padding.txt", data: new Uint8Array(importNow.archiveBytes) },
    ]),
};

/** Uploads an archive, without the queue message that would continue its import. */
async function post(inbox: Inbox, archive: Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { "Content-Type": "application/octet-stream", "Content-Length": String(archive.length) };
  const api = apiOn({ WORK: discardingQueue }, inbox.workspace.apiKey);
  return api.call("POST", inbox.path("/import"), new Blob([archive]).stream(), headers);
}

async function start(inbox: Inbox, archive: Uint8Array<ArrayBuffer>): Promise<BackgroundImport> {
  const response = await post(inbox, archive);
  expect(response.status).toBe(202);
  return response.json<BackgroundImport>();
}

const progressOf = (inbox: Inbox, id: string) => inbox.json<BackgroundImport>("GET", `/imports/${id}`);
const rowOf = (id: string) =>
  env.DB.prepare("SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1").bind(id).first<WakeUp>();

/** Continues an import by one run, also when a run that failed still has the lease. Returns whether its row is left. */
async function runOnce(id: string, bounds = importRun as { messages: number; bytes: number }, bindings = {}) {
  await env.DB.prepare("UPDATE outbox SET due_at = 1, token = NULL, leased_until = 0 WHERE id = ?1").bind(id).run();
  const row = await rowOf(id);
  if (row) await runImports(onMain(testContext({ WORK: discardingQueue, ...bindings })), [row], bounds);
  return (await rowOf(id)) !== null;
}

async function runToEnd(id: string, bounds?: { messages: number; bytes: number }): Promise<number> {
  let runs = 1;
  while (await runOnce(id, bounds)) runs += 1;
  return runs;
}

describe("an archive beyond the bound", () => {
  for (const [format, make] of Object.entries(archives)) {
    it(`as ${format} is imported in runs of bounded work, with progress, and its upload is deleted at the end`, async () => {
      const inbox = await anInbox();
      const started = await start(inbox, await make());
      expect(started).toMatchObject({ status: "running", read: 0, imported: 0 });
      const seen = [];
      while (await runOnce(started.id, { messages: 7, bytes: importRun.bytes }))
        seen.push(await progressOf(inbox, started.id));
      for (const [index, { imported, skipped, read }] of seen.entries()) {
        const before = seen[index - 1] ?? { imported: 0, skipped: 0, read: 0 };
        expect(imported + skipped - before.imported - before.skipped).toBeLessThanOrEqual(7);
        expect(read).toBeGreaterThanOrEqual(before.read);
      }
      expect(seen.length).toBeGreaterThanOrEqual(4);
      const skipped = format === "zip" ? 2 : 0;
      const end = { status: "done", imported: MAILS, duplicates: 0, skipped, read: started.size };
      expect(await progressOf(inbox, started.id)).toMatchObject(end);
      expect(await inbox.json("GET", "/imports")).toEqual([await progressOf(inbox, started.id)]);
      const quota = await inbox.json<{ message_count: number }>("GET", "/quota");
      expect(quota.message_count).toBe(MAILS);
      await runDurableObjectAlarm(env.MAILBOX.getByName(inbox.workspace.mailboxId));
      const objects = await objectsOf(inbox.workspace.mailboxId);
      expect([objects.length, objects.filter((key) => key.includes("/files/"))]).toEqual([MAILS, []]);
    });

    it(`as ${format} loses and doubles nothing when any call of a run fails, before or after it took effect`, async () => {
      const inbox = await anInbox();
      const { id } = await start(inbox, await make());
      let failed = 0;
      for (let call = 0; ; call += 3) {
        const calls = { left: call, isAfter: call % 2 === 0 };
        const isLeft = await runOnce(id, { messages: 11, bytes: importRun.bytes }, failingAt(calls)).catch(() => true);
        if (calls.left < 0) failed += 1;
        // Each run gets further than the one before, until a failure comes after its last call.
        if (!isLeft) break;
      }
      expect(failed).toBeGreaterThan(5);
      expect(await progressOf(inbox, id)).toMatchObject({ status: "done", imported: MAILS, duplicates: 0 });
      expect((await inbox.json<{ message_count: number }>("GET", "/quota")).message_count).toBe(MAILS);
      await runDurableObjectAlarm(env.MAILBOX.getByName(inbox.workspace.mailboxId));
      expect((await objectsOf(inbox.workspace.mailboxId)).length).toBe(MAILS);
    });
  }

  it("of more than a thousand small messages responds with what it has imported, and continues behind it", async () => {
    const inbox = await anInbox();
    const started = await start(inbox, encode(mboxOf(importNow.messages + 3, 10)));
    expect(started).toMatchObject({ status: "running", imported: importNow.messages });
    expect(started.read).toBeGreaterThan(0);
    expect(await runToEnd(started.id)).toBe(1);
    expect(await progressOf(inbox, started.id)).toMatchObject({ status: "done", imported: importNow.messages + 3 });
  });

  it("is continued by its queue message", async () => {
    const inbox = await anInbox();
    const archive = await archives.mbox();
    const headers = { "Content-Type": "application/mbox", "Content-Length": String(archive.length) };
    const response = await inbox.workspace.call("POST", inbox.path("/import"), new Blob([archive]).stream(), headers);
    const { id } = await response.json<BackgroundImport>();
    await expect.poll(async () => (await progressOf(inbox, id)).status, { timeout: 20_000 }).toBe("done");
  });
});

describe("an import in the background", () => {
  it("is moved by one of two runs only", async () => {
    const inbox = await anInbox();
    const { id } = await start(inbox, await archives.mbox());
    await runOnce(id, { messages: 5, bytes: importRun.bytes });
    const store = env.MAILBOX.getByName(inbox.workspace.mailboxId);
    const known = await store.findImport(id);
    const stale = { id, step: 0, cursor: known?.cursor ?? fail(), added: known?.counts ?? fail() };
    expect(await store.importMessages([], null, stale)).toBeNull();
    expect((await store.findImport(id))?.counts.imported).toBe(5);
  });

  it("ends when the mailbox is full, and says so", async () => {
    const inbox = await anInbox();
    const { id } = await start(inbox, await archives.mbox());
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { quota_bytes: 3 * LARGE });
    await runToEnd(id);
    const { status, imported, errors } = await progressOf(inbox, id);
    expect([status, imported, errors]).toEqual(["done", 2, ["The mailbox is full; the rest was not imported"]]);
  });

  it("fails after its runs were interrupted too often, or when it did not move for a day", async () => {
    const inbox = await anInbox();
    const { id } = await start(inbox, await archives.mbox());
    const object = env.MAILBOX.getByName(inbox.workspace.mailboxId);
    const age = (of: string, ms: number) =>
      runInDurableObject(object, (_, { storage }) => {
        storage.sql.exec("UPDATE imports SET updated_at = updated_at - ? WHERE id = ?", ms, of);
      });
    await env.DB.prepare("UPDATE outbox SET claims = ?2 WHERE id = ?1").bind(id, MAX_CLAIMS).run();
    await age(id, 600_001);
    await runToEnd(id);
    expect(await progressOf(inbox, id)).toMatchObject({ status: "failed", imported: 0 });
    const lost = await startedImport(inbox.workspace.mailboxId);
    await age(lost, 86_400_001);
    await runDurableObjectAlarm(object);
    expect(await progressOf(inbox, lost)).toMatchObject({ status: "failed" });
    expect((await inbox.call("GET", `/imports/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it("ends with its mailbox, and five at most run at a time", async () => {
    const inbox = await anInbox();
    const archive = await archives.mbox();
    const { id } = await start(inbox, archive);
    for (let n = 0; n < 4; n++) await startedImport(inbox.workspace.mailboxId);
    expect((await post(inbox, archive)).status).toBe(409);
    expect((await objectsOf(inbox.workspace.mailboxId)).length).toBe(1);
    await database.run("DELETE FROM mailboxes WHERE id = ?1", [inbox.workspace.mailboxId]);
    expect(await runOnce(id)).toBe(false);
  });
});

const fail = (): never => {
  throw new Error("the import is not stored");
};

/** Returns bindings of R2 and the mailboxes of which one call fails: after `left` others, before or after it took effect. */
function failingAt(calls: { left: number; isAfter: boolean }) {
  const guard = async (run: () => unknown) => {
    calls.left -= 1;
    if (calls.left !== -1) return run();
    if (calls.isAfter) await run();
    throw new Error("the process was killed");
  };
  const guarded = <Target extends object>(target: Target, names: readonly string[]): Target =>
    new Proxy(target, {
      get: (real, name) => {
        const method = (...args: unknown[]) =>
          (real as Record<string, (...args: unknown[]) => unknown>)[String(name)]?.(...args);
        return names.includes(String(name)) ? (...args: unknown[]) => guard(() => method(...args)) : method;
      },
    });
  const stub = ["findImport", "findImported", "importMessages", "createContents", "endImport"];
  return {
    CONTENT: guarded(env.CONTENT, ["put", "get", "delete"]),
    MAILBOX: { getByName: (id: string) => guarded(env.MAILBOX.getByName(id), stub) },
  };
}
