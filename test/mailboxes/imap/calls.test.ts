/** The calls of the gateway for mail programs. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Access, openForCall } from "../../../src/mailboxes/imap/access.ts";
import { aSystemWorkspace, transfer } from "../../support/transfers.ts";
import { apiWith, aWorkspace, testContext } from "../../support/workspace.ts";
import { anAppPassword, findEnded } from "../app-passwords/support.ts";
import { anInbox, type Inbox } from "../inbox/support.ts";
import { aMessage } from "../mailbox-store/support.ts";

const SECRET = "gateway-secret-of-the-tests-0123456789";
const PASSWORD = "correct horse battery staple";

interface Response {
  error: { code: string; text: string } | null;
  access: Access;
  [field: string]: unknown;
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const response = await apiWith(null).post(`/gateway/imap/${path}`, body, {
    Authorization: `Bearer ${SECRET}`,
    ...headers,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<Response>();
}

const setPassword = (inbox: Inbox, password = PASSWORD) =>
  inbox.workspace.call("PUT", `/v1/mailboxes/${inbox.workspace.mailboxId}/password`, { password });

const logIn = (username: string, password = PASSWORD) => post("sessions", { username, password, ip: "192.0.2.9" });

/** Creates a mailbox that is open for mail programs, and returns a function that calls for it. */
async function anOpenMailbox() {
  const inbox = await anInbox();
  await setPassword(inbox);
  const { access } = await logIn(inbox.workspace.mailbox);
  return { inbox, access, call: (call: object) => post("calls", { access, call }) };
}

async function append(access: Access, folder: string, text: string, flags: string[] = []) {
  const raw = new TextEncoder().encode(text.replaceAll("\n", "\r\n"));
  const response = await upload(access, raw, { folder, flags: { flags, keywords: [] }, date: null, size: raw.length });
  return response.json<Response>();
}

const upload = (access: Access | null, raw: Uint8Array, message: object) =>
  exports.default.fetch(
    new Request("https://mail.test/gateway/imap/messages", {
      method: "POST",
      body: raw,
      headers: {
        Authorization: `Bearer ${SECRET}`,
        "Content-Type": "message/rfc822",
        "X-Access": btoa(JSON.stringify(access)),
        "X-Message": btoa(JSON.stringify(message)),
      },
    }),
  );

describe("a session", () => {
  it("starts with the password of the mailbox, and with one error for an unknown mailbox and a wrong password", async () => {
    const inbox = await anInbox();
    await setPassword(inbox);
    expect(await logIn(inbox.workspace.mailbox.toUpperCase())).toMatchObject({
      error: null,
      access: { id: inbox.workspace.mailboxId },
    });
    const wrong = { error: { code: "AUTHENTICATIONFAILED", text: "The address or the password is wrong" } };
    expect(await logIn(inbox.workspace.mailbox, "wrong")).toEqual(wrong);
    expect(await logIn(`unknown@${inbox.workspace.domain}`)).toEqual(wrong);
    expect(await logIn("no address\r\n")).toEqual(wrong);
  });

  it("is asked about by each call, which uses an answer of at most three seconds", async () => {
    const { inbox, access } = await anOpenMailbox();
    const start = Date.now();
    const open = (ms: number) =>
      openForCall(
        testContext({}, () => start + ms),
        access,
      );
    for (const ms of [0, 2_000]) await open(ms);
    await setPassword(inbox, `${PASSWORD} 2`);
    expect((await open(2_999)).mailboxId).toBe(access.id);
    await expect(open(3_000)).rejects.toThrow("The access has ended; log in again");
  });

  it("is named in one question about many when its password, its app password or its mailbox has ended, or its domain has moved", async () => {
    await aSystemWorkspace();
    const [kept, changed, inactive, moved] = await Promise.all([
      anOpenMailbox(),
      anOpenMailbox(),
      anOpenMailbox(),
      anOpenMailbox(),
    ]);
    const { id, password } = await anAppPassword(kept.inbox.workspace);
    const appPassword = await anAppPassword(kept.inbox.workspace);
    const app = await logIn(kept.inbox.workspace.mailbox, password);
    const keptApp = await logIn(kept.inbox.workspace.mailbox, appPassword.password);
    const opened = [kept, changed, inactive, moved, app, keptApp].map(({ access }) => access);
    expect(await findEnded(...opened)).toEqual([]);
    await setPassword(changed.inbox, `${PASSWORD} 2`);
    const { mailboxId } = inactive.inbox.workspace;
    await inactive.inbox.workspace.call("PATCH", `/v1/mailboxes/${mailboxId}`, { is_active: false });
    await transfer(moved.inbox.workspace, await aWorkspace());
    await kept.inbox.workspace.call("DELETE", `/v1/mailboxes/${kept.inbox.workspace.mailboxId}/app-passwords/${id}`);
    expect(await findEnded(...opened, { id: "none", secret: "none" })).toEqual([1, 2, 3, 4, 6]);
    expect(await findEnded(...Array(2_000).fill(kept.access))).toEqual([]);
  });

  it("counts wrong passwords with those of webmail", async () => {
    const inbox = await anInbox();
    await setPassword(inbox);
    const codes = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      codes.push((await logIn(inbox.workspace.mailbox, `wrong ${attempt}`)).error?.code);
    expect(new Set(codes)).toEqual(new Set(["AUTHENTICATIONFAILED", "LIMIT"]));
    expect((await logIn(inbox.workspace.mailbox)).error?.code).toBe("LIMIT");
  });

  it("of an earlier gateway is told to log in again, and so is an access that never was", async () => {
    const { inbox, access } = await anOpenMailbox();
    const other = await anInbox();
    const call = { name: "folders" };
    for (const body of [
      { token: "a.b.c", call },
      { access: "x", call },
      { access: { ...access, secret: "0" }, call },
      { access: { ...access, id: other.workspace.mailboxId }, call },
    ])
      expect((await post("calls", body)).error?.code).toBe("EXPIRED");
    const raw = new TextEncoder().encode("Subject: x\r\n\r\ntext\r\n");
    const message = { folder: "INBOX", flags: { flags: [], keywords: [] }, date: null, size: raw.length };
    const response = await upload(null, raw, message);
    expect(await response.json()).toMatchObject({ error: { code: "EXPIRED" } });
    expect(await inbox.list()).toEqual([]);
  });
});

