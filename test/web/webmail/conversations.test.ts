import { describe, expect, it } from "vitest";
import { countingMailbox } from "../../support/counting-mailbox.ts";
import { browser } from "../../support/sign-ins.ts";
import { perTest } from "../../support/workspace.ts";
import { aMailbox, toText, valuesOf } from "./support.ts";

const box = perTest(aMailbox);

const FIRST = { Subject: "Plan", "Message-ID": "<plan@example.org>" };
const REPLY = {
  Subject: "Re: Plan",
  From: "Grace Hopper <grace@example.org>",
  "In-Reply-To": "<plan@example.org>",
  References: "<plan@example.org>",
};

/** Returns the messages of a conversation, each with the attribute of an open one. */
const openOf = (html: string) =>
  [...html.matchAll(/<article[^>]*id="([^"]*)"[^>]*><details([^>]*)>/g)].map(([, id, open]) => [id, open?.trim()]);

interface Item {
  uid: number;
  subject: string;
  seen: boolean;
  flagged: boolean;
  labels: string[];
}

const items = async (folder = "INBOX") => (await box.list(folder)) as unknown as Item[];
const follow = async (response: Response) => {
  expect(response.status).toBe(303);
  return box.read(response.headers.get("Location") ?? "");
};
/** Submits the list of a folder, or a page of one of its conversations, as they are now. */
const act = async (action: string, fields: [string, string][], folder = "INBOX") => {
  const hasThread = fields.some(([name]) => name === "thread");
  const [upTo = ""] = hasThread ? valuesOf((await box.read(box.path(`/${folder}`))).html, "up_to") : [];
  const more: [string, string][] = hasThread ? [["up_to", upTo]] : [];
  return box.submit(box.path(`/${folder}`), [["action", action], ...fields, ...more]);
};
const threadsOf = async (folder = "INBOX") => valuesOf((await box.read(box.path(`/${folder}`))).html, "thread");
const aLabel = async (): Promise<string> => {
  const path = `/v1/inbox/${box.workspace.mailboxId}/labels`;
  return (await box.workspace.create(path, { name: "Bills", color: "#a4262c" })).id;
};

describe("the list of a folder", () => {
  it("has one row for a conversation, with its people, its count and its newest message", async () => {
    await box.receive(FIRST, "Shall we?\r\n");
    await box.receive({ Subject: "Other" });
    await box.receive(REPLY, "We shall.\r\n");
    const { html, text } = await box.read(box.path("/INBOX"));
    expect(valuesOf(html, "thread")).toHaveLength(2);
    expect(text).toMatch(/Ada, Grace 2 messages New: Re: Plan We shall\..*Other.*/s);
    expect(text).not.toContain("Shall we?");
    expect(text).toContain("3 messages");
  });

  it("has one row for each message that a search found, and for each draft", async () => {
    await box.receive(FIRST, "figures\r\n");
    await box.receive(REPLY, "figures\r\n");
    const found = await box.read(box.path("/INBOX?q=figures"));
    expect([valuesOf(found.html, "uid"), valuesOf(found.html, "thread")]).toEqual([["2", "1"], []]);
    const drafts = `/v1/inbox/${box.workspace.mailboxId}/drafts`;
    for (let number = 0; number < 2; number++)
      await box.workspace.post(drafts, { subject: "Re: Plan", in_reply_to: "<plan@example.org>" });
    expect(valuesOf((await box.read(box.path("/Drafts"))).html, "uid")).toHaveLength(2);
    expect((await box.read(box.path("/INBOX"))).text).toContain("2 messages Draft");
  });

  it("offers to move only in a menu, where no folder is chosen beforehand", async () => {
    await box.receive();
    for (const path of [box.path("/INBOX"), box.path("/INBOX/1")])
      expect((await box.read(path)).html, path).not.toMatch(/<select|<option/);
  });
});

