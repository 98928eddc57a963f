import { beforeEach, describe, expect, it } from "vitest";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { watchAt } from "../../mailboxes/inbox/event-socket.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { readAudit } from "../../support/audit.ts";
import { aSession } from "../../support/sessions.ts";
import { browser } from "../../support/sign-ins.ts";
import { aMember, apiWith, perTest } from "../../support/workspace.ts";

const PASSWORD = "correct horse battery staple";
const OWN = { Origin: "http://api.test" };

const inbox = perTest(anInbox);

beforeEach(async () => {
  await setPassword(PASSWORD);
});

const setPassword = (password: string) =>
  inbox.workspace.call("PUT", `/v1/mailboxes/${inbox.workspace.mailboxId}/password`, { password });
const path = () => `/mail/events/${inbox.workspace.mailboxId}`;

async function signedIn() {
  const page = browser();
  await page.post("/mail/sign-in", { email: inbox.workspace.mailbox, password: PASSWORD });
  return page;
}

async function receiveAndRead(socket: Awaited<ReturnType<typeof watchAt>>) {
  await deliver(inbox.workspace.mailbox, aRawMessage());
  return socket.next(1);
}

describe("the socket of webmail", () => {
  it("tells a mailbox session of changes, and closes with a new password", async () => {
    const socket = await watchAt(await signedIn(), path());
    expect(await receiveAndRead(socket)).toEqual(["message INBOX 1"]);
    await setPassword(`${PASSWORD} 2`);
    expect(await socket.closeCode()).toBe(4001);
  });

  it("closes when its page signs out", async () => {
    const page = await signedIn();
    const socket = await watchAt(page, path());
    await page.post("/mail/sign-out");
    await deliver(inbox.workspace.mailbox, aRawMessage());
    expect(await socket.closeCode()).toBe(4001);
    expect(socket.changes).toEqual([]);
  });

  it("tells a user of the dashboard, with the audit entry `opened as` for a mailbox of another", async () => {
    const admin = await aMember(inbox.workspace, "admin");
    const session = await aSession({ ...inbox.workspace, userId: admin.userId });
    const socket = await watchAt(session, path());
    const entries = await readAudit(inbox.workspace);
    expect(entries.filter(({ action }) => action === "opened as").map(({ detail }) => detail)).toEqual([
      { opened_as: "admin" },
    ]);
    expect(await receiveAndRead(socket)).toEqual(["message INBOX 1"]);
  });

  it("refreshes a session whose access token has expired, and keeps it open for the page", async () => {
    const page = await signedIn();
    const before = page.jar.mailbox_refresh;
    delete page.jar.mailbox;
    const socket = await watchAt(page, path());
    expect(page.jar.mailbox_refresh).not.toBe(before);
    expect((await page.get(`/mail/${inbox.workspace.mailboxId}/INBOX`)).status).toBe(200);
    expect(await receiveAndRead(socket)).toEqual(["message INBOX 1"]);
  });

  it("is opened from pages of this service only, and no other page refreshes a session", async () => {
    const page = await signedIn();
    const jar = { ...page.jar };
    delete page.jar.mailbox;
    for (const site of ["cross-site", "same-site", "none"]) {
      const response = await page.get(path(), { Upgrade: "websocket", "Sec-Fetch-Site": site });
      expect([response.status, response.headers.getSetCookie()], site).toEqual([403, []]);
    }
    const cookie = { Cookie: `mailbox=${jar.mailbox}`, Upgrade: "websocket" };
    const api = apiWith(null);
    expect((await api.get(path(), cookie)).status).toBe(403);
    expect((await api.get(path(), { ...cookie, Origin: "https://evil.example" })).status).toBe(403);
    expect((await api.get(path(), { ...cookie, Origin: "null" })).status).toBe(403);
    expect((await api.get(path(), { ...cookie, ...OWN })).status).toBe(101);
  });

  it("leads a visitor without a session to the sign-in page, and takes no key of the API", async () => {
    const headers = { Upgrade: "websocket", ...OWN };
    for (const api of [apiWith(null), inbox.workspace]) {
      const response = await api.get(path(), headers);
      expect([response.status, response.headers.get("Location")]).toEqual([303, "/mail/sign-in"]);
    }
  });

  it("is refused for other mailboxes, unknown ones, members who are not assigned, and other requests", async () => {
    const other = await anInbox();
    const page = await signedIn();
    const socketOf = (mailboxId: string) => page.get(`/mail/events/${mailboxId}`, { Upgrade: "websocket" });
    for (const id of [other.workspace.mailboxId, crypto.randomUUID(), "a%0d%0ab", "%00"])
      expect((await socketOf(id)).status, id).toBe(403);
    const member = await aMember(inbox.workspace, "member");
    const session = await aSession({ ...inbox.workspace, userId: member.userId });
    expect((await session.get(path(), { Upgrade: "websocket" })).status).toBe(403);
    const plain = await page.get(path());
    expect([plain.status, plain.headers.get("Upgrade")]).toEqual([426, "websocket"]);
  });
});
