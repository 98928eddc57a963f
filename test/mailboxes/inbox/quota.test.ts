import { describe, expect, it } from "vitest";
import { checkRecipient } from "../../../src/mailboxes/inbound/index.ts";
import { database } from "../../support/databases.ts";
import { perTest, testContext } from "../../support/workspace.ts";
import { aRawMessage, deliver, objectsOf } from "../inbound/support.ts";
import { anInbox } from "./support.ts";

const inbox = perTest(anInbox);

const FULL = "452 4.2.2 The mailbox is full";
/** Returns a message of exactly this number of bytes. */
function messageOf(bytes: number): string {
  const raw = aRawMessage({}, "");
  return `${raw}${"x".repeat(bytes - raw.length)}`;
}
const setQuota = (quota_bytes: number | null) =>
  inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { quota_bytes });
/** Delivers a message and returns the reply that refuses it for now, or null. A 4xx is thrown, so that the sender tries again. */
const send = (raw: string) => deliver(inbox.workspace.mailbox, raw).catch((error: unknown) => (error as Error).message);
const receive = (bytes: number) => send(messageOf(bytes));
const used = async () => (await inbox.json<{ used_bytes: number }>("GET", "/quota")).used_bytes;
const row = () => database.value("SELECT used_bytes FROM mailboxes WHERE id = ?1", [inbox.workspace.mailboxId]);
const checkRcpt = () => checkRecipient(testContext(), inbox.workspace.mailbox);

describe("the quota of a mailbox", () => {
  it("takes mail up to the last byte and refuses one byte more with a 452, without a trace of it", async () => {
    await setQuota(2_000);
    expect(await receive(1_000)).toBeNull();
    expect(await receive(1_001)).toBe(FULL);
    expect([await used(), (await objectsOf(inbox.workspace.mailboxId)).length]).toEqual([1_000, 1]);
    expect(await checkRcpt()).toEqual({ accepted: true, kind: "mailbox" });
    expect(await receive(1_000)).toBeNull();
    expect([await used(), await row()]).toEqual([2_000, 2_000]);
    expect(await checkRcpt()).toEqual({ accepted: false, reply: FULL });
  });

  it("holds when many messages arrive at once: as many as fit are stored, and the others get a 452", async () => {
    await setQuota(5_000);
    const results = await Promise.all(Array.from({ length: 12 }, () => receive(1_000)));
    expect(results.filter((result) => result === null).length).toBe(5);
    expect(results.filter((result) => result === FULL).length).toBe(7);
    expect([await used(), (await inbox.list()).length]).toEqual([5_000, 5]);
    expect((await objectsOf(inbox.workspace.mailboxId)).length).toBe(5);
  });

  it("counts all folders; deleting for good makes room at once, moving to Trash does not", async () => {
    await setQuota(2_000);
    await receive(1_000);
    await receive(1_000);
    await inbox.call("DELETE", "/messages/1");
    expect(await receive(1_000)).toBe(FULL);
    await inbox.call("DELETE", "/messages/1?folder=Trash");
    expect([await row(), await checkRcpt()]).toEqual([1_000, { accepted: true, kind: "mailbox" }]);
    expect(await receive(1_000)).toBeNull();
  });

  it("returns 452 to a repeat of refused mail until there is room, and stores it once then", async () => {
    await setQuota(1_500);
    const raw = messageOf(1_000);
    await receive(1_000);
    for (let attempt = 0; attempt < 3; attempt++) expect(await send(raw)).toBe(FULL);
    await setQuota(2_000);
    for (let attempt = 0; attempt < 3; attempt++) expect(await send(raw)).toBeNull();
    expect([await used(), (await inbox.list()).length]).toEqual([2_000, 2]);
  });

  it("takes mail again after a full mailbox was emptied, although its new size was not saved in its row", async () => {
    await setQuota(1_000);
    await receive(1_000);
    const full = await row();
    await inbox.call("DELETE", "/messages/1?expunge=true");
    await database.run("UPDATE mailboxes SET used_bytes = ?2 WHERE id = ?1", [inbox.workspace.mailboxId, full]);
    expect(await checkRcpt()).toEqual({ accepted: true, kind: "mailbox" });
    expect(await row()).toBe(0);
    expect([await receive(1_000), await checkRcpt()]).toEqual([null, { accepted: false, reply: FULL }]);
  });

  it("keeps a draft whose new version has no room, with its text", async () => {
    const draft = { to: ["ada@example.org"], subject: "Kept", text: "What was written so far." };
    expect((await inbox.call("POST", "/drafts", draft)).status).toBe(201);
    await setQuota(2_000);
    const replaced = await inbox.call("PUT", "/drafts/1", { ...draft, text: "x".repeat(3_000) });
    expect([replaced.status, await replaced.json()]).toEqual([409, { detail: "The mailbox is full" }]);
    expect((await inbox.list("Drafts")).map(({ uid, subject }) => [uid, subject])).toEqual([[1, "Kept"]]);
    const { text } = await inbox.json<{ text: string }>("GET", "/messages/1?folder=Drafts");
    expect(text).toContain("What was written so far.");
    expect((await objectsOf(inbox.workspace.mailboxId)).length).toBe(1);
  });

  it("that is lowered below what is stored refuses everything and keeps what is there; none takes everything", async () => {
    await receive(1_000);
    await setQuota(0);
    expect([await receive(500), (await checkRcpt()).accepted]).toEqual([FULL, false]);
    const draft = await inbox.call("POST", "/drafts", { subject: "a" });
    expect([draft.status, await draft.json()]).toEqual([409, { detail: "The mailbox is full" }]);
    expect((await inbox.list()).length).toBe(1);
    await setQuota(null);
    expect(await receive(500)).toBeNull();
  });
});
