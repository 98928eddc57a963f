import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openMailbox } from "../../../src/mailboxes/inbox/open.ts";
import { sendFromMailbox } from "../../../src/mailboxes/inbox/sending/send.ts";
import { r2Keys } from "../../../src/platform/db/r2-keys.ts";
import { multipart } from "../../audience/contacts/csv-support.ts";
import { callerContext } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { perTest, testContext } from "../../support/workspace.ts";
import { anInbox, type Item } from "./support.ts";

const inbox = perTest(anInbox);

interface Accepted {
  id: string;
  status: string;
  message_id: string;
}

/** Sends without a queue, so that nothing is processed before `work`. */
const send = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  inbox.workspace.withoutQueue.post(
    inbox.path("/send"),
    { to: ["friend@example.org"], subject: "From a mailbox", text: "Hello\n<b>", ...body },
    headers,
  );
const accept = async (body: Record<string, unknown> = {}) => {
  const response = await send(body);
  expect(response.status, await response.clone().text()).toBe(202);
  return response.json<Accepted>();
};
/** Runs due outbox rows, and returns the messages that the egress got. */
async function work(at = Date.now()) {
  const server = await sinkServer();
  await runOutboxAt(at, { EGRESS_URL: server.url }, ["deliver", "sent-copy"]);
  await server.close();
}
const sent = () => inbox.list("Sent");

describe("POST /send", () => {
  it("sends through the pipeline and puts one copy into Sent, however often the row is processed", async () => {
    const { id, status, message_id } = await accept({ bcc: ["hidden@example.org"] });
    expect(status).toBe("queued");
    await work();
    const [copy, ...others] = await sent();
    expect([others, copy]).toMatchObject([[], { subject: "From a mailbox", seen: true, folder: "Sent" }]);
    const message = await inbox.json<Record<string, unknown>>("GET", `/messages/${copy?.uid}?folder=Sent`);
    expect(message).toMatchObject({
      message_id,
      text: expect.stringMatching(/^Hello\r?\n<b>$/),
      bcc: [{ email: "hidden@example.org", name: null }],
      to: [{ email: "friend@example.org", name: null }],
    });
    expect(message.html).toContain("&lt;b&gt;");
    const email = await (await inbox.workspace.get(`/v1/emails/${id}`)).json();
    expect(email).toMatchObject({ source: "inbox", html_body: expect.stringContaining("Hello<br>") });
    const ref = {
      email: id,
      workspace: inbox.workspace.workspaceNumber,
      mailbox: inbox.workspace.mailboxId,
      draft: null,
    };
    await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (1, ?1, 'sent-copy', ?2)", [
      crypto.randomUUID(),
      JSON.stringify(ref),
    ]);
    await work();
    expect((await sent()).length).toBe(1);
  });

  it("replies to a message: same thread, In-Reply-To, References, and the original is marked as answered", async () => {
    await inbox.receive({ "Message-ID": "<q@example.org>", References: "<p@example.org>" });
    await accept({ in_reply_to: "<q@example.org>", subject: "Re: A subject" });
    await work();
    const [original] = await inbox
      .json<{ items: (Item & { answered: boolean })[] }>("GET", "/messages")
      .then(({ items }) => items);
    expect(original?.answered).toBe(true);
    const [copy] = await sent();
    expect(copy?.thread_id).toBe(original?.thread_id);
    expect(await inbox.json("GET", `/messages/${copy?.uid}?folder=Sent`)).toMatchObject({
      in_reply_to: "<q@example.org>",
      references: ["<p@example.org>", "<q@example.org>"],
    });
  });

  it("replies to the last of many messages: the first and the newest of References stay, in folded lines", async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `<r${n}@${"example.".repeat(6)}org>`);
    await inbox.receive({ "Message-ID": "<r120@example.org>", References: ids.join("\r\n ") });
    await accept({ in_reply_to: "<r120@example.org>", subject: "Re: A subject" });
    await work();
    const [copy] = await sent();
    const message = await inbox.json<{ references: string[] }>("GET", `/messages/${copy?.uid}?folder=Sent`);
    expect(message.references).toEqual([ids[0], ...ids.slice(-18), "<r120@example.org>"]);
    const raw = await (await inbox.workspace.get(inbox.path(`/messages/${copy?.uid}/raw?folder=Sent`))).text();
    expect(raw).toContain(`References: ${ids[0]}\r\n ${ids[102]}\r\n`);
  });

  it("sends uploaded files as attachments", async () => {
    const { body, headers } = multipart("a,b\n1,2\n");
    const { id } = await (await inbox.workspace.call("POST", inbox.path("/files"), body, headers)).json<{
      id: string;
    }>();
    await accept({ file_ids: [id] });
    await work();
    const message = await inbox.json<{ attachments: { part_id: string; size: number }[] }>(
      "GET",
      "/messages/1?folder=Sent",
    );
    const [file] = message.attachments;
    expect(file?.size).toBe(8);
    expect(await (await inbox.call("GET", `/attachments/1/${file?.part_id}?folder=Sent`)).text()).toBe("a,b\n1,2\n");
    expect((await send({ file_ids: [crypto.randomUUID()] })).status).toBe(422);
  });

  it("a scheduled message is listed, and is copied to Sent at its time, or not at all when it is cancelled", async () => {
    const sendAt = Date.now() + 600_000;
    const first = await accept({ send_at: new Date(sendAt).toISOString() });
    const second = await accept({ send_at: new Date(sendAt + 1000).toISOString() });
    const scheduled = await inbox.json<{ id: string }[]>("GET", "/scheduled");
    expect(scheduled.map(({ id }) => id)).toEqual([first.id, second.id]);
    await inbox.workspace.call("DELETE", `/v1/emails/scheduled/${second.id}`);
    await work();
    expect(await sent()).toEqual([]);
    await work(sendAt + 60_000);
    await work(sendAt + 180_000);
    expect((await sent()).map(({ subject }) => subject)).toEqual(["From a mailbox"]);
  });

  it("with one Idempotency-Key sends once", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const responses = await Promise.all([send({}, headers), send({}, headers)]);
    const ids = await Promise.all(responses.map(async (result) => (await result.json<Accepted>()).id));
    expect([responses.map(({ status }) => status), new Set(ids).size]).toEqual([[202, 202], 1]);
    await work();
    expect((await sent()).length).toBe(1);
  });

  it("refuses what a send refuses", async () => {
    const bodies = [
      { to: [] },
      { to: ["nonsense"] },
      { text: null },
      { subject: "a\r\nBcc: x@example.org" },
      { in_reply_to: "a\r\nb" },
      { cc: ["a@b@c"] },
    ];
    for (const body of bodies) expect((await send(body)).status, JSON.stringify(body)).toBe(422);
    expect((await send({ send_at: "yesterday" })).status).toBe(400);
    const wrong = { to: ["ada@example.org", "nonsense"], cc: ["a@b@c"], subject: "a\tb" };
    expect(await locsOf(await send(wrong))).toEqual([
      ["body", "to", 1],
      ["body", "cc", 0],
      ["body", "subject"],
    ]);
    expect(await locsOf(await send({ to: [] }))).toEqual([["body", "to"]]);
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { is_active: false });
    expect(await locsOf(await send({}))).toEqual([["path", "mailbox_id"]]);
  });
});

