import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type ConversationRange, listConversations } from "../../../src/mailboxes/mailbox-store/conversations.ts";
import { migrate } from "../../../src/mailboxes/mailbox-store/index.ts";
import { openConversation } from "../../../src/mailboxes/mailbox-store/open-conversation.ts";
import { aMessage, anEarlierStore, aStore, countRows, fill, insertEarlier } from "./support.ts";

type Store = ReturnType<typeof aStore>;

const REPLY = { inReplyTo: "<first@example.org>" };
const FIRST = { messageId: "<first@example.org>" };

async function add(store: Store, changes: Parameters<typeof aMessage>[0] = {}) {
  const added = await store.add(aMessage(changes), null);
  if (added.result !== "added") throw new Error(added.result);
  return added;
}

const list = async (store: Store, folder = "INBOX", range: ConversationRange = { limit: 50 }) => {
  const page = await store.listConversations(folder, range);
  if (!page) throw new Error(`there is no folder ${folder}`);
  return page;
};

/** Makes every message of the inbox one of a single conversation. */
const join = (store: Store) =>
  runInDurableObject(store, (_, { storage }) => {
    storage.sql.exec("UPDATE messages SET thread = 'one' WHERE folder = 1");
  });

describe("the conversations of a folder", () => {
  it("are one row each, by their newest message there, with who wrote and how many messages there are", async () => {
    const store = aStore();
    await add(store, { ...FIRST, subject: "Plan" });
    await add(store, { subject: "Other" });
    await add(store, { ...REPLY, subject: "Re: Plan", from: { email: "grace@example.org", name: "Grace" } });
    const { items, total } = await list(store);
    expect(total).toBe(3);
    expect(items.map(({ subject, count, people }) => [subject, count, people.map(({ name }) => name)])).toEqual([
      ["Re: Plan", 2, ["Ada", "Grace"]],
      ["Other", 1, ["Ada"]],
    ]);
  });

  it("count messages of other folders, but not those in Trash and Spam, and drafts apart", async () => {
    const store = aStore();
    await add(store, { ...FIRST, subject: "Plan" });
    await add(store, { ...REPLY, folder: "Sent" });
    await add(store, { ...REPLY, folder: "Trash" });
    await add(store, { ...REPLY, folder: "Spam" });
    await add(store, { ...REPLY, folder: "Drafts" });
    expect((await list(store)).items).toMatchObject([{ subject: "Plan", count: 2, hasDraft: true }]);
    expect((await list(store, "Trash")).items).toMatchObject([{ count: 3 }]);
  });

  it("are unread while one of their messages in the folder is, wherever it stands", async () => {
    const store = aStore();
    const { uid } = await add(store, FIRST);
    for (let number = 0; number < 60; number++) await add(store, { ...REPLY, seen: true });
    expect((await list(store)).items).toMatchObject([{ seen: false, count: 51, hasMore: true }]);
    await store.setFlags("INBOX", [uid], { seen: true });
    expect((await list(store)).items).toMatchObject([{ seen: true }]);
  });

  it("are all on one page each, also behind a conversation of thousands of messages", async () => {
    const store = aStore();
    await fill(store, 4_500);
    for (const subject of ["One", "Two", "Three"]) await add(store, { subject, receivedAt: 1, seen: true });
    await runInDurableObject(store, (_, { storage }) => {
      storage.sql.exec("UPDATE messages SET thread = 'one' WHERE subject LIKE 'Subject %'");
    });
    const subjects: string[] = [];
    let pages = 0;
    let before: ConversationRange["before"];
    for (let hasMore = true; hasMore && pages < 10; pages++) {
      const page = await list(store, "INBOX", { limit: 2, before });
      subjects.push(...page.items.map(({ subject }) => subject));
      hasMore = page.next !== null;
      before = page.next ?? undefined;
    }
    expect(subjects).toEqual(["Subject 4499", "Three", "Two", "One"]);
    expect(pages).toBeLessThan(6);
  });

  it("read a bounded number of rows, however large the mailbox is and however long they are", async () => {
    const store = aStore();
    await fill(store, 6_000);
    const apart = await countRows(store, (sql) => listConversations(sql, "INBOX", { limit: 50 }));
    expect(apart.result?.items).toHaveLength(50);
    expect(apart.rowsRead).toBeLessThan(1_500);
    await join(store);
    const together = await countRows(store, (sql) => listConversations(sql, "INBOX", { limit: 50 }));
    expect(together.result?.items).toHaveLength(1);
    expect(together.rowsRead).toBeLessThan(10_000);
    const opened = await countRows(store, (sql) => openConversation(sql, "INBOX", 10));
    expect(opened.result?.messages).toHaveLength(10);
    expect(opened.rowsRead).toBeLessThan(3_000);
  });

  it("are found in a mailbox of an earlier version", async () => {
    const store = await anEarlierStore(5);
    const page = await runInDurableObject(store, (_, { storage }) => {
      insertEarlier(storage.sql, { subject: "Plan", thread: "t1" });
      insertEarlier(storage.sql, { subject: "Re: Plan", thread: "t1" });
      migrate(storage.sql, Date.now());
      return listConversations(storage.sql, "INBOX", { limit: 50 });
    });
    expect(page?.items).toMatchObject([{ subject: "Re: Plan", count: 2 }]);
  });
});

