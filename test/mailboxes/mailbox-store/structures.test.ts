import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { plainStructure } from "../../../src/mail/structures/describe.ts";
import type { MessageStructure } from "../../../src/mail/structures/types.ts";
import { migrate } from "../../../src/mailboxes/mailbox-store/index.ts";
import { aMessage, anEarlierStore, aStore, fill, insertEarlier } from "./support.ts";

const wanted = { header: { text: "fields" as const, fields: ["subject"] }, structure: true };

it("messages of an earlier version get their headers and structures by the alarm, the newest first, and never without their objects", async () => {
  const store = await anEarlierStore(7);
  await runInDurableObject(store, (_, { storage }) => {
    for (let n = 0; n < 30; n += 1) insertEarlier(storage.sql, { subject: `s${n}`, thread: `t${n}` });
    storage.sql.exec("UPDATE messages SET object = ?1 || uid", `structures/${store.id}/`);
    migrate(storage.sql, Date.now());
  });
  // Of the first there is no object.
  for (let uid = 2; uid <= 30; uid += 1)
    await env.CONTENT.put(
      `structures/${store.id}/${uid}`,
      `Subject: number ${uid}\r\nContent-Type: text/html\r\n\r\nx`,
    );
  const uids = Array.from({ length: 30 }, (_, index) => index + 1);
  const known = async () =>
    (await store.fetchMessages("INBOX", uids, wanted))?.filter(({ structure }) => structure) ?? [];
  expect(await known()).toEqual([]);
  // Not by its own alarm, which would run at a moment of its own.
  const runAlarm = () =>
    runInDurableObject(store, async (instance, { storage }) => {
      await instance.alarm();
      const next = await storage.getAlarm();
      await storage.deleteAlarm();
      return next !== null && next < Date.now() + 30_000;
    });
  expect(await runAlarm()).toBe(true);
  expect((await known()).map(({ uid }) => uid)).toEqual(uids.slice(10));
  expect(await runAlarm()).toBe(false);
  expect((await known()).map(({ uid }) => uid)).toEqual(uids.slice(1));
  // The restore of the first has been late.
  await env.CONTENT.put(`structures/${store.id}/1`, "Content-Type: text/html\r\n\r\nx");
  await runAlarm();
  const all = await known();
  expect(all.map(({ uid }) => uid)).toEqual(uids);
  expect(all.at(-1)?.header).toBe("Subject: number 30\r\n\r\n");
  const types = all.map(({ structure = "" }) => (JSON.parse(structure) as MessageStructure).root.type);
  expect(types).toEqual(Array.from({ length: 30 }, () => "text/html"));
});

it("the alarm waits a minute after an object of an older message could not be read", async () => {
  const store = await anEarlierStore(7);
  const real = env.CONTENT;
  const start = Date.now();
  const next = await runInDurableObject(store, async (instance, { storage }) => {
    insertEarlier(storage.sql, { subject: "s", thread: "t" });
    migrate(storage.sql, Date.now());
    const get = () => Promise.reject(new Error("R2 is down"));
    Object.assign((instance as unknown as { env: object }).env, { CONTENT: { get } });
    await instance.alarm();
    const at = await storage.getAlarm();
    Object.assign((instance as unknown as { env: object }).env, { CONTENT: real });
    await storage.deleteAlarm();
    return at ?? 0;
  });
  expect(next).toBeGreaterThanOrEqual(start + 60_000);
});

it("a copy has the structure of its message, and an expunged message leaves none", async () => {
  const store = aStore();
  const structure = { version: 1, envelope: {}, root: { type: "text/plain" } } as unknown as MessageStructure;
  await store.add(aMessage({ header: "Subject: x\r\n\r\n", structure }), null);
  await store.copy("INBOX", [1], "Archive", { quotaBytes: null, mustExist: false });
  await store.expunge("INBOX", [1]);
  expect(await store.fetchMessages("Archive", [1], wanted)).toMatchObject([
    { header: "Subject: x\r\n\r\n", structure: JSON.stringify(structure) },
  ]);
  const rows = await runInDurableObject(store, (_, { storage }) =>
    storage.sql.exec("SELECT count(*) AS n FROM message_structures").one(),
  );
  expect(rows.n).toBe(1);
});

it("a search compares 1,000 messages in one call and says where it goes on", async () => {
  const store = aStore();
  await fill(store, 2_500);
  const found: number[] = [];
  const pages: (number | null)[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.searchByKey("INBOX", { key: "body", value: "eldo" }, after);
    found.push(...(page?.uids ?? []));
    after = page?.next ?? null;
    pages.push(after);
  }
  expect([found, pages]).toEqual([
    [1_000, 2_000],
    [1_000, 2_000, null],
  ]);
});

it("a search compares fewer messages in one call the more characters it compares, and finds the same", async () => {
  const store = aStore();
  await fill(store, 2_500);
  const keys = Array.from({ length: 30 }, () => ({ key: "body" as const, value: "eldo".padEnd(300, "x") }));
  const pages: (number | null)[] = [];
  const found: number[] = [];
  // 30 times 305 comparisons for each of at least 500 characters: at most 328 messages.
  for (let after: number | null = 0; after !== null; ) {
    const key = { key: "or" as const, keys: [...keys, { key: "body" as const, value: "eldo" }] };
    const page = await store.searchByKey("INBOX", key, after);
    found.push(...(page?.uids ?? []));
    expect((page?.next ?? after) - after).toBeLessThanOrEqual(328);
    after = page?.next ?? null;
    pages.push(after);
  }
  expect(found).toEqual([1_000, 2_000]);
  expect(pages.length).toBeGreaterThan(7);
});

it("what an earlier version guessed without the object is counted, found out once, and read again by mail programs", async () => {
  const store = await anEarlierStore(7);
  await runInDurableObject(store, (_, { storage }) => {
    insertEarlier(storage.sql, { subject: "s", thread: "t" });
    storage.sql.exec("UPDATE messages SET object = ?1", `guessed/${store.id}`);
    migrate(storage.sql, Date.now());
    const [{ size, header_size }] = storage.sql
      .exec<{ size: number; header_size: number }>("SELECT size, header_size FROM messages")
      .toArray() as [{ size: number; header_size: number }];
    const guess = JSON.stringify(plainStructure(header_size, size));
    storage.sql.exec("INSERT INTO message_structures VALUES (1, NULL, ?)", guess);
    storage.sql.exec("DELETE FROM structures_to_add");
  });
  await env.CONTENT.put(`guessed/${store.id}`, "Content-Type: text/html\r\n\r\nx");
  const before = (await store.readFolder("INBOX"))?.uidvalidity ?? 0;
  expect([await store.forgetGuesses(true), await store.forgetGuesses(false), await store.forgetGuesses(false)]).toEqual(
    [1, 1, 0],
  );
  await runInDurableObject(store, (instance) => instance.alarm());
  const [message] = (await store.fetchMessages("INBOX", [1], wanted)) ?? [];
  expect((JSON.parse(message?.structure ?? "{}") as MessageStructure).root.type).toBe("text/html");
  expect((await store.readFolder("INBOX"))?.uidvalidity).toBeGreaterThan(before);
});