const listed = async (prefix: string) => (await env.CONTENT.list({ prefix })).objects.map(({ key }) => key);

/** Returns the paths of the errors of a 422. */
async function locsOf(response: Response) {
  expect(response.status).toBe(422);
  return (await response.json<{ detail: { loc: unknown[] }[] }>()).detail.map(({ loc }) => loc);
}

describe("drafts", () => {
  it("are stored, replaced under a new UID, and deleted when they are sent", async () => {
    const draft = await inbox.json<Item>("POST", "/drafts", {
      to: ["ada@example.org"],
      bcc: ["b@example.org"],
      subject: "One",
      text: "a",
    });
    expect(draft).toMatchObject({ uid: 1, folder: "Drafts", seen: true, subject: "One" });
    expect(await inbox.json("PUT", "/drafts/1", { subject: "Two" })).toMatchObject({ uid: 2, subject: "Two" });
    expect((await inbox.call("PUT", "/drafts/1", { subject: "Three" })).status).toBe(404);
    expect((await inbox.list("Drafts")).map(({ uid }) => uid)).toEqual([2]);
    await accept({ draft_id: 2 });
    await work();
    expect([await inbox.list("Drafts"), (await sent()).length]).toEqual([[], 1]);
  });

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const statusOf = async (id: string) =>
    (await (await inbox.workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
  const aWaitingDraft = async () => {
    const { uid } = await inbox.json<Item>("POST", "/drafts", { subject: "First", text: "a" });
    const { id } = await accept({ subject: "First", draft_id: uid, send_at: inAnHour() });
    return { uid, id };
  };

  it("that are changed, deleted or sent again while their email waits stop that email", async () => {
    const [changed, deleted, repeated] = [await aWaitingDraft(), await aWaitingDraft(), await aWaitingDraft()];
    const { uid } = await inbox.json<Item>("PUT", `/drafts/${changed.uid}`, { subject: "Second" });
    expect((await inbox.call("DELETE", `/drafts/${deleted.uid}`)).status).toBe(204);
    await accept({ subject: "Second", draft_id: repeated.uid });
    for (const { id } of [changed, deleted, repeated]) expect(await statusOf(id)).toBe("cancelled");
    await accept({ subject: "Third", draft_id: uid });
    await work(Date.now() + 2 * 3_600_000);
    expect((await sent()).map(({ subject }) => subject).sort()).toEqual(["Second", "Third"]);
    expect(await inbox.list("Drafts")).toEqual([]);
  });

  it("are sent once by twenty calls at once, and not at all once they are gone or on their way", async () => {
    const { uid } = await inbox.json<Item>("POST", "/drafts", { subject: "Once" });
    const all = await Promise.all(Array.from({ length: 20 }, () => send({ draft_id: uid })));
    expect(all.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(409)]);
    expect((await inbox.call("PUT", `/drafts/${uid}`, { subject: "Twice" })).status).toBe(409);
    expect((await send({ draft_id: uid })).status).toBe(409);
    await work();
    expect((await send({ draft_id: uid })).status).toBe(409);
    expect([await inbox.list("Drafts"), (await sent()).length]).toEqual([[], 1]);
  });

  it("keep their waiting email when another send or change of them is refused", async () => {
    const { uid, id } = await aWaitingDraft();
    expect((await send({ draft_id: uid, to: ["nonsense"] })).status).toBe(422);
    expect((await send({ draft_id: uid, send_at: "yesterday" })).status).toBe(400);
    expect((await inbox.call("PUT", `/drafts/${uid}`, { to: ["nonsense"] })).status).toBe(422);
    expect(await statusOf(id)).toBe("scheduled");
  });

  it("that are on their way leave no object of what is refused in their place", async () => {
    const { uid } = await inbox.json<Item>("POST", "/drafts", { subject: "First" });
    await accept({ draft_id: uid });
    const keys = async () => {
      const { workspaceId, mailboxId } = inbox.workspace;
      const lists = await Promise.all([r2Keys.email(workspaceId, ""), r2Keys.mailbox(mailboxId)].map(listed));
      return lists.flat();
    };
    const before = await keys();
    const inTwoHours = new Date(Date.now() + 2 * 3_600_000).toISOString();
    expect((await send({ draft_id: uid, send_at: inTwoHours })).status).toBe(409);
    expect((await inbox.call("PUT", `/drafts/${uid}`, { subject: "Second" })).status).toBe(409);
    expect(await keys()).toEqual(before);
  });

  it("keep their waiting email when the request that sent them is repeated before its response is stored", async () => {
    const { uid } = await inbox.json<Item>("POST", "/drafts", { subject: "Once" });
    const idempotency = { keys: [crypto.randomUUID()], fingerprint: "equal", sealingKeys: async () => [] };
    const caller = { ...(await callerContext(testContext(), inbox.workspace)), idempotency };
    const mailbox = await openMailbox(caller, inbox.workspace.mailboxId);
    const input = { to: ["friend@example.org"], text: "Hello", draft_id: uid, send_at: inAnHour() };
    const { id } = await sendFromMailbox(caller, mailbox, input);
    await expect(sendFromMailbox(caller, mailbox, input)).rejects.toThrow(`The draft is being sent by the email ${id}`);
    expect(await statusOf(id)).toBe("scheduled");
  });

  it("are free again when their email is refused or cancelled", async () => {
    const { uid } = await inbox.json<Item>("POST", "/drafts", { subject: "Once" });
    expect((await send({ draft_id: uid, to: ["nonsense"] })).status).toBe(422);
    const { id } = await accept({ draft_id: uid, send_at: inAnHour() });
    expect((await inbox.workspace.call("DELETE", `/v1/emails/scheduled/${id}`)).status).toBe(200);
    await accept({ draft_id: uid });
    await work();
    expect([await inbox.list("Drafts"), (await sent()).length]).toEqual([[], 1]);
  });

  it("may be empty, and a wrong address is a 422", async () => {
    expect((await inbox.call("POST", "/drafts", {})).status).toBe(201);
    expect((await inbox.call("POST", "/drafts", { to: ["nonsense"] })).status).toBe(422);
    expect((await inbox.call("DELETE", "/drafts/1")).status).toBe(204);
    expect((await inbox.call("DELETE", "/drafts/1")).status).toBe(404);
    const { objects } = await env.CONTENT.list({ prefix: `mailboxes/${inbox.workspace.mailboxId}/` });
    expect(objects.length).toBe(1);
  });
});

it("a draft is created once with one Idempotency-Key, and texts may have as much as an email", async () => {
  const { workspace, path, list } = await anInbox();
  const create = () => workspace.post(path("/drafts"), { subject: "Once" }, { "Idempotency-Key": "draft" });
  const [first, second] = [await create(), await create()];
  expect([first.status, second.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
  expect([await second.json(), (await list("Drafts")).length]).toEqual([await first.json(), 1]);
  const text = "x".repeat(1_500_000);
  expect((await workspace.post(path("/drafts"), { text })).status).toBe(201);
  expect((await workspace.post(path("/send"), { to: ["friend@example.org"], text })).status).toBe(202);
});
