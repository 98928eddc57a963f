import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { fill } from "../../mailboxes/mailbox-store/support.ts";
import { perTest } from "../../support/workspace.ts";
import { aMailbox, valuesOf } from "./support.ts";

const box = perTest(aMailbox);

const FIRST = { Subject: "Plan", "Message-ID": "<plan@example.org>" };
const REPLY = { Subject: "Re: Plan", "In-Reply-To": "<plan@example.org>", References: "<plan@example.org>" };

const subjects = async (folder = "INBOX") => (await box.list(folder)).map(({ subject }) => subject);
const follow = async (response: Response) => {
  expect(response.status).toBe(303);
  return box.read(response.headers.get("Location") ?? "");
};
const act = (action: string, fields: [string, string][], folder = "INBOX") =>
  box.submit(box.path(`/${folder}`), [["action", action], ...fields]);
/** Returns the fields of a page that select its conversation, as a browser submits them. */
const fieldsOf = (html: string, folder = "INBOX"): [string, string][] => {
  const form = html.split("<form").find((one) => one.includes(' name="thread"')) ?? "";
  expect(form, folder).not.toBe("");
  return ["thread", "up_to", "confirmed"].flatMap((name) =>
    valuesOf(form, name)
      .slice(0, 1)
      .map((value): [string, string] => [name, value]),
  );
};
const store = () => env.MAILBOX.getByName(box.workspace.mailboxId);
/** Receives a message after others, which become copies of it: a conversation of so many unread messages. */
async function receiveMany(count: number) {
  await fill(store(), count - 1);
  await box.receive(FIRST);
  await runInDurableObject(store(), (_, { storage }) => {
    storage.sql.exec(
      `UPDATE messages SET (thread, object, parts, size, header_size) =
         (SELECT 'one', object, parts, size, header_size FROM messages WHERE uid = ?) WHERE folder = 1`,
      count,
    );
  });
}

describe("an action on a conversation", () => {
  it.each([["/INBOX"], ["/INBOX/1"]])("takes no message that came after the page %s was read", async (suffix) => {
    await box.receive(FIRST);
    const { html } = await box.read(box.path(suffix));
    await box.receive(REPLY);
    expect((await follow(await act("delete", fieldsOf(html)))).text).toContain("1 message moved to Trash.");
    expect([await subjects(), await subjects("Trash")]).toEqual([["Re: Plan"], ["Plan"]]);
  });

  it("deletes no message for good that came into Trash after the question", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    await act("delete", [["uid", "1"]]);
    const { html } = await box.read(box.path("/Trash"));
    const question = await (await act("delete", fieldsOf(html), "Trash")).text();
    await act("delete", [["uid", "2"]]);
    const { text } = await follow(await act("delete", fieldsOf(question), "Trash"));
    expect(text).toContain("1 message deleted for good.");
    expect(await subjects("Trash")).toEqual(["Re: Plan"]);
  });

  it("is refused without the newest message that the page knew", async () => {
    await box.receive(FIRST);
    const [thread = ""] = valuesOf((await box.read(box.path("/INBOX"))).html, "thread");
    expect((await act("delete", [["thread", thread]])).status).toBe(422);
    expect(await subjects()).toEqual(["Plan"]);
  });

  it("that marks as unread changes its newest message only", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    const { html } = await box.read(box.path("/INBOX/2"));
    expect((await follow(await act("unseen", fieldsOf(html)))).text).toContain("1 message marked as unread.");
    expect((await box.list()).map((item) => (item as unknown as { seen: boolean }).seen)).toEqual([false, true]);
  });
});

