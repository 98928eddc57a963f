/** Objects of mailboxes in R2 that no message names are deleted, and no others. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweepMailboxObjects } from "../../../src/operations/retention/sweep-mailbox-objects.ts";
import { sweepObjects } from "../../../src/operations/retention/sweep-objects.ts";
import { multipart } from "../../audience/contacts/csv-support.ts";
import { aRawMessage, deliver, objectsOf } from "../../mailboxes/inbound/support.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { runToEnd } from "../../support/retention.ts";
import { run } from "../../support/sending.ts";
import { testContext, until } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;

const sweepAt = (now: number, bindings: Record<string, unknown> = {}) =>
  runToEnd(sweepObjects(testContext(bindings, () => now)));

it("deletes objects without a message after a day; keeps messages, drafts and uploads", async () => {
  const inbox = await anInbox();
  const { mailboxId, apiKey } = inbox.workspace;
  await inbox.receive();
  await inbox.call("POST", "/drafts", { subject: "a" });
  const upload = multipart("a file");
  const headers = { Authorization: `Bearer ${apiKey}`, ...upload.headers };
  expect((await inbox.workspace.call("POST", inbox.path("/files"), upload.body, headers)).status).toBe(201);
  const named = await objectsOf(mailboxId);
  expect(named.length).toBe(3);
  const orphans = [`mailboxes/${mailboxId}/${crypto.randomUUID()}.eml`, `mailboxes/${mailboxId}/files/lost`];
  const nowhere = `mailboxes/${crypto.randomUUID()}/${crypto.randomUUID()}.eml`;
  for (const key of [...orphans, nowhere, "mailboxes/nonsense"]) await env.CONTENT.put(key, "x");
  await run("UPDATE object_sweep SET checked_key = ''");

  await sweepAt(Date.now() + DAY / 2);
  expect((await objectsOf(mailboxId)).length).toBe(5);
  expect(await env.CONTENT.head(nowhere)).not.toBeNull();

  await sweepAt(Date.now() + 2 * DAY);
  // The alarm of the mailbox deletes them.
  const left = await until(
    () => objectsOf(mailboxId),
    (keys) => keys.length <= named.length,
  );
  expect(left).toEqual(named);
  expect([await env.CONTENT.head(nowhere), await env.CONTENT.head("mailboxes/nonsense")]).toEqual([null, null]);
});

it("a mailbox that fails keeps its objects, and the others lose theirs", async () => {
  const [failing, working] = await Promise.all([anInbox(), anInbox()]);
  const keys = [failing, working].map(({ workspace }) => `mailboxes/${workspace.mailboxId}/lost.eml`);
  for (const key of keys) await env.CONTENT.put(key, "x");
  const getByName = (name: string) =>
    name === failing.workspace.mailboxId
      ? { removeUnknownObjects: () => Promise.reject(new Error("down")) }
      : env.MAILBOX.getByName(name);
  await sweepMailboxObjects(testContext({ MAILBOX: { getByName } }), keys);
  await until(
    () => objectsOf(working.workspace.mailboxId),
    (left) => left.length === 0,
  );
  expect(await objectsOf(failing.workspace.mailboxId)).toEqual([keys[0]]);
});

it("a delivery that is tried again has an object of its own, and that of the first attempt goes", async () => {
  const inbox = await anInbox();
  const { mailboxId, mailbox } = inbox.workspace;
  const store = env.MAILBOX.getByName(mailboxId);
  const raw = aRawMessage();
  // The first attempt stored the object only.
  await expect(deliver(mailbox, raw, { bindings: { MAILBOX: { getByName: () => ({}) } } })).rejects.toThrow();
  const [object = ""] = await objectsOf(mailboxId);
  await runInDurableObject(store, (_, { storage }) => {
    storage.sql.exec("INSERT INTO deleted_objects (object, due_at) VALUES (?, ?)", object, Date.now() + 60_000);
  });
  expect(await deliver(mailbox, raw)).toBeNull();
  expect((await objectsOf(mailboxId)).length).toBe(2);
  await runInDurableObject(store, (_, { storage }) => {
    storage.sql.exec("UPDATE deleted_objects SET due_at = 0");
  });
  expect(await store.removeUnknownObjects([])).toBe(0);
  await until(
    () => objectsOf(mailboxId),
    (left) => left.length === 1,
  );
  expect([(await inbox.list()).length, (await objectsOf(mailboxId)).includes(object)]).toEqual([1, false]);
  expect((await inbox.call("GET", "/messages/1/raw")).status).toBe(200);
});
