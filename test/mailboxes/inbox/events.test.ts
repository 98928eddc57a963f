import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_SOCKETS_OF_CREDENTIAL } from "../../../src/mailboxes/inbox/events/sockets.ts";
import { anAccessToken } from "../../support/oauth.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, aMember, apiWith, perTest } from "../../support/workspace.ts";
import { fill } from "../mailbox-store/support.ts";
import { watch } from "./event-socket.ts";
import { anInbox } from "./support.ts";

const inbox = perTest(anInbox);

const mailboxId = () => inbox.workspace.mailboxId;
const object = () => env.MAILBOX.getByName(mailboxId());
const assign = (...user_ids: string[]) =>
  inbox.workspace.call("PUT", `/v1/mailboxes/${mailboxId()}/assignees`, { user_ids });
const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const handshake = (api: Parameters<typeof watch>[0], headers: Record<string, string> = {}) =>
  api.get(inbox.path("/events"), { Upgrade: "websocket", ...headers });

describe("an open socket", () => {
  it("is told of every kind of change, in order, with folder and UID", async () => {
    const { next } = await watch(inbox.workspace, mailboxId());
    await inbox.receive();
    await inbox.call("POST", "/messages/1/flags", { seen: true });
    await inbox.call("POST", "/messages/1/move", { folder: "archive" });
    await inbox.call("POST", "/folders", { name: "Work" });
    await inbox.call("PATCH", "/folders/Work", { name: "Old work" });
    await inbox.call("DELETE", "/messages/1?folder=Archive&expunge=true");
    await inbox.call("DELETE", "/folders/Old%20work");
    await inbox.call("POST", "/drafts", { subject: "a" });
    await inbox.call("PUT", "/drafts/1", { subject: "b" });
    expect(await next(12)).toEqual([
      "message INBOX 1",
      "flags INBOX 1",
      "move INBOX 1",
      "message Archive 1",
      "folder Work null",
      "folder Work null",
      "folder Old work null",
      "expunge Archive 1",
      "folder Old work null",
      "message Drafts 1",
      "expunge Drafts 1",
      "message Drafts 2",
    ]);
  });

  it("is told of labels, spam, restored messages and bulk changes, and not of a refused one", async () => {
    await inbox.receive();
    await inbox.receive();
    const { id } = await inbox.json<{ id: string }>("POST", "/labels", { name: "a", color: "#000000" });
    const { next } = await watch(inbox.workspace, mailboxId());
    await inbox.call("POST", "/messages/1/move", { folder: "Nowhere" });
    await inbox.call("DELETE", "/folders/INBOX");
    await inbox.call("PUT", "/messages/1/labels", { label_ids: [id] });
    await inbox.call("POST", "/messages/1/spam");
    await inbox.call("POST", "/messages/1/not-spam?folder=Spam");
    await inbox.call("POST", "/messages/batch", { uids: [2, 3, 9], action: "flag" });
    expect(await next(7)).toEqual([
      "flags INBOX 1",
      "move INBOX 1",
      "message Spam 1",
      "move Spam 1",
      "message INBOX 3",
      "flags INBOX 2",
      "flags INBOX 3",
    ]);
  });

  it("is told of what the alarm removes from Trash", async () => {
    await inbox.receive();
    await inbox.call("DELETE", "/messages/1");
    await runInDurableObject(object(), (_, { storage }) => {
      storage.sql.exec("UPDATE messages SET arrived_at = 0");
    });
    const { next } = await watch(inbox.workspace, mailboxId());
    await runDurableObjectAlarm(object());
    expect(await next(1)).toEqual(["expunge Trash 1"]);
  });

  it("is told of more than 1,000 changes at once as one change of the folder", async () => {
    await fill(object(), 1_001);
    const { next } = await watch(inbox.workspace, mailboxId());
    const uids = Array.from({ length: 1_001 }, (_, index) => index + 1);
    await object().setFlags("INBOX", uids, { seen: true });
    await object().setFlags("INBOX", uids.slice(0, 2), { seen: false });
    expect(await next(3)).toEqual(["folder INBOX null", "flags INBOX 1", "flags INBOX 2"]);
  });

  it("responds to ping with pong, and closes when the client sends anything else", async () => {
    const { socket, changes, next, closeCode } = await watch(inbox.workspace, mailboxId());
    socket.send("ping");
    await next(1);
    expect(changes).toEqual(["pong"]);
    socket.send("{}");
    expect(await closeCode()).toBe(1008);
  });
});

