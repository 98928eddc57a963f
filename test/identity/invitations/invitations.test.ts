import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { InvitationOut } from "../../../src/identity/invitations/schema.ts";
import { openLinks } from "../../../src/lib/sealed-links.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { browser } from "../../support/sign-ins.ts";
import {
  aKey,
  aMember,
  apiOn,
  apiWith,
  aWorkspace,
  discardingQueue,
  perSuite,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

const TRIALS = byExtent({ quick: 4, full: 8, long: 300 });
const DAY = 24 * 3_600_000;
const sender = perSuite(aWorkspace);
let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = await aWorkspace();
});

const path = (of = workspace) => `/v1/workspaces/${of.workspaceId}/invitations`;
/** Calls the API with the mailbox of `sender` for the service's own emails. Nothing is delivered. */
const withMail = (key: string) => apiOn({ SYSTEM_MAILBOX: sender.mailbox, WORK: discardingQueue }, key);
const invite = (email: string, role?: string, of = workspace) => withMail(of.apiKey).post(path(of), { email, role });

/** Returns the token of the last email to an address. */
async function mailedToken(email: string): Promise<string> {
  const list = await (await sender.get("/v1/emails/?limit=100")).json<{ id: string; to_addresses: string[] }[]>();
  const found = list.find(({ to_addresses }) => to_addresses.includes(email));
  const mail = await (await sender.get(`/v1/emails/${found?.id}`)).json<{ text_body: string; source: string }>();
  expect(mail.source).toBe("system");
  const text = await openLinks(testContext().settings.masterKeys, mail.text_body);
  return /\/invitations\/([\w-]{43})\n/.exec(text)?.[1] ?? "";
}

/** Creates a user of another workspace, an invitation for it, and returns its session and the token. */
async function invited(role = "member") {
  const home = await aWorkspace();
  const email = `owner@${home.domain}`;
  const response = await invite(email, role);
  expect(response.status, await response.clone().text()).toBe(201);
  const { id } = await response.json<InvitationOut>();
  return { id, email, home, session: await aSession(home), token: await mailedToken(email) };
}

const accept = (session: Pick<TestWorkspace, "post">, token: string) =>
  session.post(`/v1/invitations/${token}/accept`, undefined);
const membersOf = async ({ workspaceNumber }: TestWorkspace) =>
  await database.rows<{
    user_id: string;
    role: string;
  }>("SELECT user_id, role FROM memberships WHERE workspace = ?1", [workspaceNumber]);

