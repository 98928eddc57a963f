import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { listMessages, searchMessages } from "../../../src/mailboxes/mailbox-store/read.ts";
import { aMessage, aStore, countRows, fill } from "./support.ts";

async function add(store: ReturnType<typeof aStore>, changes: Parameters<typeof aMessage>[0] = {}) {
  const added = await store.add(aMessage(changes), null);
  if (added.result !== "added") throw new Error(added.result);
  return added;
}

const uidsOf = async (store: ReturnType<typeof aStore>, folder: string) =>
  (await store.list(folder, { limit: 100, offset: 0 }))?.items.map(({ uid }) => uid);

/** Runs the alarm as two minutes after the messages were deleted for good. */
async function removeObjects(store: ReturnType<typeof aStore>) {
  await runInDurableObject(store, (_, { storage }) => {
    storage.sql.exec("UPDATE deleted_objects SET due_at = due_at - 3600000");
  });
  await runDurableObjectAlarm(store);
}

describe("folders", () => {
  it("a new mailbox has the six system folders, each with its own uidvalidity and no message", async () => {
    const folders = await aStore().listFolders();
    expect(folders.map(({ name, role }) => `${name} ${role}`)).toEqual([
      "INBOX inbox",
      "Sent sent",
      "Drafts drafts",
      "Spam spam",
      "Trash trash",
      "Archive archive",
    ]);
    expect(new Set(folders.map(({ uidvalidity }) => uidvalidity)).size).toBe(6);
    expect(folders.every(({ total, unseen, uidnext }) => total === 0 && unseen === 0 && uidnext === 1)).toBe(true);
  });

  it("INBOX is found in any letter case, and no folder can take a name that exists", async () => {
    const store = aStore();
    expect((await store.list("inbox", { limit: 1, offset: 0 }))?.total).toBe(0);
    expect(await store.createFolder("InBox")).toEqual({ refused: "taken" });
    expect(await store.createFolder("Work")).toMatchObject({ folder: { name: "Work", role: null } });
    for (const name of ["Work", "work", "WORK"]) expect(await store.createFolder(name)).toEqual({ refused: "taken" });
    await store.createFolder("Übung");
    await store.createFolder("Other");
    expect(await store.renameFolder("Other", "u\u0308bung")).toEqual({ refused: "taken" });
    expect(await store.renameFolder("Other", "OTHER")).toMatchObject({ folder: { name: "OTHER" } });
  });

  it("a folder that is created again under its name has a greater uidvalidity", async () => {
    const store = aStore();
    const validity = async () => {
      const created = await store.createFolder("Work");
      return "folder" in created ? created.folder.uidvalidity : 0;
    };
    const before = await validity();
    expect(await store.deleteFolder("Work")).toMatchObject({ folder: { name: "Work" } });
    expect(await validity()).toBeGreaterThan(before);
  });

  it("system folders are neither renamed nor deleted, and a folder with messages is not deleted", async () => {
    const store = aStore();
    expect(await store.renameFolder("Spam", "Ham")).toEqual({ refused: "system" });
    expect(await store.deleteFolder("INBOX")).toEqual({ refused: "system" });
    await store.createFolder("Work");
    await add(store, { folder: "Work" });
    expect(await store.deleteFolder("Work")).toEqual({ refused: "not-empty" });
    expect(await store.renameFolder("Work", "Old work")).toMatchObject({ folder: { name: "Old work", total: 1 } });
    expect(await store.renameFolder("Work", "x")).toEqual({ refused: "unknown" });
  });
});