describe("the handshake", () => {
  it("is refused from another origin, and with a cookie also without an origin", async () => {
    const session = await aSession(inbox.workspace);
    const statuses = async (api: Parameters<typeof watch>[0], headers: Record<string, string>) =>
      (await handshake(api, headers)).status;
    expect(await statuses(session, { Origin: "https://evil.example" })).toBe(403);
    expect(await statuses(session, { "Sec-Fetch-Site": "same-site" })).toBe(403);
    expect(await statuses(session, {})).toBe(101);
    expect(await statuses(inbox.workspace, { Origin: "https://evil.example" })).toBe(403);
    expect(await statuses(inbox.workspace, {})).toBe(101);
    const withoutOrigin = apiWith(null);
    const cookie = `session=${session.tokens.accessToken}`;
    expect(await statuses(withoutOrigin, { Cookie: cookie })).toBe(403);
  });

  it("without Upgrade is a 426, and opening by an owner who is not assigned is recorded", async () => {
    expect((await inbox.call("GET", "/events")).status).toBe(426);
    const entry = "SELECT count(*) AS n FROM audit_log WHERE workspace = ?1 AND action = 'opened as'";
    await watch(inbox.workspace, mailboxId());
    expect(await env.DB.prepare(entry).bind(inbox.workspace.workspaceNumber).first("n")).toBe(1);
  });

  it("is refused beyond ten sockets of a credential; another credential still opens one", async () => {
    const responses = await Promise.all(
      Array.from({ length: MAX_SOCKETS_OF_CREDENTIAL + 2 }, () => handshake(inbox.workspace)),
    );
    expect(responses.filter(({ status }) => status === 101).length).toBe(MAX_SOCKETS_OF_CREDENTIAL);
    const refused = responses.find(({ status }) => status !== 101);
    expect([refused?.status, refused?.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await handshake(apiWith(await aKey(inbox.workspace)))).status).toBe(101);
  });

  it("is refused beyond 100 sockets of a mailbox", async () => {
    const keys = await Promise.all(Array.from({ length: 11 }, () => aKey(inbox.workspace)));
    const sockets = await Promise.all(keys.flatMap((key) => Array.from({ length: 10 }, () => handshake(apiWith(key)))));
    const statuses = sockets.map(({ status }) => status);
    // A socket that nothing refers to any more would be closed meanwhile.
    for (const { webSocket } of sockets) webSocket?.accept();
    expect(statuses.filter((status) => status === 101).length).toBe(100);
    expect(statuses.filter((status) => status === 429).length).toBe(10);
  });
});

/** Opens a socket with a credential of each kind, and what ends its access. */
const ends: Record<string, () => Promise<{ api: Parameters<typeof watch>[0]; end: () => Promise<unknown> }>> = {
  "an API key that is revoked": async () => {
    const api = apiWith(await aKey(inbox.workspace, { id: crypto.randomUUID(), name: "ends" }));
    return { api, end: () => run("UPDATE api_keys SET revoked_at = 1 WHERE name = 'ends'") };
  },
  "an API key that expires": async () => {
    const api = apiWith(await aKey(inbox.workspace, { expiresAt: Date.now() + 60_000, name: "short" }));
    return { api, end: () => run("UPDATE api_keys SET expires_at = 1 WHERE name = 'short'") };
  },
  "an API key that loses inbox:read": async () => {
    const api = apiWith(await aKey(inbox.workspace, { name: "narrow", scopes: ["inbox:read"] }));
    return { api, end: () => run(`UPDATE api_keys SET scopes = '["emails:view"]' WHERE name = 'narrow'`) };
  },
  "an API key that is restricted to other domains": async () => {
    const api = apiWith(await aKey(inbox.workspace, { name: "domains", domainIds: [inbox.workspace.domainId] }));
    return { api, end: () => run("UPDATE api_keys SET domain_ids = '[]' WHERE name = 'domains'") };
  },
  "a session that is signed out": async () => {
    const api = await aSession(inbox.workspace);
    return { api, end: () => api.post("/auth/logout", undefined) };
  },
  "an OAuth grant that is revoked": async () => {
    const api = apiWith(await anAccessToken(inbox.workspace, ["inbox:read"]));
    const { userId } = inbox.workspace;
    return { api, end: () => run("DELETE FROM oauth_grants WHERE user_id = ?1", userId) };
  },
  "an OAuth access token that is revoked": async () => {
    const api = apiWith(await anAccessToken(inbox.workspace, ["inbox:read"]));
    return { api, end: () => run("DELETE FROM oauth_access_tokens") };
  },
  "a member who is no longer assigned": async () => {
    const member = await aMember(inbox.workspace, "member");
    await assign(member.userId);
    return { api: member, end: () => assign() };
  },
  "an admin who becomes a member": async () => {
    const admin = await aMember(inbox.workspace, "admin");
    return { api: admin, end: () => run("UPDATE memberships SET role = 'member' WHERE user_id = ?1", admin.userId) };
  },
  "a member who leaves the workspace": async () => {
    const member = await aMember(inbox.workspace, "member");
    await assign(member.userId);
    const { workspaceId } = inbox.workspace;
    const path = `/v1/workspaces/${workspaceId}/members/${member.userId}`;
    return { api: member, end: () => inbox.workspace.call("DELETE", path) };
  },
  "the owner of a workspace that loses the mailbox": async () => ({
    api: inbox.workspace,
    end: async () => {
      const other = await anInbox();
      await run("UPDATE mailboxes SET workspace = ?1 WHERE id = ?2", other.workspace.workspaceNumber, mailboxId());
    },
  }),
  "a mailbox session whose password changes": async () => ({ api: await signIn(), end: () => setPassword("b") }),
  "a mailbox session whose mailbox is switched off": async () => ({
    api: await signIn(),
    end: () => run("UPDATE mailboxes SET is_active = 0 WHERE id = ?1", mailboxId()),
  }),
};