describe("an invitation", () => {
  it("is mailed as a link by which the invited user becomes a member, with its role", async () => {
    const { id, email, home, session, token } = await invited("admin");
    const listed = await (await workspace.get(path())).json<InvitationOut[]>();
    expect(listed).toEqual([
      {
        id,
        email,
        role: "admin",
        mailboxes_only: false,
        invited_by: workspace.userId,
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const [row] = listed;
    expect(Date.parse(row?.expires_at ?? "") - Date.parse(row?.created_at ?? "")).toBe(7 * DAY);
    const response = await accept(session, token);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { workspace: { id: workspace.workspaceId }, role: "admin" },
    ]);
    expect(await membersOf(workspace)).toContainEqual({ user_id: home.userId, role: "admin" });
    expect(await (await workspace.get(path())).json()).toEqual([]);
    expect((await session.post("/auth/workspace", { org_id: workspace.workspaceId })).status).toBe(200);
    expect(
      (await readAudit(workspace)).map(({ action, target, actor }) => [action, target.id, actor?.user_id]),
    ).toEqual([
      ["invitation.created", id, workspace.userId],
      ["member.joined", home.userId, home.userId],
    ]);
  });

  it("of a member that sees only its mailboxes makes such a member, and is refused for another role", async () => {
    const home = await aWorkspace();
    const email = `owner@${home.domain}`;
    const post = (role: string) => withMail(workspace.apiKey).post(path(), { email, role, mailboxes_only: true });
    expect((await post("admin")).status).toBe(422);
    expect(await (await post("member")).json()).toMatchObject({ role: "member", mailboxes_only: true });
    const session = await aSession(home);
    expect((await accept(session, await mailedToken(email))).status).toBe(200);
    expect(
      await database.value("SELECT mailboxes_only FROM memberships WHERE workspace = ?1 AND user_id = ?2", [
        ...[workspace.workspaceNumber, home.userId],
      ]),
    ).toBe(1);
  });

  it("that fifty calls accept at once makes one membership, and is used up", async () => {
    const { session, token } = await invited();
    const responses = await Promise.all(Array.from({ length: 50 }, () => accept(session, token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    // A call that reads the new membership is refused with 409, one that loses the race with 404.
    expect(responses.filter(({ status }) => status === 404 || status === 409)).toHaveLength(49);
    expect(await membersOf(workspace)).toHaveLength(2);
    expect((await accept(session, token)).status).toBe(404);
    expect((await readAudit(workspace)).filter(({ action }) => action === "member.joined")).toHaveLength(1);
  });

  it("is not stored in clear, and its token is in no response", async () => {
    const { token } = await invited();
    const rows = JSON.stringify(await database.rows("SELECT * FROM invitations"));
    expect(rows).not.toContain(token);
    expect(await (await workspace.get(path())).text()).not.toContain(token);
    expect(JSON.stringify(await readAudit(workspace))).not.toContain(token);
  });

  it("works for the invited address only, in any letter case", async () => {
    const { session, token, home } = await invited();
    const stranger = await aSession(await aWorkspace());
    const refused = await accept(stranger, token);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { detail: "This invitation was sent to another address" },
    ]);
    await database.run("UPDATE users SET email = upper(email) WHERE id = ?1", [home.userId]);
    expect((await accept(session, token)).status).toBe(200);
  });

  it("is a 410 after seven days, and a 404 when it is deleted later", async () => {
    const { id, session, token } = await invited();
    const age = (days: number) =>
      database.run("UPDATE invitations SET expires_at = ?2 WHERE id = ?1", [id, Date.now() - days * DAY]);
    await age(0);
    expect((await accept(session, token)).status).toBe(410);
    await age(29);
    await runMainRetention(testContext());
    expect((await accept(session, token)).status).toBe(410);
    await age(31);
    await runMainRetention(testContext());
    expect((await accept(session, token)).status).toBe(404);
    expect(await membersOf(workspace)).toHaveLength(1);
  });

  it("does not work once withdrawn, or when its sender was removed or demoted", async () => {
    const withdrawn = await invited();
    expect((await workspace.call("DELETE", `${path()}/${withdrawn.id.toUpperCase()}`)).status).toBe(204);
    expect((await workspace.call("DELETE", `${path()}/${withdrawn.id}`)).status).toBe(404);
    expect((await accept(withdrawn.session, withdrawn.token)).status).toBe(404);

    const colleague = await aMember(workspace, "owner");
    for (const change of ["removed", "demoted"]) {
      const home = await aWorkspace();
      await withMail(colleague.apiKey).post(path(), { email: `owner@${home.domain}`, role: "owner" });
      const token = await mailedToken(`owner@${home.domain}`);
      const member = `/v1/workspaces/${workspace.workspaceId}/members/${colleague.userId}`;
      if (change === "demoted") await workspace.call("PATCH", member, { role: "admin" });
      else await database.run("DELETE FROM memberships WHERE user_id = ?1", [colleague.userId]);
      expect((await accept(await aSession(home), token)).status, change).toBe(404);
      if (change === "removed")
        await database.run(
          "INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)",
          [workspace.workspaceNumber, colleague.userId],
        );
    }
  });

  it("of a removed member is deleted with the membership", async () => {
    const colleague = await aMember(workspace, "admin");
    await withMail(colleague.apiKey).post(path(), { email: "a@example.org" });
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}/members/${colleague.userId}`);
    expect(await (await workspace.get(path())).json()).toEqual([]);
  });

  it("accepted while its workspace is deleted leaves no member behind", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      workspace = await aWorkspace();
      const { session, token } = await invited();
      const [accepted, deleted] = await Promise.all([
        accept(session, token),
        workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`),
      ]);
      expect([200, 404]).toContain(accepted.status);
      expect(deleted.status).toBe(204);
      expect(await membersOf(workspace)).toEqual([]);
      const left = env.DB.prepare("SELECT 1 FROM invitations WHERE workspace = ?1").bind(workspace.workspaceNumber);
      expect(await left.first()).toBeNull();
    }
  });
});

