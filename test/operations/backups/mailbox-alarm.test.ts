import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { database } from "../../support/databases.ts";
import { apiWith, testContext } from "../../support/workspace.ts";

const DAY = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

it("a restored mailbox deletes what has been in Trash for 30 days, though its object had no alarm", async () => {
  const start = Date.now();
  const due = start + 30 * DAY + 1;
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  const inbox = await anInbox();
  for (const Subject of ["in Trash", "in the inbox"]) await inbox.receive({ Subject });
  expect((await inbox.call("DELETE", "/messages/1")).status).toBe(200);
  const object = env.MAILBOX.getByName(inbox.workspace.mailboxId);
  // A restore writes rows past the methods that set the alarm, into an object that has none.
  await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());

  expect((await repair(`mailbox-${inbox.workspace.mailboxId}`)).status).toBe(200);
  expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBe(due);

  vi.setSystemTime(due);
  expect(await runDurableObjectAlarm(object)).toBe(true);
  const left = async (folder: string) =>
    ((await object.list(folder, { limit: 200, offset: 0 }))?.items ?? []).map(({ subject }) => subject);
  expect(await left("Trash")).toEqual([]);
  expect(await left("INBOX")).toEqual(["in the inbox"]);
});

it("the folders of a restored mailbox have a greater uidvalidity, so that no client takes a new message for one that it knows", async () => {
  const inbox = await anInbox();
  await inbox.receive({ Subject: "one" });
  const object = env.MAILBOX.getByName(inbox.workspace.mailboxId);
  await object.createFolder("Later");
  const greatest = async () => Math.max(...(await object.listFolders()).map(({ uidvalidity }) => uidvalidity));
  const before = await greatest();
  expect((await repair(`mailbox-${inbox.workspace.mailboxId}`, "another")).status).toBe(200);
  const after = (await object.listFolders()).map(({ uidvalidity }) => uidvalidity);
  expect(Math.min(...after)).toBeGreaterThan(before);
  expect(new Set(after).size).toBe(7);
  await object.createFolder("Last");
  expect(await greatest()).toBeGreaterThan(Math.max(...after));
});

/** Repairs a store as the last step of a restore does. */
async function repair(store: string, id = "a-backup"): Promise<Response> {
  await database.run("INSERT INTO restores (id, started_at) VALUES (?2, ?1)", [Date.now(), id]);
  const operator = { sub: "operator", sid: "operator", wid: "operator" };
  const { token } = await signAccessToken(testContext(), "backup", operator);
  const input = { id, store, start: { lastN: 0, broadcasts: [] }, cursor: { step: 0, after: 0 } };
  return apiWith(null).post("/auth/restore/repair", input, { Authorization: `Bearer ${token}` });
}