describe("an action on a row", () => {
  it("changes the messages that the folder has of the conversation, and none of other folders", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    await box.receive({ Subject: "Other" });
    await act("move:Archive", [["uid", "1"]]);
    const [, conversation = ""] = await threadsOf();
    const { text } = await follow(await act("delete", [["thread", conversation]]));
    expect(text).toContain("1 message moved to Trash.");
    const subjects = async (folder: string) => (await items(folder)).map(({ subject }) => subject);
    expect([await subjects("INBOX"), await subjects("Archive"), await subjects("Trash")]).toEqual([
      ["Other"],
      ["Plan"],
      ["Re: Plan"],
    ]);
  });

  it("is undone by the button of the next page, and changes no message that was so before", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    const label = await aLabel();
    const state = async () =>
      (await items()).map(({ subject, seen, flagged, labels }) => [subject, seen, flagged, labels.length]);
    await act("seen", [["uid", "2"]]);
    await act(`label:${label}`, [["uid", "2"]]);
    await act("flag", [["uid", "2"]]);
    const before = await state();
    const actions = ["delete", "spam", "move:Archive", "seen", "unseen", "flag", "unflag"];
    for (const action of [...actions, `label:${label}`, `unlabel:${label}`]) {
      const [conversation = ""] = await threadsOf();
      const { html } = await follow(await act(action, [["thread", conversation]]));
      expect(await state(), action).not.toEqual(before);
      const undone = await follow(await act("undo", [["undo", valuesOf(html, "undo")[0] ?? ""]]));
      expect(undone.text, action).toMatch(/\d messages? (moved|changed) back\./);
      expect((await state()).sort(), action).toEqual(before.toSorted());
    }
  });

  it("deletes a conversation in Trash for good only after a page has asked", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    await act("delete", [["thread", (await threadsOf())[0] ?? ""]]);
    const [conversation = ""] = await threadsOf("Trash");
    const asked = await act("delete", [["thread", conversation]], "Trash");
    const html = await asked.text();
    expect(toText(html)).toContain("Delete this conversation for good?");
    expect(await items("Trash")).toHaveLength(2);
    const fields: [string, string][] = [
      ["confirmed", "yes"],
      ["thread", valuesOf(html, "thread")[0] ?? ""],
    ];
    const { text } = await follow(await act("delete", fields, "Trash"));
    expect(text).toContain("2 messages deleted for good.");
    expect(text).not.toContain("Undo");
    expect(await items("Trash")).toEqual([]);
  });
});

describe("an opened conversation", () => {
  it("has its messages of all folders below each other; those that were read are folded", async () => {
    await box.receive(FIRST, "Shall we?\r\n");
    await box.receive(REPLY, "We shall.\r\n");
    await act("move:Archive", [["uid", "1"]]);
    await act("seen", [["uid", "1"]], "Archive");
    const first = await box.read(box.path("/INBOX/2"));
    expect(openOf(first.html)).toEqual([
      ["m-1-Archive", ""],
      ["m-2-INBOX", 'open=""'],
    ]);
    expect(first.text).toMatch(
      /Ada Lovelace Archive Shall we\?.*Grace Hopper.*We shall\..*Reply Reply to all Forward/s,
    );
    await box.receive({ ...REPLY, Subject: "Re: Re: Plan" }, "When?\r\n");
    await act("unseen", [["uid", "1"]], "Archive");
    expect(openOf((await box.read(box.path("/INBOX/2"))).html).map(([, open]) => open)).toEqual(
      Array(3).fill('open=""'),
    );
  });

  it("marks all its messages as read that are shown, in the menu too", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    await box.receive({ Subject: "Other" });
    expect((await box.read(box.path("/INBOX/2"))).text).toContain("1 new");
    expect((await items()).map(({ subject, seen }) => [subject, seen])).toEqual([
      ["Other", false],
      ["Re: Plan", true],
      ["Plan", true],
    ]);
  });

  it("reads its texts in frames but for the first four, and each frame has the text alone", async () => {
    await box.receive(FIRST, "Text 0 <b>\r\n");
    for (let number = 1; number < 6; number++) await box.receive(REPLY, `Text ${number} <b>\r\n`);
    const { html } = await box.read(box.path("/INBOX/6"));
    expect([...html.matchAll(/<iframe class="mail text"/g)]).toHaveLength(2);
    const response = await box.page.get(box.path("/INBOX/1/body"));
    expect(response.headers.get("Content-Security-Policy")).toContain("sandbox");
    expect(await response.text()).toContain("Text 0 &lt;b&gt;");
  });

  it("reads a text of more than 100,000 characters in a frame, and names at most 50 addresses of a field", async () => {
    const people = Array.from({ length: 60 }, (_, number) => `p${number}@example.org`);
    await box.receive(
      { ...FIRST, To: people.slice(0, 50).join(", "), Cc: people.join(",\r\n ") },
      "<long>\r\n".repeat(13_000),
    );
    const { html, text } = await box.read(box.path("/INBOX/1"));
    expect(html).toMatch(/<iframe class="mail text"[^>]* src="[^"]*\/INBOX\/1\/body"/);
    expect([html.length < 30_000, html.includes("&lt;long&gt;\r\n&lt;long&gt;")]).toEqual([true, false]);
    expect(text).toContain(`To ${people.slice(0, 50).join(", ")} Cc ${people.slice(0, 50).join(", ")} and 10 more`);
    expect(await (await box.page.get(box.path("/INBOX/1/body"))).text()).toContain("&lt;long&gt;<br>&lt;long&gt;<br>");
  });

  it("returns to the list after an action that ends it, and stays after a label or a star", async () => {
    await box.receive(FIRST);
    const label = await aLabel();
    const { html } = await box.read(box.path("/INBOX/1"));
    const fields: [string, string][] = ["thread", "at"].map((name) => [name, valuesOf(html, name)[0] ?? ""]);
    for (const action of ["flag", `label:${label}`]) {
      const response = await act(action, fields);
      expect(response.headers.get("Location"), action).toContain(`${box.path("/INBOX/1")}?done=`);
      const { html: after, text } = await follow(response);
      expect(text, action).toContain("Undo");
      const undo: [string, string][] = [
        ["undo", valuesOf(after, "undo")[0] ?? ""],
        ["at", "1"],
      ];
      expect((await act("undo", undo)).headers.get("Location"), action).toContain(box.path("/INBOX/1?done=undone"));
    }
    for (const action of ["unseen", "move:Archive"])
      expect((await act(action, fields)).headers.get("Location"), action).toContain(box.path("/INBOX?done="));
  });

  it("of another mailbox is unknown, and so are its messages to an action", async () => {
    const other = await aMailbox();
    await other.receive(FIRST);
    const [thread = ""] = valuesOf((await other.read(other.path("/INBOX"))).html, "thread");
    await box.receive({ Subject: "Own" });
    const { text } = await follow(await act("delete", [["thread", thread]]));
    expect(text).toContain("Nothing was changed.");
    expect(await other.list()).toHaveLength(1);
  });
});

