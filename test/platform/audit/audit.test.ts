import { describe, expect, it } from "vitest";
import type { AuditEntryOut } from "../../../src/identity/workspaces/audit-log/schema.ts";
import { timeOfId } from "../../../src/lib/ids.ts";
import { auditedActions, readAudit } from "../../support/audit.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { publishRecords, register } from "../../support/domains.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const idOf = async (response: Response) => (await response.json<{ id: string }>()).id;
const suppress = (n: number) => workspace.post("/v1/suppressions/", { email: `a${n}@example.org` });

describe("the audit log", () => {
  it("records who changed what, with which credential, from which address and when", async () => {
    const key = await aKey(workspace, { name: "Deployment" });
    const before = Date.now();
    await apiWith(key).post(
      "/v1/suppressions/",
      { email: "Ada@Example.org", reason: "complaint" },
      { "CF-Connecting-IP": "192.0.2.9" },
    );
    const [entry] = await readAudit(workspace);
    const me = await (await apiWith(key).get("/v1/me")).json<{ authentication: { api_key_id: string } }>();
    expect(entry).toEqual({
      id: expect.any(String),
      actor: {
        user_id: workspace.userId,
        email: expect.stringContaining("owner@"),
        method: "api_key",
        credential_id: me.authentication.api_key_id,
      },
      action: "suppression.added",
      target: { kind: "suppression", id: "ada@example.org" },
      ip: "192.0.2.9",
      at: expect.any(String),
      detail: { reason: "complaint" },
    });
    expect(Date.parse(entry?.at ?? "")).toBeGreaterThanOrEqual(before);
  });

  it("names the session of a user who signed in", async () => {
    const session = await aSession(workspace);
    await session.post("/v1/suppressions/", { email: "ada@example.org" });
    const entry = (await readAudit(session)).find(({ action }) => action === "suppression.added");
    expect(entry).toMatchObject({ actor: { method: "session", credential_id: session.sessionId }, ip: null });
  });

  it("has one entry for each change of API keys, domains, mailboxes and suppressions", async () => {
    const key = await idOf(await workspace.post("/v1/api-keys/", { name: "A key" }));
    const rotated = await idOf(await workspace.post(`/v1/api-keys/${key}/rotate`, undefined));
    await workspace.call("DELETE", `/v1/api-keys/${rotated}`);
    const domain = await register(workspace);
    await publishRecords(domain);
    await workspace.post(`/v1/domains/${domain.id}/verify`, undefined);
    await workspace.post(`/v1/domains/${domain.id}/dkim/rotate`, undefined);
    const mailbox = await idOf(await workspace.post("/v1/mailboxes/", { domain_id: domain.id, local_part: "a" }));
    await workspace.call("PATCH", `/v1/mailboxes/${mailbox}`, { display_name: "Ada", is_active: false });
    await workspace.call("PUT", `/v1/mailboxes/${mailbox}/assignees`, { user_ids: [workspace.userId] });
    await workspace.call("DELETE", `/v1/mailboxes/${mailbox}`);
    await workspace.call("DELETE", `/v1/domains/${domain.id}`);
    await suppress(1);
    await workspace.call("DELETE", "/v1/suppressions/a1@example.org");
    expect(await auditedActions(workspace)).toEqual([
      `api_key.created ${key}`,
      `api_key.rotated ${key}`,
      `api_key.revoked ${rotated}`,
      `domain.registered ${domain.id}`,
      `domain.verified ${domain.id}`,
      `domain.dkim_rotated ${domain.id}`,
      `mailbox.created ${mailbox}`,
      `mailbox.updated ${mailbox}`,
      `mailbox.assigned ${mailbox}`,
      `mailbox.deleted ${mailbox}`,
      `domain.deleted ${domain.id}`,
      "suppression.added a1@example.org",
      "suppression.removed a1@example.org",
    ]);
  });

  it("has no entry for a refused call, and none for one that changes nothing", async () => {
    const key = await idOf(await workspace.post("/v1/api-keys/", { name: "A key" }));
    const member = await aMember(workspace, "member");
    const none = crypto.randomUUID();
    await workspace.call("DELETE", `/v1/api-keys/${key}`);
    await suppress(1);
    const before = await auditedActions(workspace);
    await workspace.call("DELETE", `/v1/api-keys/${key}`);
    await suppress(1);
    await workspace.post("/v1/suppressions/", { email: "a1@example.org", reason: "bounce" });
    await workspace.call("DELETE", "/v1/suppressions/none@example.org");
    await workspace.call("DELETE", `/v1/api-keys/${none}`);
    await workspace.call("DELETE", `/v1/domains/${none}`);
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, {});
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [none] });
    await member.post("/v1/domains/", { name: "refused.example" });
    await workspace.post("/v1/domains/", { name: workspace.domain });
    await workspace.post(`/v1/domains/${workspace.domainId}/verify`, undefined);
    await workspace.post("/v1/api-keys/", { name: "" });
    expect(await auditedActions(workspace)).toEqual(before);
  });

  it("has one entry for a change that is made twice at once, or repeated with its Idempotency-Key", async () => {
    const key = await idOf(await workspace.post("/v1/api-keys/", { name: "A key" }));
    const domain = await register(workspace);
    await publishRecords(domain);
    const twice = (call: () => Promise<Response>) => Promise.all([call(), call(), call()]);
    await twice(() => workspace.call("DELETE", `/v1/api-keys/${key}`));
    await twice(() => workspace.post(`/v1/domains/${domain.id}/verify`, undefined));
    const body = { email: "a@example.org" };
    await twice(() => workspace.post("/v1/suppressions/", body, { "Idempotency-Key": "k" }));
    await twice(() => workspace.call("DELETE", "/v1/suppressions/a@example.org"));
    expect(await auditedActions(workspace)).toEqual([
      `api_key.created ${key}`,
      `domain.registered ${domain.id}`,
      `api_key.revoked ${key}`,
      `domain.verified ${domain.id}`,
      "suppression.added a@example.org",
      "suppression.removed a@example.org",
    ]);
  });

  it("never contains the secret of a key", async () => {
    const { key } = await (await workspace.post("/v1/api-keys/", { name: "A key" })).json<{ key: string }>();
    expect(JSON.stringify(await readAudit(workspace))).not.toContain(key.slice(12));
  });
});

