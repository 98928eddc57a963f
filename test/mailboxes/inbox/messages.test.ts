import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { apiOn, perTest } from "../../support/workspace.ts";
import { objectsOf } from "../inbound/support.ts";
import { anInbox, type Item } from "./support.ts";

const inbox = perTest(anInbox);

const multipart = [
  "--b",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  btoa("Plain text"),
  "--b",
  "Content-Type: text/html",
  "",
  '<p onclick="x()">Hello <script>alert(1)</script><img src="https://tracker.example/a.png"></p>',
  "--b",
  'Content-Type: text/html; name="page.html"',
  "Content-Disposition: attachment; filename*=utf-8''p%C3%A4ge%0d.html",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "<script>alert(=22hi=22)</script>",
  "--b--",
  "",
].join("\r\n");
const receiveMultipart = () =>
  inbox.receive(
    { "Content-Type": "multipart/mixed; boundary=b", Cc: "Bob <bob@example.org>", "X-Note": "=?utf-8?q?=C3=A4?=" },
    multipart,
  );

describe("GET /messages and /search", () => {
  it("page through a folder by offset and by the Link header", async () => {
    for (let number = 0; number < 5; number++) await inbox.receive({ Subject: `Number ${number}` });
    const first = await inbox.call("GET", "/messages?limit=2");
    const page = await first.json<{ items: Item[]; total: number; limit: number; offset: number }>();
    expect(page).toMatchObject({ total: 5, limit: 2, offset: 0 });
    expect(page.items.map(({ uid }) => uid)).toEqual([5, 4]);
    const [, next = ""] = /<[^>]*(\/messages[^>]*)>; rel="next"/.exec(first.headers.get("Link") ?? "") ?? [];
    expect((await inbox.json<{ items: Item[] }>("GET", next)).items.map(({ uid }) => uid)).toEqual([3, 2]);
    expect(
      (await inbox.json<{ items: Item[] }>("GET", "/messages?limit=2&offset=4")).items.map(({ uid }) => uid),
    ).toEqual([1]);
    const found = await inbox.json<{ items: Item[]; total: number }>("GET", "/search?q=number+3");
    expect([found.total, found.items[0]?.uid]).toEqual([1, 4]);
  });

  it("return 404 for an unknown folder and 422 for bad limits", async () => {
    for (const suffix of ["/messages?folder=Nowhere", "/search?q=a&folder=Nowhere"])
      expect((await inbox.call("GET", suffix)).status, suffix).toBe(404);
    for (const suffix of [
      "/messages?limit=0",
      "/messages?limit=201",
      "/messages?offset=-1",
      "/messages?before=x",
      "/search",
      "/search?q=",
    ])
      expect((await inbox.call("GET", suffix)).status, suffix).toBe(422);
  });
});