describe("UIDs", () => {
  it("grow with each message of a folder, and never return after an expunge", async () => {
    const store = aStore();
    for (let count = 0; count < 3; count++) await add(store);
    expect(await store.expunge("INBOX", [3, 2])).toMatchObject({ uids: [2, 3] });
    expect((await add(store)).uid).toBe(4);
    expect(await uidsOf(store, "INBOX")).toEqual([4, 1]);
  });

  it("a move gives new UIDs, in order, and the old ones are gone", async () => {
    const store = aStore();
    for (let count = 0; count < 3; count++) await add(store);
    await add(store, { folder: "Archive" });
    expect(await store.move("INBOX", [3, 1, 99], "Archive")).toMatchObject({
      moved: [
        { uid: 1, newUid: 2 },
        { uid: 3, newUid: 3 },
      ],
    });
    expect(await store.find("INBOX", 1)).toBeNull();
    expect(await uidsOf(store, "INBOX")).toEqual([2]);
    expect(await store.move("Archive", [2], "INBOX")).toMatchObject({ moved: [{ uid: 2, newUid: 4 }] });
    expect(await store.move("INBOX", [4], "Nowhere")).toEqual({ unknown: "to" });
  });

  it("not-spam returns a message to the folder that it came from", async () => {
    const store = aStore();
    await store.createFolder("Work");
    await add(store, { folder: "Work" });
    await store.move("Work", [1], "Spam");
    expect(await store.restore([1])).toEqual([{ uid: 1, newUid: 2, folder: "Work" }]);
    expect(await uidsOf(store, "Spam")).toEqual([]);
  });

  it("not-spam returns a message to INBOX when it arrived in Spam or its folder was deleted", async () => {
    const store = aStore();
    await store.createFolder("Work");
    await add(store, { folder: "Spam" });
    await add(store, { folder: "Work" });
    await store.move("Work", [1], "Spam");
    await store.deleteFolder("Work");
    expect((await store.restore([1, 2])).map(({ folder }) => folder)).toEqual(["INBOX", "INBOX"]);
  });
});

describe("counters", () => {
  it("total, unseen, bytes and attachments follow every change", async () => {
    const store = aStore();
    const file = {
      partId: "2",
      contentType: "image/png",
      charset: null,
      encoding: "base64",
      at: 0,
      length: 9,
      size: 70,
    };
    const part = { ...file, filename: "a.png", contentId: null, use: "attachment" as const };
    await add(store, { size: 100, parts: [part] });
    await add(store, { size: 50 });
    await store.setFlags("INBOX", [1], { seen: true });
    await store.move("INBOX", [1], "Archive");
    const folders = await store.listFolders();
    const figures = (name: string) => folders.find((folder) => folder.name === name);
    expect(figures("INBOX")).toMatchObject({ total: 1, unseen: 1 });
    expect(figures("Archive")).toMatchObject({ total: 1, unseen: 0 });
    expect(await store.quota()).toEqual({ usedBytes: 150, messageCount: 2 });
    expect(await store.sections()).toEqual([
      { section: "INBOX", bytes: 50, count: 1 },
      { section: "Sent", bytes: 0, count: 0 },
      { section: "Drafts", bytes: 0, count: 0 },
      { section: "Spam", bytes: 0, count: 0 },
      { section: "Trash", bytes: 0, count: 0 },
      { section: "Archive", bytes: 100, count: 1 },
      { section: "attachments", bytes: 70, count: 1 },
    ]);
    expect(await store.expunge("Archive", [1])).toEqual({ uids: [1], usedBytes: 50 });
    expect((await store.sections()).at(-1)).toEqual({ section: "attachments", bytes: 0, count: 0 });
  });

  it("a message beyond the quota is refused and changes nothing", async () => {
    const store = aStore();
    expect(await store.add(aMessage({ size: 600 }), 1000)).toMatchObject({ result: "added", usedBytes: 600 });
    expect(await store.add(aMessage({ size: 401 }), 1000)).toEqual({ result: "over-quota", usedBytes: 600 });
    expect(await store.add(aMessage({ size: 400 }), 1000)).toMatchObject({ result: "added", usedBytes: 1000 });
    expect((await store.quota()).messageCount).toBe(2);
  });
});

it("a repeated delivery is stored once, also after the message was moved or expunged", async () => {
  const store = aStore();
  const first = aMessage({ deliveryKey: "k1" });
  await store.add(first, null);
  const again = { result: "duplicate", object: first.object };
  expect(await store.add(aMessage({ deliveryKey: "k1" }), null)).toMatchObject(again);
  await store.move("INBOX", [1], "Trash");
  await store.expunge("Trash", [1]);
  expect(await store.add(aMessage({ deliveryKey: "k1" }), null)).toMatchObject(again);
  expect(await store.quota()).toEqual({ usedBytes: 0, messageCount: 0 });
});

