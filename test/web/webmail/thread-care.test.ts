import { expect, it } from "vitest";
import { consumeQueues } from "../../support/queues.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, perTest } from "../../support/workspace.ts";
import { aMailbox, toText } from "./support.ts";

consumeQueues("work");

const box = perTest(aMailbox);

/** Returns the sessions of two people of the mailbox, each with a page and the forms on it. */
async function twoPeople() {
  const { workspace } = box;
  const member = await aMember(workspace, "member");
  const user_ids = [workspace.userId, member.userId];
  await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids });
  await box.receive({ "Message-ID": "<asked@example.org>", Subject: "Where is it?" });
  const of = async (userId: string) => {
    const session = await aSession({ ...workspace, userId });
    const send = (path: string, fields: Record<string, string>) =>
      session.call("POST", path, `${new URLSearchParams(fields)}`, {
        "Content-Type": "application/x-www-form-urlencoded",
      });
    return {
      userId,
      send,
      open: async (path = box.path("/INBOX/1")) => (await session.get(path)).text(),
      submit: (fields: Record<string, string>) => send(`/mail/threads/${workspace.mailboxId}/INBOX/1`, fields),
    };
  };
  return { ada: await of(workspace.userId), grace: await of(member.userId), name: member.email };
}

it("is assigned, noted, closed and opened again on its page, which the other person sees", async () => {
  const { ada, grace, name } = await twoPeople();
  expect((await ada.submit({ action: "assign", assignee_id: grace.userId })).status).toBe(303);
  expect((await ada.submit({ action: "note", note: "Call <her>\nfirst" })).status).toBe(303);
  const seen = await grace.open();
  expect(toText(seen)).toContain(`assigned it to ${name}`);
  expect(toText(seen)).toContain("Call <her> first");
  expect(seen).toContain(`<option value="${grace.userId}" selected`);
  expect(toText(await grace.open(`${box.path("/INBOX")}?list=mine`))).toContain("Where is it?");
  expect(toText(await ada.open(`${box.path("/INBOX")}?list=mine`))).not.toContain("Where is it?");
  await grace.submit({ action: "close" });
  expect(toText(await ada.open(`${box.path("/INBOX")}?list=closed`))).toContain("Where is it?");
  await grace.submit({ action: "reopen" });
  expect(toText(await ada.open())).toContain(`${name} opened it again`);
  const [, note = ""] = /name="note_id" value="([^"]+)"/.exec(await ada.open()) ?? [];
  await ada.submit({ action: "unnote", note_id: note });
  expect(toText(await ada.open())).not.toContain("Call <her>");
});

it("shows the name of the other person who answered, and me for the own answer", async () => {
  const { ada, grace, name } = await twoPeople();
  const answer = { to: "ada@example.org", subject: "Re: Where is it?", text: "Soon", action: "now" };
  const fields = { ...answer, in_reply_to: "<asked@example.org>", idempotency_key: crypto.randomUUID() };
  expect((await grace.send(`/mail/compose/${box.workspace.mailboxId}`, fields)).status).toBe(303);
  await expect.poll(() => box.list("Sent"), { timeout: 20_000 }).toHaveLength(1);
  const namesOf = (html: string) =>
    [...html.matchAll(/<span class="names">([^<]*)</g)].map(([, shown]) => shown).slice(-1);
  expect(namesOf(await ada.open())).toEqual([name]);
  expect(namesOf(await grace.open())).toEqual(["me"]);
});

it("says who is writing an answer to the others, until it is sent", async () => {
  const { ada, grace, name } = await twoPeople();
  const fields = { to: "ada@example.org", subject: "Re: Where is it?", in_reply_to: "<asked@example.org>" };
  const write = (action: string) =>
    grace.send(`/mail/compose/${box.workspace.mailboxId}`, {
      ...{ ...fields, text: "Soon", action },
      idempotency_key: crypto.randomUUID(),
    });
  expect((await write("autosave")).status).toBe(200);
  expect(toText(await ada.open())).toContain(`${name} is writing an answer`);
  expect(toText(await grace.open())).not.toContain("is writing an answer");
  expect((await write("now")).status).toBe(303);
  expect(toText(await ada.open())).not.toContain("is writing an answer");
});

it("says who moved it, and keeps what was written when a form is refused", async () => {
  const { ada, grace, name } = await twoPeople();
  const [item] = await box.list();
  const response = await box.workspace.get(`/v1/inbox/${box.workspace.mailboxId}/threads`);
  const { items } = await response.json<{ items: { thread_id: string }[] }>();
  const fields = { thread: items[0]?.thread_id ?? "", up_to: String(item?.uid), action: "move:Archive" };
  expect((await grace.send(box.path("/INBOX"), fields)).status).toBe(303);
  expect(toText(await ada.open(box.path("/Archive/1")))).toContain(`${name} moved it to Archive`);
  const path = `/mail/threads/${box.workspace.mailboxId}/Archive/1`;
  const refused = await ada.send(path, { action: "note", note: "x".repeat(5_001) });
  expect(refused.status).toBe(422);
  expect((await ada.send(path, { action: "assign", assignee_id: crypto.randomUUID() })).status).toBe(422);
});

it("has neither forms nor lists in a mailbox of one person", async () => {
  await box.receive();
  const { html } = await box.read(box.path("/INBOX/1"));
  expect(html).not.toContain("Assigned to");
  expect(html).not.toContain("Note for the people");
  expect((await box.read(box.path("/INBOX"))).html).not.toContain("list=mine");
});