describe("GET /messages/{uid}", () => {
  it("returns the text, sanitised HTML, headers and attachments, and does not set seen", async () => {
    await receiveMultipart();
    const message = await inbox.json<Record<string, unknown>>("GET", "/messages/1");
    expect(message).toMatchObject({
      uid: 1,
      text: "Plain text\nHello",
      cc: [{ email: "bob@example.org", name: "Bob" }],
      bcc: [],
      in_reply_to: null,
      references: [],
      problem: null,
      has_attachments: true,
      attachments: [
        { part_id: "3", filename: "päge_.html", content_type: "text/html", size: 28, content_id: null, inline: false },
      ],
    });
    expect(message.html).toBe('<div style="white-space: pre-wrap">Plain text</div>\n<p>Hello <img></p>');
    expect(message.headers).toContainEqual({ name: "X-Note", value: "ä" });
    const withImages = await inbox.json<{ html: string }>("GET", "/messages/1?images=1");
    expect(withImages.html).toContain('src="https://tracker.example/a.png"');
    expect((await inbox.list())[0]?.seen).toBe(false);
  });

  it("returns 404 for an unknown UID, part and folder, in one form", async () => {
    await receiveMultipart();
    for (const suffix of [
      "/messages/2",
      "/messages/0",
      "/messages/x",
      "/messages/1?folder=Archive",
      "/messages/1?folder=Nope",
    ])
      expect((await inbox.call("GET", suffix)).status, suffix).toBe(404);
    expect((await inbox.call("GET", "/attachments/1/9")).status).toBe(404);
  });

  it("returns 502 when the object store or the mailbox store fails", async () => {
    await receiveMultipart();
    const failing = (bindings: Record<string, unknown>) =>
      apiOn(bindings, inbox.workspace.apiKey).get(inbox.path("/messages/1"));
    const broken = () => Promise.reject(new Error("broken"));
    const responses = [
      await failing({ CONTENT: { get: broken } }),
      await failing({ MAILBOX: { getByName: () => ({ find: broken }) } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([502, 502]);
    for (const result of responses) expect(await result.text()).not.toContain("broken");
  });
});

describe("files", () => {
  it("an attachment is decoded, and always downloaded under a type that no browser runs", async () => {
    await receiveMultipart();
    const response = await inbox.call("GET", "/attachments/1/3");
    expect(await response.text()).toBe('<script>alert("hi")</script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-disposition": `attachment; filename="p_ge_.html"; filename*=UTF-8''p%C3%A4ge_.html`,
    });
  });

  it("a large base64 attachment arrives byte for byte", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_001));
    const encoded = btoa(String.fromCharCode(...bytes)).replace(/.{76}/g, "$&\r\n");
    const body = `--b\r\nContent-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: Base64\r\n\r\n${encoded}\r\n--b--\r\n`;
    await inbox.receive({ "Content-Type": "multipart/mixed; boundary=b" }, body);
    const response = await inbox.call("GET", "/attachments/1/1");
    expect(response.headers.get("Content-Type")).toBe("image/png");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it("the source is the message as it was received", async () => {
    await inbox.receive({ Subject: "Raw" });
    const response = await inbox.call("GET", "/messages/1/raw");
    expect(response.headers.get("Content-Type")).toBe("message/rfc822");
    expect(await response.text()).toContain("Subject: Raw\r\n");
  });
});

describe("changes", () => {
  it("flags are set, cleared and left alone", async () => {
    await inbox.receive();
    const flags = (body: unknown) => inbox.json<Item>("POST", "/messages/1/flags", body);
    expect(await flags({ seen: true, flagged: true })).toMatchObject({ seen: true, flagged: true, answered: false });
    expect(await flags({ flagged: false, answered: true })).toMatchObject({
      seen: true,
      flagged: false,
      answered: true,
    });
    expect((await inbox.call("POST", "/messages/9/flags", { seen: true })).status).toBe(404);
    expect((await inbox.call("POST", "/messages/1/flags", { seen: "yes" })).status).toBe(422);
  });

  it("spam, not-spam, move and delete return the new place", async () => {
    await inbox.receive();
    const post = (suffix: string, body?: unknown) => inbox.json("POST", suffix, body);
    expect(await post("/messages/1/spam")).toEqual({ uid: 1, folder: "Spam" });
    expect(await post("/messages/1/not-spam")).toEqual({ uid: 2, folder: "INBOX" });
    expect((await inbox.call("POST", "/messages/2/not-spam?folder=INBOX")).status).toBe(409);
    // From Trash it goes to INBOX, not back to what was deleted.
    const deleted = await inbox.json<{ uid: number }>("DELETE", "/messages/2");
    const spam = await inbox.json<{ uid: number }>("POST", `/messages/${deleted.uid}/spam?folder=Trash`);
    expect(await post(`/messages/${spam.uid}/not-spam`)).toEqual({ uid: 3, folder: "INBOX" });
    expect(await post("/messages/3/move", { folder: "archive" })).toEqual({ uid: 1, folder: "Archive" });
    expect((await inbox.call("POST", "/messages/1/move?folder=Archive", { folder: "Nope" })).status).toBe(422);
    expect(await inbox.json("DELETE", "/messages/1?folder=Archive")).toEqual({ uid: 2, folder: "Trash" });
    expect((await inbox.call("DELETE", "/messages/2?folder=Trash")).status).toBe(204);
    expect((await inbox.call("DELETE", "/messages/2?folder=Trash")).status).toBe(404);
    expect(await inbox.json("GET", "/quota")).toEqual({ used_bytes: 0, quota_bytes: null, message_count: 0 });
    const record = await inbox.workspace.get(`/v1/mailboxes/${inbox.workspace.mailboxId}`);
    expect(await record.json()).toMatchObject({ used_bytes: 0 });
  });

  it("delete with expunge=true deletes for good from any folder", async () => {
    await inbox.receive();
    expect((await inbox.call("DELETE", "/messages/1?expunge=true")).status).toBe(204);
    expect(await inbox.list("Trash")).toEqual([]);
  });

  it("a bulk action returns a result for each message", async () => {
    for (let number = 0; number < 3; number++) await inbox.receive();
    const batch = (body: Record<string, unknown>) =>
      inbox.json("POST", "/messages/batch", { uids: [1, 3, 9], ...body });
    const notFound = { uid: 9, status: "not_found" };
    expect(await batch({ action: "seen" })).toEqual([{ uid: 1, status: "ok" }, { uid: 3, status: "ok" }, notFound]);
    expect((await inbox.list()).map(({ seen }) => seen)).toEqual([true, false, true]);
    expect(await batch({ action: "move", to_folder: "Archive" })).toEqual([
      { uid: 1, status: "ok", new_uid: 1 },
      { uid: 3, status: "ok", new_uid: 2 },
      notFound,
    ]);
    expect(await batch({ folder: "Archive", action: "delete", uids: [1] })).toEqual([
      { uid: 1, status: "ok", new_uid: 1 },
    ]);
    expect(await batch({ folder: "Trash", action: "delete", uids: [1] })).toEqual([{ uid: 1, status: "ok" }]);
    for (const body of [
      { action: "move" },
      { action: "label" },
      { action: "fly" },
      { action: "move", to_folder: "Nope" },
      { uids: [], action: "seen" },
    ])
      expect((await inbox.call("POST", "/messages/batch", { uids: [2], ...body })).status, JSON.stringify(body)).toBe(
        422,
      );
  });
});

describe("folders and labels", () => {
  it("a folder is created once, renamed and deleted when it is empty", async () => {
    const create = (name: unknown) => inbox.call("POST", "/folders", { name });
    for (const name of [".", ".."]) expect((await create(name)).status, name).toBe(422);
    expect(await (await create("Räume/2026")).json()).toMatchObject({
      name: "Räume/2026",
      role: null,
      total: 0,
      uidnext: 1,
    });
    expect((await create("Räume/2026")).status).toBe(409);
    for (const name of ["", " a", "a\r\nb", "a\0", "*", "x".repeat(256), 7])
      expect((await create(name)).status, JSON.stringify(name)).toBe(422);
    const path = `/folders/${encodeURIComponent("Räume/2026")}`;
    expect(await inbox.json("PATCH", path, { name: "Rooms" })).toMatchObject({ name: "Rooms" });
    expect((await inbox.call("DELETE", "/folders/Rooms")).status).toBe(204);
    expect((await inbox.call("DELETE", "/folders/Rooms")).status).toBe(404);
    expect((await inbox.call("DELETE", "/folders/inbox")).status).toBe(409);
  });

  it("a repeated creation with one Idempotency-Key replays the response", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const create = () => inbox.workspace.post(inbox.path("/labels"), { name: "Bills", color: "#FF0000" }, headers);
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status, second.headers.get("Idempotency-Replayed")]).toEqual([201, 201, "true"]);
    expect(await second.json()).toEqual(await first.json());
    expect(await inbox.json("GET", "/labels")).toHaveLength(1);
  });

  it("labels are put on messages by id", async () => {
    await inbox.receive();
    const { id } = await inbox.json<{ id: string }>("POST", "/labels", { name: "Bills", color: "#ff0000" });
    expect(await inbox.json("PUT", "/messages/1/labels", { label_ids: [id] })).toMatchObject({ labels: [id] });
    expect((await inbox.call("PUT", "/messages/1/labels", { label_ids: [crypto.randomUUID()] })).status).toBe(422);
    expect(await inbox.json("PATCH", `/labels/${id}`, { name: "Paid" })).toEqual({
      id,
      name: "Paid",
      color: "#ff0000",
    });
    await inbox.call("DELETE", `/labels/${id}`);
    expect((await inbox.list())[0]?.labels).toEqual([]);
  });
});