describe("threads", () => {
  it("a reply joins its original across folders, whichever arrives first", async () => {
    const store = aStore();
    const response = await add(store, {
      messageId: "<b@x>",
      inReplyTo: "<a@x>",
      references: ["<a@x>"],
      folder: "Sent",
    });
    const original = await add(store, { messageId: "<a@x>" });
    const third = await add(store, { messageId: "<c@x>", references: ["<a@x>", "<b@x>"] });
    const other = await add(store, { messageId: "<d@x>" });
    expect([original.threadId, third.threadId]).toEqual([response.threadId, response.threadId]);
    expect(other.threadId).not.toBe(response.threadId);
    const thread = await store.thread(response.threadId);
    expect(thread.map(({ folder, messageId }) => `${folder} ${messageId}`)).toEqual([
      "Sent <b@x>",
      "INBOX <a@x>",
      "INBOX <c@x>",
    ]);
  });
});

describe("labels", () => {
  it("are put on messages, stay over a move, and leave them when the label is deleted", async () => {
    const store = aStore();
    await store.saveLabel({ id: "l1", name: "Bills", color: "#ff0000" }, true);
    await store.saveLabel({ id: "l2", name: "Travel", color: "#00ff00" }, true);
    for (const name of ["Bills", "bills"])
      expect(await store.saveLabel({ id: "l3", name, color: "#000000" }, true)).toEqual({ refused: "taken" });
    await add(store);
    expect(await store.changeLabels("INBOX", [1], ["l1", "l2"], "replace")).toEqual({ uids: [1] });
    await store.move("INBOX", [1], "Archive");
    expect((await store.find("Archive", 1))?.labels).toEqual(["l1", "l2"]);
    await store.changeLabels("Archive", [1], ["l2"], "remove");
    expect((await store.find("Archive", 1))?.labels).toEqual(["l1"]);
    expect(await store.changeLabels("Archive", [1], ["nope"], "add")).toEqual({ unknown: "label" });
    expect([await store.deleteLabel("l1"), await store.deleteLabel("l1")]).toEqual([true, false]);
    expect((await store.find("Archive", 1))?.labels).toEqual([]);
  });
});

it("mail of a blocked sender arrives in Spam, in any spelling of its address", async () => {
  const store = aStore();
  await store.replaceBlockedSenders(["ada@example.org"]);
  expect((await add(store, { from: { email: "ADA@Example.ORG", name: null } })).folder).toBe("Spam");
  expect((await add(store, { from: { email: "bob@example.org", name: null } })).folder).toBe("INBOX");
});

it("addresses are completed by name and address, the most used first", async () => {
  const store = aStore();
  const to = (email: string, name: string | null) => ({ folder: "Sent", to: [{ email, name }] });
  await add(store, to("ada@example.org", "Ada Lovelace"));
  await add(store, to("bob@example.org", "Bob"));
  await add(store, to("bob@example.org", null));
  await add(store, { folder: "Spam", from: { email: "spam@example.org", name: "Lottery" } });
  expect((await store.addresses("EXAMPLE")).map(({ email }) => email)).toEqual(["bob@example.org", "ada@example.org"]);
  expect(await store.addresses("lovelace")).toEqual([{ email: "ada@example.org", name: "Ada Lovelace" }]);
});

describe("the alarm", () => {
  it("removes what has been in Trash or Spam for 30 days, with its objects, and nothing else", async () => {
    const store = aStore();
    const messages = ["INBOX", "Trash", "Spam", "Trash"].map((folder) => aMessage({ folder }));
    for (const message of messages) {
      await env.CONTENT.put(message.object, "a message");
      await store.add(message, null);
    }
    await runInDurableObject(store, (_, { storage }) => {
      storage.sql.exec("UPDATE messages SET arrived_at = arrived_at - 31 * 86400000 WHERE id < 4");
    });
    expect(await runDurableObjectAlarm(store)).toBe(true);
    await removeObjects(store);
    expect((await store.listFolders()).map(({ total }) => total)).toEqual([1, 0, 0, 0, 1, 0]);
    const kept = await Promise.all(messages.map(async ({ object }) => (await env.CONTENT.head(object)) !== null));
    expect(kept).toEqual([true, false, false, true]);
  });

  it("deletes the object of an expunged message, but not while a read of it may be running", async () => {
    const store = aStore();
    const message = aMessage();
    await env.CONTENT.put(message.object, "a message");
    await store.add(message, null);
    await store.expunge("INBOX", [1]);
    await runDurableObjectAlarm(store);
    expect(await env.CONTENT.head(message.object)).not.toBeNull();
    await removeObjects(store);
    expect(await env.CONTENT.head(message.object)).toBeNull();
  });
});

