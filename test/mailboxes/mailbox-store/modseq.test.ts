import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { forgetExpunged, readChanges, readFolder } from "../../../src/mailboxes/mailbox-store/folder-state.ts";
import { migrate } from "../../../src/mailboxes/mailbox-store/index.ts";
import { aMessage, anEarlierStore, aStore, countRows, fill, insertEarlier } from "./support.ts";

type Store = ReturnType<typeof aStore>;

async function add(store: Store, changes: Parameters<typeof aMessage>[0] = {}) {
  const added = await store.add(aMessage(changes), null);
  if (added.result !== "added") throw new Error(added.result);
  return added.uid;
}

const changes = (store: Store, folder: string, since: number) => store.readChanges(folder, since);
const modseq = async (store: Store, folder = "INBOX") => (await store.readFolder(folder))?.modseq ?? 0;

/** Returns the UIDs that changed after a modification sequence, and those that were expunged. */
async function changedSince(store: Store, since: number, folder = "INBOX") {
  const state = await changes(store, folder, since);
  let uid = 0;
  return {
    changed: state?.uids.map((difference) => {
      uid += difference;
      return uid;
    }),
    expunged: state?.expunged,
  };
}

const all = { quotaBytes: null, mustExist: false };

describe("the modification sequence of a folder", () => {
  it("rises with each change of its messages, and tells which changed", async () => {
    const store = aStore();
    for (let n = 0; n < 3; n += 1) await add(store);
    let since = await modseq(store);
    const steps: [() => Promise<unknown>, number[], number[]][] = [
      [() => store.setFlags("INBOX", [2], { seen: true }), [2], []],
      [() => store.changeFlags("INBOX", [1, 3], { keywords: { mode: "add", names: ["$Junk"] } }), [1, 3], []],
      [() => store.changeFlags("INBOX", [3], { deleted: true, draft: true }), [3], []],
      [() => add(store), [4], []],
      [() => store.move("INBOX", [1], "Archive"), [], [1]],
      [() => store.expungeMarked("INBOX", null), [], [3]],
      [() => store.copy("INBOX", [2], "INBOX", all), [5], []],
      [() => store.expunge("INBOX", [2, 4]), [], [2, 4]],
    ];
    for (const [change, changed, expunged] of steps) {
      await change();
      expect(await changedSince(store, since)).toEqual({ changed, expunged });
      const next = await modseq(store);
      expect(next).toBeGreaterThan(since);
      since = next;
    }
    expect(await changedSince(store, since)).toEqual({ changed: [], expunged: [] });
  });

  it("does not rise by a change that changes nothing, and not by a change of another folder", async () => {
    const store = aStore();
    await add(store);
    await add(store, { folder: "Sent" });
    await store.changeFlags("INBOX", [1], { seen: true, keywords: { mode: "add", names: ["a"] } });
    const before = await modseq(store);
    await store.changeFlags("INBOX", [1], { seen: true, keywords: { mode: "add", names: ["A"] } });
    await store.changeFlags("INBOX", [1], { deleted: false, keywords: { mode: "remove", names: ["b"] } });
    await store.setFlags("Sent", [1], { flagged: true });
    expect(await modseq(store)).toBe(before);
  });

  it("rises in both folders when a message moves, and for what comes back from Spam and for a new draft", async () => {
    const store = aStore();
    await add(store, { folder: "Spam" });
    await add(store, { folder: "Drafts", draft: true });
    const [inbox, spam, drafts] = [await modseq(store), await modseq(store, "Spam"), await modseq(store, "Drafts")];
    await store.restore([1]);
    await store.replaceDraft(1, aMessage({ folder: "Drafts", draft: true }), null, null);
    expect(await changedSince(store, inbox)).toEqual({ changed: [1], expunged: [] });
    expect(await changedSince(store, spam, "Spam")).toEqual({ changed: [], expunged: [1] });
    expect(await changedSince(store, drafts, "Drafts")).toEqual({ changed: [2], expunged: [1] });
  });

  it("leaves messages alone that changed after the one that a client knows", async () => {
    const store = aStore();
    for (let n = 0; n < 3; n += 1) await add(store);
    const known = await modseq(store);
    await store.setFlags("INBOX", [2], { flagged: true });
    const result = await store.changeFlags("INBOX", [1, 2, 3, 9], { seen: true }, known);
    expect(result).toMatchObject({
      modified: [2],
      states: [
        { uid: 1, flags: 1 },
        { uid: 3, flags: 1 },
      ],
    });
    expect((await store.find("INBOX", 2))?.seen).toBe(false);
  });

  it("has all messages for a client that knows too little of what was expunged", async () => {
    const store = aStore();
    await fill(store, 20_010);
    const since = await modseq(store);
    await store.setFlags("INBOX", [20_010], { seen: true });
    for (let first = 1; first < 20_005; first += 5_000)
      await store.expunge(
        "INBOX",
        Array.from({ length: 5_000 }, (_, index) => first + index).filter((uid) => uid < 20_006),
      );
    expect((await changes(store, "INBOX", since))?.expunged).toHaveLength(20_005);
    const late = (await modseq(store)) - 100;
    await runInDurableObject(store, (_, { storage }) => forgetExpunged(storage.sql));
    expect(await changedSince(store, since)).toEqual({
      changed: [20_006, 20_007, 20_008, 20_009, 20_010],
      expunged: null,
    });
    expect((await changes(store, "INBOX", late))?.expunged).toHaveLength(100);
  });

  it("forgets a bounded number of expunged messages at a time", async () => {
    const store = aStore();
    const count = async () =>
      runInDurableObject(store, (_, { storage }) => {
        const read = (query: string) => Number(storage.sql.exec(query).one().n);
        return read("SELECT count(*) AS n FROM expunged");
      });
    await runInDurableObject(store, (_, { storage }) => {
      for (const folder of [1, 2])
        storage.sql.exec(
          `INSERT INTO expunged WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 45001)
           SELECT ${folder}, i, i FROM n`,
        );
      storage.sql.exec("UPDATE folders SET modseq = 45001 WHERE id IN (1, 2)");
    });
    const left: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      await runInDurableObject(store, (_, { storage }) => forgetExpunged(storage.sql));
      left.push(await count());
    }
    // Two runs for each folder, in any order; then nothing is left to do.
    expect(left.slice(0, 1)).toEqual([70_000]);
    expect(left.slice(3)).toEqual([20_000, 20_000]);
  });

  it("costs the rows of what changed", async () => {
    const store = aStore();
    await fill(store, 5_000);
    const since = await modseq(store);
    await store.setFlags("INBOX", [7, 4_000], { seen: true });
    const { result, rowsRead } = await countRows(store, (sql) => readChanges(sql, "INBOX", since));
    expect(result?.uids).toEqual([7, 3_993]);
    expect(rowsRead).toBeLessThan(20);
  });

  it("is there for a mailbox of an earlier version", async () => {
    const store = await anEarlierStore(6);
    const state = await runInDurableObject(store, (_, { storage }) => {
      for (const subject of ["one", "two"]) insertEarlier(storage.sql, { subject, thread: subject });
      migrate(storage.sql, Date.now());
      return readFolder(storage.sql, "INBOX");
    });
    expect(state).toMatchObject({ modseq: 1, uids: [1, 1], modseqs: [1, 0], flags: [0, 0] });
    await store.setFlags("INBOX", [2], { seen: true });
    expect(await changedSince(store, 1)).toEqual({ changed: [2], expunged: [] });
  });
});