describe("a reply in a conversation", () => {
  const write = (fields: Record<string, string>) =>
    box.submit(`/mail/compose/${box.workspace.mailboxId}`, [
      ...Object.entries({
        idempotency_key: crypto.randomUUID(),
        to: "grace@example.org",
        text: "We shall.",
        ...fields,
      }),
    ]);

  it("is written below its messages, and a draft of it continues there, without being one of them", async () => {
    await box.receive(FIRST, "Shall we?\r\n");
    const { html } = await box.read(box.path("/INBOX/1"));
    for (const kind of ["one", "all", "forward"])
      expect(html).toContain(`href="${box.path(`/INBOX/1?reply=${kind}`)}"`);
    const reply = await box.read(box.path("/INBOX/1?reply=one"));
    expect(reply.text).toMatch(/Shall we\?.*Reply.*> Shall we\?/s);
    expect(reply.html).toContain(`action="/mail/compose/${box.workspace.mailboxId}"`);
    const [[back = ""], [in_reply_to = ""]] = [valuesOf(reply.html, "back"), valuesOf(reply.html, "in_reply_to")];
    expect([back, in_reply_to]).toEqual([box.path("/INBOX/1"), "<plan@example.org>"]);
    await write({ in_reply_to, action: "draft" });
    const [draft] = await items("Drafts");
    const again = box.path(`/INBOX/1?draft=${draft?.uid}`);
    expect((await box.read(box.path("/INBOX/1"))).html).toContain(`href="${again}"`);
    const continued = await box.read(again);
    expect(openOf(continued.html).map(([id]) => id)).toEqual(["m-1-INBOX"]);
    expect([valuesOf(continued.html, "draft"), valuesOf(continued.html, "back")]).toEqual([
      [String(draft?.uid)],
      [box.path("/INBOX/1")],
    ]);
    expect(continued.html).toContain("We shall.");
  });

  it("is marked as sending while it waits, with the link that stops it, and is not written on meanwhile", async () => {
    await box.receive(FIRST);
    const in_reply_to = "<plan@example.org>";
    const sent = await write({ in_reply_to, back: box.path("/INBOX/1"), action: "send" });
    const { html, text } = await follow(sent);
    expect(text).toMatch(/Ada Lovelace.*Sending.*Waits to be sent\. Stop sending/s);
    const [draft] = await items("Drafts");
    const stop = `/mail/compose/${box.workspace.mailboxId}?draft=${draft?.uid}`;
    expect(html).toContain(`href="${stop}"`);
    expect((await box.page.get(stop)).headers.get("Location")).toContain("/mail/scheduled/");
    for (const uid of [draft?.uid, 99, "x"])
      expect(valuesOf((await box.read(box.path(`/INBOX/1?draft=${uid}`))).html, "to"), String(uid)).toEqual([]);
  });
});

describe("the mailbox", () => {
  it("is called once for a page of the list, once for a conversation and once for a change", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    const { bindings, calls } = countingMailbox();
    const page = browser(bindings);
    Object.assign(page.jar, box.page.jar);
    const visit = async (run: () => Promise<Response>) => {
      calls.length = 0;
      expect((await run()).status).toBeLessThan(400);
      return calls.filter((name) => !["listFolders", "listLabels", "quota"].includes(name));
    };
    expect(await visit(() => page.get(box.path("/INBOX")))).toEqual(["listConversations"]);
    expect(await visit(() => page.get(box.path("/INBOX/2")))).toEqual(["openConversation", "changeSelected"]);
    expect(await visit(() => page.get(box.path("/INBOX/2")))).toEqual(["openConversation"]);
    const fields = { action: "delete", thread: (await threadsOf())[0] ?? "", up_to: "2" };
    expect(await visit(() => page.post(box.path("/INBOX"), fields))).toEqual(["changeSelected"]);
  });
});
