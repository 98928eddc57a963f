import { beforeAll, describe, expect, it } from "vitest";
import { findPolicyMode } from "../../../src/domains/hosts/policy-mode.ts";
import type { AuditEntryOut } from "../../../src/identity/workspaces/audit-log/schema.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aWorkspace, recordingContext, type TestWorkspace, testContext } from "../../support/workspace.ts";

let admin: Awaited<ReturnType<typeof aSession>>;

beforeAll(async () => {
  const workspace = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  admin = await aSession(workspace);
});

const act = async (id: string, what: "pause" | "resume") => {
  const response = await admin.post(`/v1/admin/workspaces/${id}/${what}`, undefined);
  return { status: response.status, body: await response.json<Record<string, string | null>>() };
};
const auditOf = async (workspace: TestWorkspace) =>
  (await (await workspace.get("/v1/audit")).json<AuditEntryOut[]>()).map(({ action }) => action);
const setPause = (workspace: TestWorkspace, sending_paused: boolean) =>
  workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { sending_paused });

describe("a workspace that the platform pauses", () => {
  it("sends nothing, keeps its queued email, and cannot resume itself; the email leaves after the platform resumes it", async () => {
    const workspace = await aWorkspace();
    const start = Date.now() + 3_600_000;
    const { ctx } = recordingContext({}, () => start);
    const id = await acceptEmail(ctx, workspace);
    expect((await act(workspace.workspaceId, "pause")).body).toMatchObject({
      sending_paused_at: expect.any(String),
      paused_by_platform_at: expect.any(String),
    });
    expect((await workspace.post("/v1/emails/", aMail(workspace))).status).toBe(403);
    await runOutboxAt(start);
    const status = async () => (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
    expect(await status()).toBe("queued");
    const refused = await setPause(workspace, false);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { detail: "The platform paused sending in this workspace; only it can end this pause" },
    ]);
    expect((await setPause(workspace, true)).status).toBe(200);
    expect((await act(workspace.workspaceId, "resume")).body).toMatchObject({
      sending_paused_at: null,
      paused_by_platform_at: null,
    });
    await runOutboxAt(start + 11 * 60_000);
    expect(["sent", "delivered"]).toContain(await status());
  });

  it("keeps the pause of its owners that began before", async () => {
    const workspace = await aWorkspace();
    await setPause(workspace, true);
    await database.run("UPDATE workspaces SET sending_paused_at = sending_paused_at - 1 WHERE id = ?1", [
      workspace.workspaceId,
    ]);
    await act(workspace.workspaceId, "pause");
    expect((await act(workspace.workspaceId, "resume")).body).toMatchObject({
      sending_paused_at: expect.any(String),
      paused_by_platform_at: null,
    });
    expect((await setPause(workspace, false)).status).toBe(200);
  });

  it("is audited and notified once, however often it is paused at once", async () => {
    const workspace = await aWorkspace();
    const responses = await Promise.all([1, 2, 3, 4].map(() => act(workspace.workspaceId.toUpperCase(), "pause")));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.paused_by_platform_at}`)).size).toBe(1);
    await act(workspace.workspaceId, "resume");
    await act(workspace.workspaceId, "resume");
    const changes = (await auditOf(workspace)).filter((action) => /^workspace\.(paused|resumed)$/.test(action));
    expect(changes).toEqual(["workspace.resumed", "workspace.paused"]);
    const notices = await database
      .prepare("SELECT title FROM notifications WHERE user_id = ?1 ORDER BY id")
      .bind(workspace.userId)
      .all();
    expect(notices.results).toHaveLength(2);
  });

  it("is listed over the pages; an unknown one returns 404", async () => {
    const earlier = await aWorkspace();
    const { workspaceId } = await aWorkspace();
    const response = await admin.get(`/v1/admin/workspaces?limit=500&after=${earlier.workspaceId}`);
    expect((await response.json<{ id: string }[]>()).map(({ id }) => id)).toContain(workspaceId);
    for (const id of [crypto.randomUUID(), "x", "%00"]) expect((await act(id, "pause")).status, id).toBe(404);
  });
});

describe("the daily limit of a workspace", () => {
  const limit = (id: string, daily_limit: unknown) =>
    admin.call("PUT", `/v1/admin/workspaces/${id}/daily-limit`, { daily_limit });

  it("holds from the next request on until it is raised or ended, and each change is audited once", async () => {
    const workspace = await aWorkspace();
    const send = async () => (await workspace.post("/v1/emails/", aMail(workspace))).status;
    const limited = await limit(workspace.workspaceId, 1);
    expect([limited.status, await limited.json()]).toEqual([200, expect.objectContaining({ daily_limit: 1 })]);
    expect([await send(), await send()]).toEqual([202, 429]);
    expect((await limit(workspace.workspaceId, 1)).status).toBe(200);
    await Promise.all([2, 2, 2].map((emails) => limit(workspace.workspaceId, emails)));
    expect([await send(), await send()]).toEqual([202, 429]);
    expect(await (await limit(workspace.workspaceId, null)).json()).toMatchObject({ daily_limit: null });
    expect(await send()).toBe(202);
    const entries = await (await workspace.get("/v1/audit")).json<AuditEntryOut[]>();
    const changes = entries.filter(({ action }) => action === "workspace.limited").map(({ detail }) => detail);
    expect(changes).toMatchObject([
      { from: 2, to: null },
      { from: 1, to: 2 },
      { from: null, to: 1 },
    ]);
  });

  it("is a whole number from 0 or null; an unknown workspace returns 404", async () => {
    const { workspaceId } = await aWorkspace();
    for (const wrong of [-1, 1.5, "5", undefined, 2_000_000_000])
      expect((await limit(workspaceId, wrong)).status, String(wrong)).toBe(422);
    for (const id of [crypto.randomUUID(), "x"]) expect((await limit(id, 5)).status, id).toBe(404);
  });
});

const INSERT_POLICY = `
  INSERT INTO custom_hosts (name, purpose, domain_id, workspace, status, created_at, active_at, next_check_at, policy_mode, policy_since)
  VALUES (?1, 'mta_sts', ?2, ?3, 'active', 1, 1, 1, 'enforce', 1)`;

describe("the claim of a domain", () => {
  const claimsOf = async (name: string) =>
    (await admin.get(`/v1/admin/domain-claims/${name}`)).json<{ name: string; workspace_id: string }[]>();

  it("is found by the name and by names below it, and ends once; its workspace is told and cannot send", async () => {
    const workspace = await aWorkspace();
    const claim = { name: workspace.domain, workspace_id: workspace.workspaceId };
    expect(await claimsOf(workspace.domain.toUpperCase())).toMatchObject([claim]);
    expect(await claimsOf(`a.b.${workspace.domain}`)).toMatchObject([claim]);
    const end = () => admin.call("DELETE", `/v1/admin/domain-claims/${workspace.domain}`);
    const statuses = (await Promise.all([end(), end(), end()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404]);
    expect(await claimsOf(workspace.domain)).toEqual([]);
    const domain = await (await workspace.get(`/v1/domains/${workspace.domainId}`)).json();
    expect(domain).toMatchObject({ status: "failed" });
    expect((await workspace.post("/v1/emails/", aMail(workspace))).status).toBe(422);
    expect((await auditOf(workspace)).filter((action) => action === "domain.claim_ended")).toHaveLength(1);
  });

  it("ends with the MTA-STS policy of the domain, which held mail back that came by other servers", async () => {
    const { domain, domainId, workspaceNumber } = await aWorkspace();
    const host = `mta-sts.${domain}`;
    await database.run(INSERT_POLICY, [host, domainId, workspaceNumber]);
    expect(await findPolicyMode(testContext(), host)).toBe("enforce");
    expect((await admin.call("DELETE", `/v1/admin/domain-claims/${domain}`)).status).toBe(204);
    expect(await findPolicyMode(testContext(), host)).toBe("none");
  });

  it("of a name below or of no domain is not touched", async () => {
    const workspace = await aWorkspace();
    expect((await admin.call("DELETE", `/v1/admin/domain-claims/a.${workspace.domain}`)).status).toBe(404);
    expect(await claimsOf(workspace.domain)).toHaveLength(1);
    for (const name of ["localhost", "%00", "a%0d%0ab.example", "a".repeat(300)])
      expect((await admin.get(`/v1/admin/domain-claims/${name}`)).status, name).toBe(422);
  });
});
