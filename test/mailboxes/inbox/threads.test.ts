import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { perTest } from "../../support/workspace.ts";
import { aMessage } from "../mailbox-store/support.ts";
import { anInbox, type Item } from "./support.ts";

const inbox = perTest(anInbox);

const store = () => env.MAILBOX.getByName(inbox.workspace.mailboxId);
const add = async (changes: Parameters<typeof aMessage>[0]) => {
  const added = await store().add(aMessage(changes), null);
  if (added.result !== "added") throw new Error(added.result);
  return added;
};
const threadOf = (id: string) => inbox.json<Item[]>("GET", `/threads/${id}`);
const addresses = async (q: string) =>
  (await inbox.json<{ email: string; name: string | null }[]>("GET", `/addresses?q=${encodeURIComponent(q)}`)).map(
    ({ email, name }) => `${email} ${name}`,
  );

describe("a thread", () => {
  it("has the messages of all folders, oldest first, whatever the order of their arrival", async () => {
    const ids = ["<a@x>", "<b@x>", "<c@x>", "<d@x>"];
    const at = (n: number) => ({ messageId: ids[n] ?? null, receivedAt: 1_000 * (n + 1), subject: ids[n] ?? "" });
    // The reply to a reply comes first; it names both.
    const { threadId } = await add({ ...at(2), references: ["<a@x>", "<b@x>"], inReplyTo: "<b@x>" });
    await add({ ...at(0), folder: "Sent" });
    await add({ ...at(3), inReplyTo: "<c@x>", folder: "Archive" });
    await add({ ...at(1), inReplyTo: "<a@x>", folder: "Trash" });
    await add({ messageId: "<other@x>", subject: "other" });
    const thread = await threadOf(threadId);
    expect(thread.map(({ subject, folder }) => `${subject} ${folder}`)).toEqual([
      "<a@x> Sent",
      "<b@x> Trash",
      "<c@x> INBOX",
      "<d@x> Archive",
    ]);
    expect(new Set(thread.map(({ thread_id }) => thread_id))).toEqual(new Set([threadId]));
    expect(await threadOf(threadId.toUpperCase())).toEqual(thread);
  });

  it("of more than 500 messages lists the newest 500, oldest first", async () => {
    const first = await add({ messageId: "<root@x>", receivedAt: 1 });
    for (let n = 2; n <= 503; n++) await add({ inReplyTo: "<root@x>", receivedAt: n, subject: `${n}` });
    const thread = await threadOf(first.threadId);
    expect([thread.length, thread[0]?.subject, thread.at(-1)?.subject]).toEqual([500, "4", "503"]);
  });

  it("stays after a move, loses expunged messages, and is a 404 without any", async () => {
    const { threadId } = await add({});
    await inbox.call("POST", "/messages/1/move", { folder: "Archive" });
    expect((await threadOf(threadId)).map(({ folder }) => folder)).toEqual(["Archive"]);
    await inbox.call("DELETE", "/messages/1?folder=Archive&expunge=true");
    expect((await inbox.call("GET", `/threads/${threadId}`)).status).toBe(404);
  });

  it("of hostile Message-IDs joins nothing that they do not name", async () => {
    const a = await add({ messageId: "<%@x>", inReplyTo: "' OR 1=1 --" });
    const b = await add({ messageId: "<b@x>", references: ['"', "\\", "<__proto__>"] });
    expect(a.threadId).not.toBe(b.threadId);
  });
});

describe("the completion of addresses", () => {
  const to = (email: string, name: string | null = null) => ({ folder: "Sent", to: [{ email, name }] });

  it("finds a part of the address or the name in any letter case, the most used first", async () => {
    await add(to("bob@example.org", "Bob Müller"));
    for (let n = 0; n < 3; n++) await add(to("ann@example.org", "Ann"));
    for (let n = 0; n < 2; n++) await add({ from: { email: "zoe@example.org", name: null } });
    expect(await addresses("example")).toEqual([
      "ann@example.org Ann",
      "zoe@example.org null",
      "bob@example.org Bob Müller",
    ]);
    expect(await addresses("BOB")).toEqual(["bob@example.org Bob Müller"]);
    expect(await addresses("müller")).toEqual(["bob@example.org Bob Müller"]);
    expect(await addresses("nobody")).toEqual([]);
    expect(await addresses("%_'\"")).toEqual([]);
  });

  it("returns at most 20, equal ones by address, and the newest name of each", async () => {
    for (let n = 30; n > 0; n--) await add(to(`u${String(n).padStart(2, "0")}@example.org`));
    await add(to("u05@example.org", "Five"));
    await add(to("u05@example.org"));
    const found = await addresses("");
    expect(found.length).toBe(20);
    expect(found.slice(0, 3)).toEqual(["u05@example.org Five", "u01@example.org null", "u02@example.org null"]);
  });

  it("knows no sender of spam, and no address of a draft", async () => {
    await add({ from: { email: "spam@example.org", name: null }, folder: "Spam" });
    await add({ to: [{ email: "draft@example.org", name: null }], folder: "Drafts" });
    expect(await addresses("")).toEqual([]);
  });
});
