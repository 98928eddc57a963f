import { beforeAll, describe, expect, it } from "vitest";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { aSystemWorkspace } from "../../support/transfers.ts";
import { aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of suppressions, mailboxes, SMTP, the team, the audit log and the settings: their forms do what the API does. */

beforeAll(aSystemWorkspace);
const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
const member = perTest(() => aMember(workspace, "member"));
const memberSession = perTest(() => aSession({ ...workspace, userId: member.userId }));

const textOf = async (path: string, by = session) => (await by.get(path)).text();
const locationOf = async (path: string, fields: Record<string, string> | [string, string][] = {}) => {
  const response = await submit(session, path, fields);
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const keyed = (fields: Record<string, string>) => ({ idempotency_key: crypto.randomUUID(), ...fields });

describe("the suppressions page", () => {
  it("suppresses an address, finds it, removes it, and takes that back with its reason", async () => {
    expect(await textOf("/app/suppressions")).toContain("No address is suppressed.");
    expect(await locationOf("/app/suppressions", keyed({ email: "Ada@example.org" }))).toBe(
      "/app/suppressions?done=added",
    );
    expect(await textOf("/app/suppressions?address=ada@example.org")).toContain("manual");
    expect(await textOf("/app/suppressions?address=nobody@example.org")).toContain("is not suppressed");
    const wrong = await submit(session, "/app/suppressions", keyed({ email: "no address" }));
    expect([wrong.status, (await wrong.text()).includes('value="no address"')]).toEqual([422, true]);
    const remove = { email: "ada@example.org", reason: "complaint" };
    const removed = "/app/suppressions?done=removed&email=ada%40example.org&reason=complaint";
    expect(await locationOf("/app/suppressions/remove", remove)).toBe(removed);
    expect((await submit(session, "/app/suppressions/remove", remove)).status).toBe(404);
    expect(await textOf(removed)).toContain("Undo");
    expect(await textOf(removed.replace("complaint", "soft_bounces"))).not.toContain("Undo");
    expect(await locationOf("/app/suppressions", keyed(remove))).toBe("/app/suppressions?done=added");
    expect(await textOf("/app/suppressions?address=ada@example.org")).toContain("complaint");
  });
});

describe("the mailboxes pages", () => {
  it("create a mailbox, change it, assign it, set its password and delete it", async () => {
    const form = keyed({ local_part: "sales", domain_id: workspace.domainId, display_name: "Sales" });
    const created = await locationOf("/app/mailboxes", form);
    const path = created.replace(/\?.*/, "");
    expect(created).toMatch(/^\/app\/mailboxes\/[0-9a-f-]{36}\?done=created$/);
    expect(await locationOf("/app/mailboxes", form)).toBe(created);
    expect(
      (await submit(session, "/app/mailboxes", keyed({ ...form, idempotency_key: crypto.randomUUID() }))).status,
    ).toBe(409);
    const changes = { display_name: "Shop", quota_megabytes: "5", is_active: "on" };
    expect(await locationOf(path, changes)).toBe(`${path}?done=saved`);
    expect((await submit(session, path, { ...changes, quota_megabytes: "many" })).status).toBe(422);
    expect(await locationOf(`${path}/assignees`, [["user_id", member.userId]])).toBe(`${path}?done=assigned`);
    expect((await submit(session, `${path}/password`, { password: "short" })).status).toBe(422);
    const password = "correct horse battery staple";
    expect(await locationOf(`${path}/password`, { password })).toBe(`${path}?done=password`);
    const login = await apiWith(null).post("/v1/webmail/login", { email: `sales@${workspace.domain}`, password });
    expect(login.status).toBe(200);
    const page = await textOf(path);
    for (const text of ["0 bytes of 5 MB", `value="${member.userId}" checked`]) expect(page).toContain(text);
    expect(await textOf(`${path}/delete`)).toContain(`Delete sales@${workspace.domain}?`);
    expect(await locationOf(`${path}/delete`)).toBe("/app/mailboxes?done=deleted");
    expect((await session.get(path)).status).toBe(404);
  });
});

describe("the SMTP page", () => {
  it("shows a new password once, again for the same form, and deactivates the credential", async () => {
    const form = keyed({ domain_id: workspace.domainId });
    const shown = async () => {
      const html = await (await submit(session, "/app/smtp", form)).text();
      return /Password<\/dt><dd class="code"[^>]*>([^<]{32,})</.exec(html)?.[1];
    };
    const password = await shown();
    expect([password, await shown()]).toEqual([expect.stringMatching(/^.{32,}$/), password]);
    const html = await (await submit(session, "/app/smtp", form)).text();
    expect(html.split(password ?? "none")).toHaveLength(2);
    expect(html).toContain("server.starttls(");
    const list = await textOf("/app/smtp");
    expect(list).not.toContain(password);
    expect((await submit(session, "/app/smtp", keyed({ domain_id: workspace.domainId }))).status).toBe(409);
    const path = /\/app\/smtp\/[0-9a-f-]{36}\/deactivate/.exec(list)?.[0] ?? "";
    expect(await textOf(path)).toContain("cannot be undone");
    expect(await locationOf(path)).toBe("/app/smtp?done=deactivated");
    expect(await textOf("/app/smtp")).toContain("Deactivated");
  });
});

describe("the team page", () => {
  it("invites once, withdraws, changes a role, removes a member, and keeps the last owner", async () => {
    // An address gets ten invitations a day, of whatever tests.
    const email = `${crypto.randomUUID()}@example.org`;
    const form = keyed({ email, role: "admin" });
    for (const _ of [1, 2]) expect(await locationOf("/app/team/invitations", form)).toBe("/app/team?done=invited");
    const list = await textOf("/app/team");
    expect(list.match(/invitations\/[0-9a-f-]{36}\/withdraw/g)).toHaveLength(1);
    expect((await submit(session, "/app/team/invitations", keyed({ email: "a@b", role: "king" }))).status).toBe(422);
    const withdraw = /\/app\/team\/invitations\/[0-9a-f-]{36}\/withdraw/.exec(list)?.[0] ?? "";
    expect(await locationOf(withdraw)).toBe("/app/team?done=withdrawn");
    const again = keyed({ email, role: "member" });
    expect(await locationOf("/app/team/invitations", again)).toBe("/app/team?done=shown");
    expect(await textOf("/app/team?done=shown")).toContain("No further email leaves to this address today");
    const path = `/app/team/${member.userId}`;
    expect(await locationOf(`${path}/role`, { role: "admin" })).toBe("/app/team?done=changed");
    expect((await submit(session, `${path}/role`, { role: "king" })).status).toBe(422);
    expect(await textOf(`${path}/remove`)).toContain(`Remove ${member.email}?`);
    expect(await locationOf(`${path}/remove`)).toBe("/app/team?done=removed");
    expect((await submit(session, `/app/team/${workspace.userId}/remove`)).status).toBe(409);
  });
});

describe("the audit log and the settings", () => {
  it("save name, tracking, days and pause, show what is refused at its field, and record the change", async () => {
    const days = { retention_days: "30" };
    const form = { name: "New name", tracking_opens: "on", tracking_clicks: "off", sending_paused: "on", ...days };
    expect(await locationOf("/app/settings", form)).toBe("/app/settings?done=saved");
    expect(await textOf("/app/settings")).toContain("Sending is paused in this workspace.");
    const { settings } = await (await workspace.get(`/v1/workspaces/${workspace.workspaceId}`)).json<{
      settings: object;
    }>();
    expect(settings).toMatchObject({ tracking_opens: true, tracking_clicks: false, retention_days: 30 });
    expect((await submit(session, "/app/settings", { ...form, name: "" })).status).toBe(422);
    for (const retention_days of ["366", "0", "x"]) {
      const refused = await submit(session, "/app/settings", { ...form, retention_days });
      expect(refused.status, retention_days).toBe(422);
      expect(await refused.text(), retention_days).toMatch(/<input[^>]*id="retention_days"[^>]*aria-invalid/);
    }
    expect(await textOf("/app/audit")).toContain("changed the settings of the workspace");
  });
});

describe("a member", () => {
  it("has no menu entry and no form of what it may not do, and is refused", async () => {
    for (const path of ["/app/team", "/app/settings"]) {
      const response = await memberSession.get(path);
      const html = await response.text();
      if (response.status !== 200)
        expect([response.status, html], path).toEqual([403, expect.stringContaining("Missing scope")]);
      // Everybody chooses a time zone.
      else
        expect(html.replace('class="form" action="/app/settings/time-zone"', ""), path).not.toContain('class="form"');
      expect(html, path).not.toContain('href="/app/audit"');
    }
    expect((await memberSession.get("/app/audit")).status).toBe(403);
    for (const path of ["/app/settings", "/app/team/invitations"])
      expect((await submit(memberSession, path, keyed({}))).status, path).toBe(403);
  });
});

describe("the page of a new workspace", () => {
  const path = "/app/workspaces/new";

  it("creates it once, with its user as owner, and goes on in it", async () => {
    expect(await textOf("/app")).toContain(`href="${path}"`);
    const fields = keyed({ name: "A second shop" });
    const [created, again] = [await submit(session, path, fields), await submit(session, path, fields)];
    expect([created, again].map(({ headers }) => headers.get("Location"))).toEqual(["/app", "/app"]);
    const browser = apiWithCookies(cookiesOf(created));
    const me = await (await browser.get("/v1/me")).json();
    expect(me).toMatchObject({ role: "owner", workspace: { name: "A second shop" } });
    expect(await (await browser.get("/v1/workspaces/")).json()).toHaveLength(2);
    expect(await (await browser.get("/app")).text()).toContain("A second shop");
  });

  it("shows a name that is refused again, and is not for members", async () => {
    const refused = await submit(session, path, keyed({ name: " " }));
    expect([refused.status, (await refused.text()).includes("Create workspace")]).toEqual([422, true]);
    expect((await memberSession.get(path)).status).toBe(403);
    expect((await submit(memberSession, path, keyed({ name: "Mine" }))).status).toBe(403);
    expect(await textOf("/app", memberSession)).not.toContain(path);
  });
});