describe("POST /v1/workspaces/{workspace_id}/invitations", () => {
  it("sends once and replays the response when a call is repeated with its Idempotency-Key", async () => {
    const api = withMail(workspace.apiKey);
    const send = () => api.post(path(), { email: "once@example.org" }, { "Idempotency-Key": "k" });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, 201, "true"]);
    expect(await again.json()).toEqual(await first.json());
    const mails = await (await sender.get("/v1/emails/?limit=100")).json<{ to_addresses: string[] }[]>();
    expect(mails.filter(({ to_addresses }) => to_addresses.includes("once@example.org"))).toHaveLength(1);
  });

  it("leaves one invitation when an address is invited ten times at once", async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => invite("a@example.org")));
    for (const { status } of responses) expect([201, 409]).toContain(status);
    expect(await (await workspace.get(path())).json()).toHaveLength(1);
  });

  it("is refused for roles beyond the caller's, by restricted keys, and to members", async () => {
    const admin = await aMember(workspace, "admin");
    expect((await withMail(admin.apiKey).post(path(), { email: "a@example.org", role: "owner" })).status).toBe(403);
    expect((await withMail(admin.apiKey).post(path(), { email: "a@example.org", role: "admin" })).status).toBe(201);
    const narrow = await aKey(workspace, { scopes: ["team:manage", "emails:send"] });
    expect((await withMail(narrow).post(path(), { email: "b@example.org" })).status).toBe(403);
    const restricted = await aKey(workspace, { domainIds: [workspace.domainId] });
    expect((await withMail(restricted).post(path(), { email: "b@example.org" })).status).toBe(403);
    expect((await withMail((await aMember(workspace, "member")).apiKey).post(path(), {})).status).toBe(403);
  });

  it("is refused to a restricted account, which could send its texts in this way", async () => {
    const restrict = testContext().db.prepare("UPDATE users SET restricted_at = ?2 WHERE id = ?1");
    await restrict.bind(workspace.userId, Date.now()).run();
    expect((await invite("a@example.org")).status).toBe(403);
    expect(await (await workspace.get(path())).json()).toEqual([]);
    await restrict.bind(workspace.userId, null).run();
    expect((await invite("a@example.org")).status).toBe(201);
  });

  it("returns 409 for a member, and 422 to an invalid address or role", async () => {
    const member = await aMember(workspace, "member");
    expect((await invite(member.email.toUpperCase())).status).toBe(409);
    for (const email of [
      undefined,
      null,
      1,
      "",
      "x",
      "a@b",
      "a@example.org\r\nBcc: b@example.org",
      "a\u0000@example.org",
    ])
      expect((await withMail(workspace.apiKey).post(path(), { email })).status, String(email)).toBe(422);
    for (const role of [null, "", "root", 1])
      expect((await withMail(workspace.apiKey).post(path(), { email: "a@example.org", role })).status).toBe(422);
    expect((await invite(`${"a".repeat(3_000_000)}@example.org`)).status).toBe(422);
    expect(await (await workspace.get(path())).json()).toEqual([]);
  });

  it("returns 503 and stores nothing when the service has no mailbox for its own emails", async () => {
    const api = apiOn({ SYSTEM_MAILBOX: "" }, workspace.apiKey);
    expect((await api.post(path(), { email: "a@example.org" })).status).toBe(503);
    expect(await (await workspace.get(path())).json()).toEqual([]);
  });
});

describe("POST /v1/invitations/{token}/accept", () => {
  it("returns 404 to tokens that do not exist", async () => {
    const session = await aSession(workspace);
    for (const token of ["x", "%00", "a".repeat(43), "%F0%9F%98%80", "a%0D%0Ab", "a".repeat(5_000)])
      expect((await accept(session, token)).status, token.slice(0, 20)).toBe(404);
  });

  it("takes a session only", async () => {
    const { home, token } = await invited();
    expect((await accept(apiWith(home.apiKey), token)).status).toBe(403);
    expect((await accept(apiWith(null), token)).status).toBe(401);
  });

  it("returns 409 to a user who is a member by now", async () => {
    const { home, session, token } = await invited();
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', 1)", [
      workspace.workspaceNumber,
      home.userId,
    ]);
    expect((await accept(session, token)).status).toBe(409);
  });
});

describe("the page of an invitation", () => {
  it("joins and signs in a person without an account, once, by its button only", async () => {
    const email = `new-${crypto.randomUUID()}@example.org`;
    expect((await invite(email)).status).toBe(201);
    const token = await mailedToken(email);
    const visitor = browser();
    const page = await visitor.get(`/invitations/${token}`);
    expect([page.status, (await page.text()).includes(email)]).toEqual([200, true]);
    expect(await membersOf(workspace)).toHaveLength(1);
    const foreign = await visitor.post(`/invitations/${token}`, {}, { "Sec-Fetch-Site": "cross-site" });
    expect(foreign.status).toBe(403);
    expect((await visitor.post(`/invitations/${token}`)).status).toBe(303);
    expect(await (await visitor.get("/v1/me")).json()).toMatchObject({
      user: { email },
      workspace: { id: workspace.workspaceId },
      role: "member",
    });
    expect((await visitor.post(`/invitations/${token}`)).status).toBe(404);
    expect((await browser().get(`/invitations/${token}`)).status).toBe(404);
  });
});