describe("a call", () => {
  it("names what does not exist", async () => {
    const { call } = await anOpenMailbox();
    const codeOf = async (one: object) => (await call(one)).error?.code;
    expect(await codeOf({ name: "select", folder: "Nowhere" })).toBe("NONEXISTENT");
    expect(await codeOf({ name: "copy", folder: "INBOX", uids: [1], to: "Nowhere" })).toBe("TRYCREATE");
    expect(await codeOf({ name: "create-folder", folder: "a*b" })).toBe("CANNOT");
    expect(await codeOf({ name: "create-folder", folder: "sent" })).toBe("ALREADYEXISTS");
    expect(await codeOf({ name: "subscribe", folder: "Nowhere", is_subscribed: true })).toBe("NONEXISTENT");
    expect(await codeOf({ name: "subscribe", folder: "Nowhere", is_subscribed: false })).toBeUndefined();
  });

  it("deletes a folder with its messages, and no system folder", async () => {
    const { inbox, access, call } = await anOpenMailbox();
    for (const folder of ["Trash/Old", "Trash/Old/below"]) await call({ name: "create-folder", folder });
    for (const folder of ["INBOX", "Trash/Old", "Trash/Old"]) await append(access, folder, "Subject: x\n\ntext\n");
    const one = Number((await call({ name: "quota" })).used_bytes) / 3;
    expect((await call({ name: "delete-folder", folder: "Trash/Old" })).error).toBeNull();
    expect((await call({ name: "delete-folder", folder: "INBOX" })).error?.code).toBe("CANNOT");
    const { folders } = await call({ name: "folders" });
    const left = (folders as { name: string; total: number }[]).map(({ name, total }) => `${name} ${total}`);
    expect([left[0], left.slice(6)]).toEqual(["INBOX 1", ["Trash/Old/below 0"]]);
    expect(await call({ name: "quota" })).toMatchObject({ used_bytes: one });
    const mailbox = await inbox.workspace.call("GET", `/v1/mailboxes/${inbox.workspace.mailboxId}`);
    expect(await mailbox.json()).toMatchObject({ used_bytes: one });
  });

  it("keeps the subscription of a folder that a mail program deletes, and not of one that webmail deletes (RFC 3501 6.3.6)", async () => {
    const { inbox, call } = await anOpenMailbox();
    const left = async () => (await call({ name: "folders" })).deletedSubscriptions;
    for (const folder of ["By program", "By webmail"]) await call({ name: "create-folder", folder });
    await call({ name: "delete-folder", folder: "By program" });
    await inbox.call("DELETE", "/folders/By%20webmail");
    expect(await left()).toEqual(["By program"]);
    await call({ name: "subscribe", folder: "By program", is_subscribed: true });
    expect(await left()).toEqual(["By program"]);
    await call({ name: "subscribe", folder: "By program", is_subscribed: false });
    expect(await left()).toEqual([]);
  });

  it("that copies or moves messages by number changes nothing when one was expunged (RFC 2180 4.4.1)", async () => {
    const { access, call } = await anOpenMailbox();
    await append(access, "INBOX", "Subject: x\n\ntext\n");
    const folders = async () => JSON.stringify((await call({ name: "folders" })).folders);
    const before = await folders();
    const change = { folder: "INBOX", uids: [1, 2], to: "Archive" };
    for (const name of ["copy", "move"])
      expect((await call({ name, ...change, must_exist: true })).error?.code).toBe("EXPUNGEISSUED");
    expect(await folders()).toBe(before);
    for (const name of ["copy", "move"])
      expect(await call({ name, ...change })).toMatchObject({ error: null, moved: [{ uid: 1 }] });
    const many = Array.from({ length: 5_001 }, (_, index) => index + 1);
    await expect(call({ name: "copy", ...change, uids: many })).rejects.toThrow("422");
  });

  it("that deletes or moves a draft stops the email that waits to be sent from it, and is refused when it is too late", async () => {
    const { inbox, call } = await anOpenMailbox();
    const store = { name: "store", folder: "Drafts", mode: "add", flags: { flags: ["\\Deleted"], keywords: [] } };
    const waiting = async (changes: object) => {
      const { uid } = await inbox.json<{ uid: number }>("POST", "/drafts", { subject: "First" });
      const message = { to: ["friend@example.org"], subject: "First", text: "a", draft_id: uid, ...changes };
      const { id } = await inbox.json<{ id: string }>("POST", "/send", message);
      const status = async () =>
        (await (await inbox.workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
      return { uid, status };
    };
    const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() };
    const [deleted, moved, late] = [await waiting(later), await waiting(later), await waiting({})];
    // A move that is refused stops nothing.
    const move = { name: "move", folder: "Drafts", uids: [moved.uid], to: "Trash" };
    expect((await call({ ...move, to: "Nowhere" })).error?.code).toBe("TRYCREATE");
    expect((await call({ ...move, uids: [moved.uid, 999], must_exist: true })).error?.code).toBe("EXPUNGEISSUED");
    expect(await moved.status()).toBe("scheduled");
    expect((await call({ ...store, uids: [deleted.uid], unchanged_since: null })).error).toBeNull();
    expect((await call(move)).error).toBeNull();
    expect([await deleted.status(), await moved.status()]).toEqual(["cancelled", "cancelled"]);
    expect(await call({ ...store, uids: [late.uid], unchanged_since: null })).toMatchObject({
      error: { code: "INUSE" },
    });
  });

  it("that marks a message of Drafts as deleted expunges it, and marks one elsewhere only", async () => {
    const { access, call } = await anOpenMailbox();
    for (const folder of ["Drafts", "Drafts", "Archive"])
      await append(access, folder, "Subject: x\n\ntext\n", ["\\Draft"]);
    const one = Number((await call({ name: "quota" })).used_bytes) / 3;
    const deleted = { flags: ["\\Deleted"], keywords: [] };
    const store = { name: "store", uids: [1], mode: "add", flags: deleted, unchanged_since: null };
    for (const folder of ["drafts", "Archive"])
      expect(await call({ ...store, folder })).toMatchObject({ error: null, states: [{ uid: 1 }] });
    await call({ ...store, folder: "Drafts", uids: [2], mode: "remove" });
    const left = async (folder: string) => (await call({ name: "select", folder })).uids;
    expect([await left("Drafts"), await left("Archive")]).toEqual([[2], [1]]);
    expect((await call({ name: "quota" })).used_bytes).toBe(2 * one);
  });

  it("with wrong values is refused", async () => {
    const { call } = await anOpenMailbox();
    const wrong = [
      { name: "unknown" },
      { name: "fetch", folder: "INBOX", uids: [0], header: null, structure: false },
      { name: "fetch", folder: "INBOX", uids: Array.from({ length: 201 }, () => 1), header: null, structure: false },
      { name: "store", folder: "INBOX", uids: [1], mode: "add", flags: { flags: ["\\Recent"], keywords: [] } },
      { name: "select", folder: "" },
    ];
    for (const one of wrong) await expect(call(one)).rejects.toThrow("422");
  });

  it("renames the folders below a folder with it", async () => {
    const { call } = await anOpenMailbox();
    for (const folder of ["a", "a/b", "a/b/c", "ab"]) await call({ name: "create-folder", folder });
    expect((await call({ name: "rename-folder", folder: "a", new_name: "x" })).error).toBeNull();
    const { folders } = await call({ name: "folders" });
    expect((folders as { name: string }[]).map(({ name }) => name).slice(6)).toEqual(["x", "x/b", "x/b/c", "ab"]);
    await call({ name: "create-folder", folder: "y/b" });
    expect((await call({ name: "rename-folder", folder: "x", new_name: "y" })).error?.code).toBe("ALREADYEXISTS");
  });

  it("reads the content of the own mailbox only", async () => {
    const [own, other] = [await anOpenMailbox(), await anOpenMailbox()];
    await append(own.access, "INBOX", "Subject: x\n\nsecret\n");
    const fetch = { name: "fetch", folder: "INBOX", uids: [1], header: null, structure: false };
    const [message] = (await own.call(fetch)).messages as { object: string; size: number }[];
    const read = async (access: Access, object = message?.object ?? "") => {
      const place = { access, object, from: 14, length: 6 };
      const response = await apiWith(null).post("/gateway/imap/contents", place, { Authorization: `Bearer ${SECRET}` });
      return [response.status, await response.text()];
    };
    expect(await read(own.access)).toEqual([200, "secret"]);
    expect(await read(other.access)).toEqual([410, expect.stringContaining("EXPUNGEISSUED")]);
    expect((await read(own.access, `${message?.object}x`))[0]).toBe(410);
  });

  it("finds texts within words, in decoded fields and in any letter case", async () => {
    const { call, access } = await anOpenMailbox();
    const header = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nX-Tag: one\n";
    await append(access, "INBOX", `${header}\nThe pelican 日本語 text\n`);
    await append(access, "INBOX", "From: ada@example.org\nSubject: other\n\nnothing\n", ["\\Seen"]);
    const find = async (key: object) => (await call({ name: "search", folder: "INBOX", key, after: 0 })).uids;
    expect(await find({ key: "header", name: "From", value: "JÜRG" })).toEqual([1]);
    expect(await find({ key: "header", name: "subject", value: "rüß" })).toEqual([1]);
    expect(await find({ key: "header", name: "X-Tag", value: "" })).toEqual([1]);
    expect(await find({ key: "body", value: "ELICA" })).toEqual([1]);
    expect(await find({ key: "body", value: "日本" })).toEqual([1]);
    expect(await find({ key: "text", value: "x-tag" })).toEqual([1]);
    expect(await find({ key: "not", of: { key: "flag", flag: "\\Seen", isSet: true } })).toEqual([1]);
    expect(await find({ key: "or", keys: [{ key: "uids", set: [[2, 9]] }, { key: "none" }] })).toEqual([2]);
    expect(await find({ key: "arrived", when: "on", date: Date.UTC(2000, 0, 1) })).toEqual([]);
    expect(await find({ key: "larger", bytes: 100 })).toEqual([1]);
  });
});

describe("a message that is appended", () => {
  it("has its flags, its time and its size, and takes room", async () => {
    const { inbox, call, access } = await anOpenMailbox();
    expect(await append(access, "Archive", "Subject: x\n\ntext\n", ["\\Seen", "\\Draft"])).toMatchObject({ uid: 1 });
    const state = await call({ name: "select", folder: "Archive" });
    expect([state.flags, state.uidnext]).toEqual([[9], 2]);
    const [item] = await inbox.list("Archive");
    expect(item).toMatchObject({ subject: "x", seen: true });
    expect(await append(access, "Nowhere", "Subject: x\n\n")).toMatchObject({ error: { code: "TRYCREATE" } });
  });

  it("is not stored when it is shorter than was said", async () => {
    const { inbox, access } = await anOpenMailbox();
    const message = { folder: "INBOX", flags: { flags: [], keywords: [] }, date: null, size: 100 };
    const response = await upload(access, new Uint8Array(50).fill(65), message);
    expect(response.status).toBe(500);
    expect(await inbox.list()).toEqual([]);
  });

  it("beyond the quota is refused", async () => {
    const { inbox, access } = await anOpenMailbox();
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { quota_bytes: 20 });
    expect(await append(access, "INBOX", "Subject: x\n\ntoo large for it\n")).toMatchObject({
      error: { code: "OVERQUOTA" },
    });
  });

  it("is the one that is there, when it is a copy in Sent of what this mailbox sent itself", async () => {
    const { inbox, access } = await anOpenMailbox();
    const own = aMessage({ folder: "Sent", deliveryKey: "sent 1", messageId: "<own@example.org>" });
    await env.MAILBOX.getByName(inbox.workspace.mailboxId).add(own, null);
    const text = "Message-ID: <own@example.org>\nSubject: own\n\nx\n";
    expect(await append(access, "Sent", text)).toMatchObject({ uid: 1 });
    expect(await append(access, "Sent", "Message-ID: <other@example.org>\n\nx\n")).toMatchObject({
      uid: 2,
    });
    expect(await append(access, "Sent", "Message-ID: <other@example.org>\n\nx\n")).toMatchObject({
      uid: 3,
    });
  });
});
