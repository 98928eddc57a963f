/** Workspaces and domains that administrators of the platform give an egress of their own. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntryOut } from "../../../src/identity/workspaces/audit-log/schema.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { assignEgress, namedEgresses } from "../../support/named-egresses.ts";
import { aSession } from "../../support/sessions.ts";
import { apiOn, aWorkspace, perTest, recordingContext, type TestWorkspace } from "../../support/workspace.ts";

/** `east` can be used and `broken` cannot. */
const NAMED_EGRESS_URLS = namedEgresses({
  east: "smtps://worker:hunter2@relay-east.test",
  broken: "smtp://worker:hunter2@relay.test/path",
});

let session: Awaited<ReturnType<typeof aSession>>;
const workspace = perTest(aWorkspace);

beforeAll(async () => {
  const administrator = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [administrator.userId]);
  session = await aSession(administrator);
});
beforeEach(async () => {
  for (const table of ["workspaces", "domains"])
    await database.run(`UPDATE ${table} SET egress = NULL WHERE egress IS NOT NULL`);
});

/** Calls the API with these settings as the administrator. Returns the status and the body. */
async function call(method: string, path: string, body?: unknown, settings = {}) {
  const headers = { Cookie: `session=${session.tokens.accessToken}`, Origin: env.PUBLIC_URL };
  const api = apiOn({ NAMED_EGRESS_URLS, ...settings }, null);
  const response = await api.call(method, path, body, headers);
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? null : JSON.parse(text),
    text,
    link: response.headers.get("Link"),
  };
}
const list = async (settings = {}) => (await call("GET", "/v1/admin/egress-assignments", undefined, settings)).body;
const actionsOf = async (of: TestWorkspace) =>
  (await (await of.get("/v1/audit")).json<AuditEntryOut[]>()).map(({ action, detail }) => ({ action, detail }));