describe("a folder of 10,000 messages", () => {
  it("a page reads as many rows as in a folder of 300, wherever its cursor is", async () => {
    const [small, large] = [aStore(), aStore()];
    await fill(small, 300);
    await fill(large, 10_000);
    const page = (store: ReturnType<typeof aStore>, before?: number) =>
      countRows(store, (sql) => listMessages(sql, "INBOX", { limit: 50, offset: 0, before }));
    const [few, many, deep] = [await page(small), await page(large), await page(large, 5_000)];
    expect(many.result?.total).toBe(10_000);
    expect(deep.result?.items.map(({ uid }) => uid).slice(0, 2)).toEqual([4_999, 4_998]);
    expect(few.rowsRead).toBeLessThan(400);
    expect(many.rowsRead).toBe(few.rowsRead);
    expect(deep.rowsRead).toBeLessThanOrEqual(few.rowsRead + 2);
  });

  it("a search for a common, a rare or an absent word takes one call and reads the rows of its page", async () => {
    const store = aStore();
    await fill(store, 10_000);
    await fill(store, 300, 6);
    const search = (text: string, folder: string) =>
      countRows(store, (sql) => searchMessages(sql, text, folder, { limit: 50, offset: 0 }));
    const common = await search("common", "INBOX");
    expect([common.result?.items.length, common.result?.total]).toEqual([50, 10_000]);
    const rare = await search("seldom", "INBOX");
    expect(rare.result?.items.map(({ uid }) => uid)).toEqual(Array.from({ length: 10 }, (_, i) => 10_000 - i * 1000));
    expect((await search("nowhere", "*")).result).toEqual({ items: [], total: 0 });
    expect((await search("common", "Archive")).result).toMatchObject({ total: 300 });
    expect(rare.rowsRead).toBeLessThan(200);
  });
});

describe("search", () => {
  it("finds words in sender, recipients, subject and text by their beginning, whatever the accents", async () => {
    const store = aStore();
    await add(store, {
      from: { email: "grace@navy.example", name: "Grace Hopper" },
      cc: [{ email: "boss@corp.example", name: null }],
      subject: "Résumé des dépenses",
      searchText: "The compiler is ready. 東京都に住んでいます。",
    });
    await add(store, { subject: "Other" });
    for (const text of [
      "hopper",
      "grace@navy.example",
      "corp",
      "resume",
      "DÉPENSES",
      "compil",
      '"is ready"',
      "京都",
      "hopper compiler",
    ])
      expect((await store.search(text, "INBOX", { limit: 10, offset: 0 }))?.total, text).toBe(1);
    for (const text of [
      '"ready is"',
      "hopper missing",
      "!!!",
      '"',
      "grace OR zebra",
      "NEAR(",
      "subject:x*",
      "folder1",
      "* ^ - +",
    ])
      expect((await store.search(text, "INBOX", { limit: 10, offset: 0 }))?.total, text).toBe(0);
    expect(await store.search("x", "Nowhere", { limit: 10, offset: 0 })).toBeNull();
  });

  it("follows a message to its new folder", async () => {
    const store = aStore();
    await add(store, { subject: "Invoice" });
    await store.move("INBOX", [1], "Archive");
    const totals = async (folder: string) => (await store.search("invoice", folder, { limit: 10, offset: 0 }))?.total;
    expect([await totals("INBOX"), await totals("Archive"), await totals("*")]).toEqual([0, 1, 1]);
  });
});