describe("a folder that is selected", () => {
  it("has 10,000 messages in 200 KB", async () => {
    const store = aStore();
    await fill(store, 10_000);
    for (let uid = 1; uid <= 10_000; uid += 1_000)
      await store.setFlags(
        "INBOX",
        Array.from({ length: 500 }, (_, index) => uid + ((index * 7) % 1_000)),
        { seen: true, flagged: true },
      );
    const state = await store.readFolder("INBOX");
    expect(state?.uids).toHaveLength(10_000);
    expect(JSON.stringify(state).length).toBeLessThan(200_000);
  });
});

describe("keywords", () => {
  it("keep the letter case of their first use, and are of the whole mailbox", async () => {
    const store = aStore();
    await add(store);
    await add(store, { folder: "Sent" });
    await store.changeFlags("INBOX", [1], { keywords: { mode: "replace", names: ["$Forwarded", "todo"] } });
    await store.changeFlags("Sent", [1], { keywords: { mode: "add", names: ["TODO", "$forwarded", "x"] } });
    await store.changeFlags("Sent", [1], { keywords: { mode: "remove", names: ["X", "unknown"] } });
    const [inbox, sent] = [await store.readFolder("INBOX"), await store.readFolder("Sent")];
    expect(inbox?.keywords).toEqual(["$Forwarded", "todo", "x"]);
    expect([inbox?.keywordsOf, sent?.keywordsOf]).toEqual([
      { 0: ["$Forwarded", "todo"] },
      { 0: ["todo", "$Forwarded"] },
    ]);
  });

  it("are at most 200", async () => {
    const store = aStore();
    await add(store);
    const names = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);
    const change = (count: number) =>
      store.changeFlags("INBOX", [1], { seen: true, keywords: { mode: "add", names: names(count) } });
    expect(await change(201)).toEqual({ refused: "too-many-keywords" });
    expect((await store.find("INBOX", 1))?.seen).toBe(false);
    expect(await change(200)).toMatchObject({ states: [{ keywords: names(200) }] });
  });
});

