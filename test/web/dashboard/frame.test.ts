import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aMember, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

/** The frame of each page: the menu, the header, and the search over everything. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const pageOf = async (path: string, by = session) => (await by.get(path)).text();
const menuOf = (html: string) => /<nav id="menu".*?<\/nav>/s.exec(html)?.[0] ?? "";
const namesOf = (html: string) => [...html.matchAll(/<\/svg><span>([^<]+)<\/span><\/a>/g)].map(([, name]) => name);

/** Returns a page and how often it called the databases. */
async function callsOf(path: string) {
  const { bindings, trips } = countingDb();
  const api = apiOn({ ...bindings, WORK: discardingQueue }, null);
  const response = await api.get(path, { Cookie: `session=${session.tokens.accessToken}` });
  const html = await response.text();
  const main = trips.filter(({ statements }) => statements[0]?.binding === "DB").length;
  return { html, main, mail: trips.length - main };
}

describe("the menu", () => {
  it("has the pages in groups by what people do, and marks the one that is open", async () => {
    const menu = menuOf(await pageOf("/app/forms"));
    const groups = menu.split('<div class="group').map((group) => [/<p>(.*?)<\/p>/.exec(group)?.[1], namesOf(group)]);
    expect(Object.fromEntries(groups)).toMatchObject({
      Send: ["Emails", "Broadcasts", "Automations", "Templates"],
      Audience: ["Contacts", "Segments", "Topics", "Forms", "Suppressions"],
      Develop: ["Domains", "API keys", "SMTP", "Webhooks", "Inbound"],
    });
    expect(menu).toMatch(/<a href="\/app\/forms" aria-current="page">/);
  });

  it("leaves the pages about the workspace to the panel behind its name, which leads administrators to the platform", async () => {
    const panel = async () => /<div class="panel" id="workspaces".*?<\/div>/s.exec(await pageOf("/app"))?.[0] ?? "";
    expect(namesOf(await panel())).toEqual(["New workspace", "Settings", "Team", "Audit log", "Transfers"]);
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
    expect(namesOf(await panel())).toContain("Platform");
    expect(menuOf(await pageOf("/app"))).not.toContain("/app/team");
  });

  it("of the platform is one of its own, for administrators only", async () => {
    expect(menuOf(await pageOf("/app"))).not.toContain("/app/admin/");
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
    const menu = menuOf(await pageOf("/app/admin/accounts"));
    expect(namesOf(menu)).toEqual(expect.arrayContaining(["Accounts", "Dead letters"]));
    expect(menu).not.toContain("/app/emails");
    expect(menuOf(await pageOf("/app/emails"))).not.toContain("/app/admin/dead-letters");
  });

  it("shows only what the role may see", async () => {
    const member = await aSession({ ...(await aMember(workspace, "member")), workspaceId: workspace.workspaceId });
    expect(await pageOf("/app", member)).not.toContain("/app/audit");
    expect(await pageOf("/app")).toContain("/app/audit");
  });
});

describe("the header", () => {
  it("switches to the other workspaces of the user, and counts unread notifications, in the D1 call of the session", async () => {
    const other = await aWorkspace();
    const join = "INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', ?3)";
    await env.DB.prepare(join).bind(other.workspaceNumber, workspace.userId, Date.now()).run();
    const insert = `INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, read_at, created_at)
      SELECT ?1 || value, ?2, ?3, 'alerts', 'info', 'A title', 'A body', iif(value = 1, 1, NULL), 1 FROM json_each('[1,2,3]')`;
    await env.DB.prepare(insert).bind(crypto.randomUUID(), workspace.workspaceNumber, workspace.userId).run();
    await env.DB.prepare(insert).bind(crypto.randomUUID(), other.workspaceNumber, workspace.userId).run();
    const { html, main } = await callsOf("/app/search");
    expect(main).toBe(1);
    expect(html).toContain('aria-label="Notifications, 2 unread"');
    expect(html).toContain(`name="org_id" value="${other.workspaceId}"`);
    expect(html).not.toContain(`name="org_id" value="${workspace.workspaceId}"`);
  });

  it("counts at most 99 notifications", async () => {
    const many = JSON.stringify([...Array(120).keys()]);
    await database.run(
      `INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, created_at)
       SELECT ?1 || value, ?2, ?3, 'alerts', 'info', 'A title', 'A body', 1 FROM json_each(?4)`,
      [crypto.randomUUID(), workspace.workspaceNumber, workspace.userId, many],
    );
    expect(await pageOf("/app/search")).toContain('aria-label="Notifications, 99+ unread"');
  });
});

describe("the search over everything", () => {
  it("finds emails, contacts, domains and settings of the workspace, in one call more than a search for emails", async () => {
    const list = await workspace.create("/v1/contacts/", { name: "Readers" });
    const contact = { email: "Ada.Lovelace@example.org", name: "Ada" };
    const { id } = await workspace.create(`/v1/contacts/${list.id}/contacts`, contact);
    await workspace.post("/v1/emails/", aMail(workspace, { subject: "Receipt for Ada.Lovelace", to: [contact] }));
    const { html, main, mail } = await callsOf("/app/search?q=ada.love");
    expect(main).toBe(2);
    expect(mail).toBeLessThanOrEqual((await callsOf("/app/emails?q=ada.love")).mail + 1);
    expect(html).toContain(">Receipt for Ada.Lovelace</a>");
    expect(html).toContain(`href="/app/contacts/${list.id}/contacts/${id}"`);
    expect(await pageOf(`/app/search?q=${workspace.domain}`)).toContain(`href="/app/domains/${workspace.domainId}"`);
    expect(await pageOf("/app/search?q=time+zone")).toContain('<a href="/app/settings">Time zone</a>');
    const other = await aSession(await aWorkspace());
    for (const q of ["ada.love", workspace.domain])
      expect(await pageOf(`/app/search?q=${q}`, other), q).toContain("Nothing matches.");
  });

  it("takes texts of every kind, and says what is wrong with a query", async () => {
    for (const q of ["%", "'", "<b>", "to:", "\u{10ffff}", "ÄÖ", "x".repeat(1_000)]) {
      const response = await session.get(`/app/search?${new URLSearchParams({ q })}`);
      expect(response.status, q).toBe(200);
      expect(await response.text(), q).not.toContain("<b>");
    }
    expect((await session.get(`/app/search?${new URLSearchParams({ q: "語".repeat(200) })}`)).status).toBe(422);
  });
});