it("a thread lists its messages of all folders, and an unknown one is a 404", async () => {
  await inbox.receive({ "Message-ID": "<a@example.org>" });
  await inbox.receive({ "Message-ID": "<b@example.org>", "In-Reply-To": "<a@example.org>" });
  await inbox.call("POST", "/messages/1/move", { folder: "Archive" });
  const [item] = await inbox.list();
  const thread = await inbox.json<Item[]>("GET", `/threads/${item?.thread_id}`);
  expect(thread.map(({ folder, uid }) => `${folder} ${uid}`)).toEqual(["Archive 1", "INBOX 2"]);
  expect((await inbox.call("GET", `/threads/${crypto.randomUUID()}`)).status).toBe(404);
});

it("mail of a blocked sender goes to Spam", async () => {
  expect(await inbox.json("PUT", "/blocked-senders", { emails: ["ADA@example.org"] })).toEqual({
    emails: ["ada@example.org"],
  });
  await inbox.receive();
  expect((await inbox.list("Spam")).length).toBe(1);
  expect((await inbox.call("PUT", "/blocked-senders", { emails: ["nonsense"] })).status).toBe(422);
});

it("a deleted mailbox loses its messages, in its object and in R2", async () => {
  const { mailboxId } = inbox.workspace;
  await inbox.receive();
  await inbox.call("POST", "/drafts", { subject: "a" });
  const store = env.MAILBOX.getByName(mailboxId);
  const tables = () =>
    runInDurableObject(store, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'message%'").toArray(),
    );
  expect([(await tables()).length > 0, (await objectsOf(mailboxId)).length]).toEqual([true, 2]);
  await inbox.workspace.call("DELETE", `/v1/mailboxes/${mailboxId}`);
  expect((await inbox.call("GET", "/messages")).status).toBe(404);
  await runOutboxAt(Date.now() + 3 * 60_000, {}, ["purge"]);
  expect([await tables(), await objectsOf(mailboxId)]).toEqual([[], []]);
});