describe("the star and the labels of a conversation", () => {
  it("are those of its messages in the folder, which its actions change", async () => {
    await box.receive(FIRST);
    await box.receive(REPLY);
    const path = `/v1/inbox/${box.workspace.mailboxId}/labels`;
    const { id } = await box.workspace.create(path, { name: "Bills", color: "#a4262c" });
    await act("flag", [["uid", "2"]]);
    await act(`label:${id}`, [["uid", "2"]]);
    await act("move:Archive", [["uid", "2"]]);
    const rowOf = async (folder: string) => (await box.read(box.path(`/${folder}`))).html.split('id="rows"')[1] ?? "";
    for (const part of ["★ starred", "Bills"]) {
      expect(await rowOf("INBOX")).not.toContain(part);
      expect(await rowOf("Archive")).toContain(part);
    }
  });

  it("are not said to be removed when there are none", async () => {
    await box.receive(FIRST);
    const fields = fieldsOf((await box.read(box.path("/INBOX"))).html);
    const { text } = await follow(await act("unflag", fields));
    expect(text).toContain("Nothing was changed.");
    expect(text).not.toContain("1 message no longer starred");
  });
});

describe("a long conversation", () => {
  it("is read once its newest messages were opened, also those that the page does not show", async () => {
    await receiveMany(60);
    expect((await box.read(box.path("/INBOX"))).text).toContain("New: Plan");
    expect((await box.read(box.path("/INBOX/60"))).text).not.toMatch(/\d+ new/);
    expect((await box.read(box.path("/INBOX"))).text).not.toContain("New: Plan");
  });

  it("is read when all unread messages are earlier than those that are shown", async () => {
    await receiveMany(60);
    await runInDurableObject(store(), (_, { storage }) => {
      storage.sql.exec("UPDATE messages SET seen = 1 WHERE uid > 5");
    });
    await box.read(box.path("/INBOX/60"));
    expect((await box.read(box.path("/INBOX"))).text).not.toContain("New: Plan");
  });

  it("of more than one page of the list does not make the next page say that the folder is empty", async () => {
    await receiveMany(2_100);
    const [, next = ""] = /<a [^>]*href="([^"]*before=[^"]*)"/.exec((await box.read(box.path("/INBOX"))).html) ?? [];
    const { text } = await box.read(next.replaceAll("&amp;", "&"));
    expect(text).toContain("No further conversations.");
    expect(text).not.toContain("No message is here.");
  });
});

describe("the next page of a list", () => {
  it("follows also when the last message of the page before is gone", async () => {
    await fill(store(), 60);
    const [, next = ""] = /<a [^>]*href="([^"]*before=[^"]*)"/.exec((await box.read(box.path("/INBOX"))).html) ?? [];
    await act("move:Archive", [["uid", "11"]]);
    const { text } = await box.read(next.replaceAll("&amp;", "&"));
    expect(text).toContain("Subject 9 ");
    expect(text).not.toContain("Subject 59 ");
  });
});

describe("a result that a link names", () => {
  it.each([
    ["done=move&n=1&to=Trash&undo=%5B%5B%7B%22toString%22%3A1%7D%5D%5D"],
    ["done=move&n=1&to=Trash&undo=%5B%5B%22INBOX%22%2C%22move%3ATrash%22%2C%221%22%5D%5D"],
    ["done=expunge&n=7"],
    ["done=expunge&n=7&sign=AAAAAAAAAAAAAAAAAAAAAA"],
  ])("is not shown when no page of the mailbox made it: %s", async (query) => {
    await box.receive(FIRST);
    for (const path of ["/INBOX", "/INBOX/1"]) {
      const { html } = await box.read(box.path(`${path}?${query}`));
      expect(html).not.toContain("data-toast");
    }
  });

  it("is not shown in another mailbox, nor when it was changed", async () => {
    const other = await aMailbox();
    await box.receive(FIRST);
    const location = (await act("delete", [["uid", "1"]])).headers.get("Location") ?? "";
    expect((await box.read(location)).html).toContain("data-toast");
    const elsewhere = location.replace(box.workspace.mailboxId, other.workspace.mailboxId);
    expect((await other.read(elsewhere)).html).not.toContain("data-toast");
    expect((await box.read(location.replace("n=1", "n=2"))).html).not.toContain("data-toast");
  });
});