describe("an administrator of the platform", () => {
  it("gives a workspace and a domain an egress, sees both, and removes both; each change is audited once", async () => {
    const { workspaceId, domain } = workspace;
    const [ofWorkspace, ofDomain] = [
      `/v1/admin/workspaces/${workspaceId}/egress`,
      `/v1/admin/domains/${domain}/egress`,
    ];
    for (const path of [ofWorkspace, ofWorkspace, ofDomain]) {
      const { status, body } = await call("PUT", path, { egress: "east" });
      expect([status, body]).toEqual([200, expect.objectContaining({ egress: "east", workspace_id: workspaceId })]);
    }
    expect(await list()).toEqual([
      expect.objectContaining({ workspace_id: workspaceId, domain: null, egress: "east", issue: null }),
      expect.objectContaining({ workspace_id: workspaceId, domain, egress: "east", issue: null }),
    ]);
    for (const path of [ofWorkspace, ofDomain]) expect((await call("DELETE", path)).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await call("DELETE", ofDomain)).status).toBe(404);
    const changes = (await actionsOf(workspace)).filter(({ action }) => action.endsWith(".egress_changed"));
    expect(changes.toReversed()).toEqual([
      { action: "workspace.egress_changed", detail: expect.objectContaining({ from: null, to: "east" }) },
      { action: "domain.egress_changed", detail: { name: domain, to: "east" } },
      { action: "workspace.egress_changed", detail: expect.objectContaining({ from: "east", to: null }) },
      { action: "domain.egress_changed", detail: { name: domain, to: null } },
    ]);
  });

  it("sees the egresses with their hosts and issues, and never a password", async () => {
    const { body, text } = await call("GET", "/v1/admin/egresses", undefined, { EGRESS_URL: "", BULK_EGRESS_URL: "x" });
    expect(body).toEqual([
      { name: "main", host: null, issue: "EGRESS_URL is empty" },
      { name: "bulk", host: null, issue: expect.stringContaining("BULK_EGRESS_URL: not a URL") },
      { name: "east", host: "relay-east.test", issue: null },
      { name: "broken", host: null, issue: expect.stringContaining("NAMED_EGRESS_URLS: broken: has a path") },
    ]);
    expect(text).not.toContain("hunter2");
  });

  it.each(["west", "main", "bulk", "broken"])(
    "cannot give a workspace the egress %s, by which nothing would leave",
    async (egress) => {
      const { status, text } = await call("PUT", `/v1/admin/workspaces/${workspace.workspaceId}/egress`, { egress });
      expect([status, text]).toEqual([422, expect.stringMatching(/NAMED_EGRESS_URLS/)]);
      expect(text).not.toContain("hunter2");
      expect(await list()).toEqual([]);
    },
  );

  it("cannot give one to a domain that is not verified, and can remove that of one that is no longer", async () => {
    const path = `/v1/admin/domains/${workspace.domain}/egress`;
    await assignEgress(workspace, { domain: "east" });
    await database.run("UPDATE domains SET status = 'failed' WHERE name = ?1", [workspace.domain]);
    expect((await call("PUT", path, { egress: "east" })).status).toBe(404);
    expect(await list()).toHaveLength(1);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it("sees on the list and the page of workspaces that an egress has been removed, so that mail waits", async () => {
    await assignEgress(workspace, { workspace: "east" });
    const without = { NAMED_EGRESS_URLS: "" };
    const issue = "NAMED_EGRESS_URLS has no egress east";
    expect(await list(without)).toEqual([expect.objectContaining({ egress: "east", issue })]);
    const headers = { Cookie: `session=${session.tokens.accessToken}` };
    const page = async (settings: object) =>
      (await apiOn(settings as Record<string, unknown>, null).get("/app/admin/workspaces?limit=500", headers)).text();
    expect(await page(without)).toContain(issue);
    expect(await page({ NAMED_EGRESS_URLS })).toContain("By the egress east");
  });

  it("reads the list in pages, workspaces first, each row once", async () => {
    const others = [await aWorkspace(), await aWorkspace()];
    for (const one of [workspace, ...others]) await assignEgress(one, { workspace: "east", domain: "east" });
    const seen: { workspace_id: string; domain: string | null }[] = [];
    for (let next: string | null = "/v1/admin/egress-assignments?limit=2"; next !== null; ) {
      const { body, link } = await call("GET", next);
      seen.push(...body);
      const url: string | undefined = /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
      next =
        url === undefined ? null : new URL(url, "http://api.test").pathname + new URL(url, "http://api.test").search;
    }
    expect(seen.map(({ domain }) => domain === null)).toEqual([true, true, true, false, false, false]);
    expect(new Set(seen.map(({ workspace_id, domain }) => `${workspace_id} ${domain}`)).size).toBe(6);
  });
});

describe("the timeline of an email that waits", () => {
  it("names the receiver that its own egress has paused, and not one that another has", async () => {
    await assignEgress(workspace, { domain: "east" });
    const id = await acceptEmail(recordingContext().ctx, workspace, { to: [{ email: "a@paused.test" }] });
    const until = Date.now() + 600_000;
    const insert = database.prepare(
      "INSERT OR REPLACE INTO egress_waits (receiver, egress, label, reason, until) VALUES ('paused', ?1, ?2, '451', ?3)",
    );
    await env.DB.batch([
      database
        .prepare(
          "INSERT OR REPLACE INTO receiver_domains (domain, receiver, seen_at) VALUES ('paused.test', 'paused', ?1)",
        )
        .bind(Date.now()),
      insert.bind("main", "Other Mail", until),
      insert.bind("east", "Eastern Mail", until),
    ]);
    const own = await aSession(workspace);
    const page = await (await own.get(`/app/emails/${id}`)).text();
    expect(page).toContain("Waiting: Eastern Mail has slowed us down until");
    expect(page).not.toContain("Other Mail");
    await assignEgress(workspace, { domain: null });
    expect(await (await own.get(`/app/emails/${id}`)).text()).toContain("Waiting: Other Mail");
  });
});