const setPassword = (text: string) =>
  inbox.workspace.call("PUT", `/v1/mailboxes/${mailboxId()}/password`, { password: text.repeat(20) });

async function signIn() {
  await setPassword("a");
  const credentials = { email: inbox.workspace.mailbox, password: "a".repeat(20) };
  const response = await apiWith(null).post("/v1/webmail/login", credentials);
  return apiWith((await response.json<{ access_token: string }>()).access_token);
}

describe("when the access ends", () => {
  for (const [who, prepare] of Object.entries(ends)) {
    it(`the socket of ${who} is told nothing more and closes; others stay open`, async () => {
      const { api, end } = await prepare();
      const ended = await watch(api, mailboxId());
      const stays = apiWith(await aKey(inbox.workspace));
      const other = who.includes("loses the mailbox") ? null : await watch(stays, mailboxId());
      await inbox.receive();
      expect(await ended.next(1)).toEqual(["message INBOX 1"]);
      const ending = (await end()) as { status?: number };
      expect(ending?.status ?? 200, "the access was ended").toBeLessThan(300);
      await object().setFlags("INBOX", [1], { seen: true });
      expect(await ended.closeCode()).toBe(4001);
      expect(ended.changes.length).toBe(1);
      if (other) expect(await other.next(2)).toEqual(["message INBOX 1", "flags INBOX 1"]);
    });
  }

  it("a socket that is told nothing wakes the mailbox only when it ends", async () => {
    await watch(inbox.workspace, mailboxId());
    const soon = Date.now() + 1_800_000;
    const { closeCode } = await watch(apiWith(await aKey(inbox.workspace, { expiresAt: soon })), mailboxId());
    const alarm = () => runInDurableObject(object(), (_, { storage }) => storage.getAlarm());
    expect(await alarm()).toBe(soon);
    await runInDurableObject(object(), (_, state) => {
      for (const socket of state.getWebSockets()) {
        const watcher = socket.deserializeAttachment() as { endsAt: number };
        if (watcher.endsAt === soon) socket.serializeAttachment({ ...watcher, endsAt: Date.now() });
      }
    });
    await runDurableObjectAlarm(object());
    expect(await closeCode()).toBe(4001);
    expect((await alarm()) ?? 0).toBeGreaterThan(soon);
  });

  it("a new password and new assignees close the sockets at once", async () => {
    const password = await watch(await signIn(), mailboxId());
    await setPassword("c");
    expect(await password.closeCode()).toBe(4001);
    const member = await aMember(inbox.workspace, "member");
    await assign(member.userId);
    const assigned = await watch(member, mailboxId());
    await assign();
    expect(await assigned.closeCode()).toBe(4001);
  });

  it("a socket ends after an hour at the latest, and with its credential before", async () => {
    const soon = Date.now() + 1_800_000;
    await watch(inbox.workspace, mailboxId());
    await watch(apiWith(await aKey(inbox.workspace, { expiresAt: soon })), mailboxId());
    const ends = await runInDurableObject(object(), (_, state) =>
      state.getWebSockets().map((socket) => (socket.deserializeAttachment() as { endsAt: number }).endsAt),
    );
    expect(ends.some((end) => end === soon)).toBe(true);
    expect(Math.max(...ends)).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  it("a mailbox whose callers cannot be checked tells nothing and closes the sockets", async () => {
    const { changes, closeCode } = await watch(inbox.workspace, mailboxId());
    await runInDurableObject(object(), async (instance) => {
      const { env: bindings } = instance as unknown as { env: Record<string, unknown> };
      const { DB } = bindings;
      bindings.DB = {
        prepare: () => ({ bind: () => ({}) }),
        batch: async () => Promise.reject(new Error("D1 is down")),
      };
      try {
        await instance.setFlags("INBOX", [], {});
        await instance.checkAccess();
      } finally {
        bindings.DB = DB;
      }
    });
    expect(await closeCode()).toBe(1011);
    expect(changes).toEqual([]);
  });
});