describe("an opened conversation", () => {
  it("has the newest 50 messages, and leads to the earlier ones and back", async () => {
    const store = aStore();
    await fill(store, 120);
    await join(store);
    const newest = await store.openConversation("INBOX", 120);
    expect(newest?.messages.map(({ uid }) => uid)).toEqual(Array.from({ length: 50 }, (_, index) => 71 + index));
    expect([newest?.earlier?.uid, newest?.newest, newest?.message.uid]).toEqual([70, null, 120]);
    const earlier = await store.openConversation("INBOX", 70);
    expect(earlier?.messages.map(({ uid }) => uid).slice(-1)).toEqual([70]);
    expect([earlier?.earlier?.uid, earlier?.newest?.uid]).toEqual([20, 120]);
    expect(await store.openConversation("INBOX", 121)).toBeNull();
    expect(await store.openConversation("Nowhere", 1)).toBeNull();
  });

  it("has messages of Trash only when it is opened there", async () => {
    const store = aStore();
    await add(store, FIRST);
    const reply = await add(store, { ...REPLY, folder: "Trash" });
    expect((await store.openConversation("INBOX", 1))?.messages.map(({ folder }) => folder)).toEqual(["INBOX"]);
    const inTrash = await store.openConversation("Trash", reply.uid);
    expect(inTrash?.messages.map(({ folder }) => folder)).toEqual(["INBOX", "Trash"]);
  });
});

describe("a change of selected messages", () => {
  const select = (threads: string[], uids: number[] = []) => ({ folder: "INBOX", uids, threads, upTo: 1_000 });
  const seen = { type: "flag", flag: "seen", isSet: true } as const;

  it("changes the messages that the folder has of a conversation, and says which it has changed", async () => {
    const store = aStore();
    const { threadId } = await add(store, FIRST);
    await add(store, { ...REPLY, seen: true });
    await add(store, { ...REPLY, folder: "Archive" });
    const { results } = await store.changeSelected([{ selection: select([threadId]), change: seen }]);
    expect(results).toEqual([{ count: 1, changed: [{ folder: "INBOX", uids: [1] }] }]);
    const moved = await store.changeSelected([
      { selection: select([threadId]), change: { type: "move", to: "Trash" } },
    ]);
    expect(moved.results).toEqual([{ count: 2, changed: [{ folder: "Trash", uids: [1, 2] }] }]);
    expect((await store.list("Archive", { limit: 10, offset: 0 }))?.items).toMatchObject([{ seen: false }]);
  });

  it("changes at most 500 messages at once", async () => {
    const store = aStore();
    await fill(store, 600);
    await join(store);
    const { results } = await store.changeSelected([{ selection: select(["one"]), change: seen }]);
    expect(results[0]).toMatchObject({ count: 500 });
    const rest = await store.changeSelected([{ selection: select(["one"]), change: seen }]);
    expect(rest.results[0]).toMatchObject({ count: 100 });
  });

  it("changes no message of a conversation whose UID is above the greatest one that was shown", async () => {
    const store = aStore();
    await fill(store, 4);
    await join(store);
    const selection = { ...select(["one"]), upTo: 2 };
    const changes = [
      seen,
      { ...seen, isSet: false },
      { type: "flag", flag: "flagged", isSet: true },
      { type: "move", to: "Trash" },
    ] as const;
    const changed: number[] = [];
    for (const change of changes) changed.push((await store.changeSelected([{ selection, change }])).results.length);
    expect(changed).toEqual([1, 1, 1, 1]);
    const left = await store.list("INBOX", { limit: 10, offset: 0 });
    expect(left?.items).toMatchObject([3, 4].reverse().map((uid) => ({ uid, seen: false, flagged: false })));
    const trash = await store.list("Trash", { limit: 10, offset: 0 });
    expect(trash?.items.map((item) => [item.seen, item.flagged])).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it("names the folder and the label that do not exist, and changes nothing", async () => {
    const store = aStore();
    await add(store);
    const { results } = await store.changeSelected([
      { selection: select([], [1]), change: { type: "move", to: "Nowhere" } },
      { selection: select([], [1]), change: { type: "label", labelId: "none", isAdded: true } },
    ]);
    expect(results).toEqual([{ unknown: "folder" }, { unknown: "label" }]);
    expect((await store.list("INBOX", { limit: 1, offset: 0 }))?.total).toBe(1);
  });

  it("changes nothing of other selections either when one names what does not exist", async () => {
    const store = aStore();
    await add(store);
    const { results } = await store.changeSelected([
      { selection: select([], [1]), change: seen },
      { selection: select([], [1]), change: { type: "move", to: "Archive" } },
      { selection: select([], [1]), change: { type: "label", labelId: "none", isAdded: true } },
    ]);
    const none = { count: 0, changed: [] };
    expect(results).toEqual([none, none, { unknown: "label" }]);
    expect((await store.list("INBOX", { limit: 1, offset: 0 }))?.items).toMatchObject([{ uid: 1, seen: false }]);
  });
});