describe("a copy", () => {
  it("of 5,000 messages is all or nothing (RFC 3501 6.4.7), and so is a move by numbers", async () => {
    const store = aStore();
    await fill(store, 5_000);
    const uids = Array.from({ length: 5_000 }, (_, index) => index + 1);
    const totals = async () => (await store.listFolders()).map(({ name, total }) => `${name} ${total}`);
    const before = await totals();
    expect(before[0]).toBe("INBOX 5000");
    const options = { quotaBytes: null, mustExist: true };
    expect(await store.copy("INBOX", [...uids, 5_001], "Archive", options)).toEqual({ unknown: "message" });
    expect(await store.moveAll("INBOX", [...uids, 5_001], "Archive")).toEqual({ unknown: "message" });
    const full = { quotaBytes: 99_999, mustExist: true };
    expect(await store.copy("INBOX", uids, "Archive", full)).toEqual({ refused: "over-quota" });
    expect(await totals()).toEqual(before);
    expect(await store.copy("INBOX", uids, "Archive", options)).toMatchObject({ usedBytes: 100_000 });
    expect(await store.moveAll("INBOX", uids, "Trash")).toHaveProperty("moved.4999", { uid: 5_000, newUid: 5_000 });
    expect((await totals())[5]).toBe("Archive 5000");
    expect((await totals())[4]).toBe("Trash 5000");
  });

  it("has the flags, labels and words of its message, and is a message of its own", async () => {
    const store = aStore();
    await add(store, { searchText: "pelican" });
    await store.saveLabel({ id: "l", name: "L", color: "#000000" }, true);
    await store.changeLabels("INBOX", [1], ["l"], "add");
    await store.setFlags("INBOX", [1], { seen: true, flagged: true });
    expect(await store.copy("INBOX", [1, 7], "Archive", all)).toMatchObject({ copied: [{ uid: 1, newUid: 1 }] });
    await store.expunge("INBOX", [1]);
    const [copy] = (await store.search("pelican", "Archive", { limit: 5, offset: 0 }))?.items ?? [];
    expect(copy).toMatchObject({ folder: "Archive", uid: 1, seen: true, flagged: true, labels: ["l"] });
  });

  it("keeps its content when the message is expunged, and it is deleted with the last of them", async () => {
    const store = aStore();
    const message = aMessage();
    await env.CONTENT.put(message.object, "content");
    await store.add(message, null);
    await store.copy("INBOX", [1], "Archive", all);
    const expunge = async (folder: string) => {
      await store.expunge(folder, [1]);
      await runInDurableObject(store, async (instance, { storage }) => {
        storage.sql.exec("UPDATE deleted_objects SET due_at = 0");
        await instance.alarm();
      });
      return (await env.CONTENT.head(message.object)) !== null;
    };
    expect([await expunge("INBOX"), await expunge("Archive")]).toEqual([true, false]);
  });

  it("counts for the quota, and none is made beyond it", async () => {
    const store = aStore();
    await add(store, { size: 400 });
    expect(await store.copy("INBOX", [1], "Archive", { quotaBytes: 799, mustExist: false })).toEqual({
      refused: "over-quota",
    });
    expect(await store.copy("INBOX", [1], "Archive", { quotaBytes: 800, mustExist: false })).toMatchObject({
      usedBytes: 800,
    });
    expect((await store.quota()).usedBytes).toBe(800);
  });
});