describe("sessions", () => {
  it("have an entry when they start, and one when they end, by sign-out or from the list", async () => {
    const [first, second] = [await aSession(workspace), await aSession(workspace)];
    await second.post("/auth/logout", undefined);
    await second.post("/auth/logout", undefined);
    const third = await aSession(workspace);
    await first.call("DELETE", `/v1/sessions/${third.sessionId}`);
    await first.call("DELETE", `/v1/sessions/${third.sessionId}`);
    const entries = await readAudit(first);
    expect(entries.map(({ action, target }) => `${action} ${target.id}`)).toEqual([
      `session.started ${first.sessionId}`,
      `session.started ${second.sessionId}`,
      `session.ended ${second.sessionId}`,
      `session.started ${third.sessionId}`,
      `session.ended ${third.sessionId}`,
    ]);
    expect(entries[0]).toMatchObject({
      actor: { user_id: workspace.userId },
      ip: "192.0.2.7",
      detail: { method: "magic_link" },
    });
    expect(entries.at(-1)).toMatchObject({ actor: { credential_id: first.sessionId } });
  });
});

describe("GET /v1/audit", () => {
  it("lists the entries of the own workspace only, newest first, in pages that follow a cursor", async () => {
    const other = await aWorkspace();
    await other.post("/v1/suppressions/", { email: "other@example.org" });
    for (let n = 0; n < 5; n++) await suppress(n);
    const seen: string[] = [];
    let path: string | null = "/v1/audit?limit=2";
    while (path !== null) {
      const response: Response = await workspace.get(path);
      seen.push(...(await response.json<AuditEntryOut[]>()).map(({ target }) => target.id));
      path = /<https?:\/\/[^/]+([^>]+)>/.exec(response.headers.get("Link") ?? "")?.[1] ?? null;
    }
    expect(seen).toEqual([4, 3, 2, 1, 0].map((n) => `a${n}@example.org`));
  });

  it("reads no more rows than it returns", async () => {
    for (let n = 0; n < 3; n++) await suppress(n);
    const { bindings, trips } = countingDb();
    await apiOn(bindings, workspace.apiKey).get("/v1/audit?limit=2");
    const listing = trips.flatMap(({ statements }) => statements).find(({ sql }) => sql.includes("audit_log"));
    if (!listing) throw new Error("the list was not read");
    expect(await planOf(listing)).toEqual(["SEARCH audit_log USING INDEX audit_log_by_workspace (workspace=?)"]);
  });

  it("is refused to members and to keys that are restricted to domains", async () => {
    const member = await aMember(workspace, "member");
    expect((await member.get("/v1/audit")).status).toBe(403);
    const restricted = await aKey(workspace, { domainIds: [workspace.domainId] });
    expect((await apiWith(restricted).get("/v1/audit")).status).toBe(403);
    expect((await (await aMember(workspace, "admin")).get("/v1/audit")).status).toBe(200);
  });

  it("returns 422 to an invalid limit or cursor, and an empty list after the oldest entry", async () => {
    await suppress(1);
    for (const limit of ["0", "501", "x", "-1", ""]) {
      expect((await workspace.get(`/v1/audit?limit=${limit}`)).status, limit).toBe(422);
    }
    for (const after of ["", "0", "%00", "%F0%9F%98%80", "a%0D%0Ab"]) {
      expect((await workspace.get(`/v1/audit?after=${after}`)).status, after).toBe(422);
    }
    const oldest = "00000000-0000-7000-8000-000000000000";
    expect(await (await workspace.get(`/v1/audit?after=${oldest}`)).json()).toEqual([]);
  });
});

describe("retention", () => {
  it("deletes entries that are older than 365 days, and no others", async () => {
    await suppress(1);
    const [entry] = await readAudit(workspace);
    // Other files move the clock, and the times of ids never go back.
    const at = timeOfId(entry?.id ?? "");
    const year = 365 * 24 * 3_600_000;
    await runMainRetention(testContext({}, () => at + year - 60_000));
    expect(await readAudit(workspace)).toHaveLength(1);
    await runMainRetention(testContext({}, () => at + year + 60_000));
    expect(await readAudit(workspace)).toEqual([]);
  });

  it("keeps the entries of a deleted workspace", async () => {
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
    const { db } = testContext();
    const row = await db
      .prepare("SELECT action FROM audit_log WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .first();
    expect(row).toEqual({ action: "workspace.deleted" });
  });
});
