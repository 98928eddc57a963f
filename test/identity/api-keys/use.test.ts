import { describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { aKey, aMail, aMember, apiOn, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";
import { createDomain, createKey, errorOf, listKeys, revoke } from "./support.ts";

const workspace = perSuite(aWorkspace);

/** Changes the role of a user; null ends the membership. */
async function setRole(userId: string, role: "owner" | "admin" | "member" | null) {
  const sql =
    role === null
      ? "DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2"
      : "UPDATE memberships SET role = ?3 WHERE workspace = ?1 AND user_id = ?2";
  await database
    .prepare(sql)
    .bind(workspace.workspaceNumber, userId, ...(role === null ? [] : [role]))
    .run();
}

const statusOf = async (key: string, path = "/v1/me") => (await apiWith(key).get(path)).status;

describe("a key acts as the user who created it", () => {
  it("ends with their membership, on the next request, as does every key created with it", async () => {
    const admin = await aMember(workspace, "admin");
    const child = await createKey(admin);
    const grandchild = await createKey(apiWith(child.key));
    expect(grandchild.user_id).toBe(admin.userId);
    expect([await statusOf(child.key), await statusOf(grandchild.key)]).toEqual([200, 200]);
    await setRole(admin.userId, null);
    expect([await statusOf(child.key), await statusOf(grandchild.key)]).toEqual([401, 401]);
    expect(await statusOf(workspace.apiKey)).toBe(200);
  });

  it("loses the scopes that a lower role does not allow on the next request, and regains them with the role", async () => {
    const admin = await aMember(workspace, "admin");
    const { key } = await createKey(admin, { scopes: ["team:manage", "emails:view"] });
    await setRole(admin.userId, "member");
    const api = apiWith(key);
    const demoted = await api.post("/v1/api-keys/", { name: "A key" });
    expect(await errorOf(demoted)).toEqual([403, "Missing scope: team:manage"]);
    expect(await statusOf(key, "/v1/api-keys/")).toBe(200);
    const me = await (await api.get("/v1/me")).json<{ role: string; scopes: string[] }>();
    expect(me).toMatchObject({ role: "member", scopes: ["emails:view", "team:view"] });
    await setRole(admin.userId, "admin");
    await createKey(api);
  });

  it("a member cannot create keys, whatever scopes their own key was granted", async () => {
    const member = await aMember(workspace, "member");
    const result = await errorOf(await member.post("/v1/api-keys/", { name: "A key", scopes: ["emails:view"] }));
    expect(result).toEqual([403, "Missing scope: team:manage"]);
  });
});

describe("a key that is restricted to domains", () => {
  it("sends from them, and from no other domain of the workspace", async () => {
    const elsewhere = await createDomain(workspace);
    const here = await createKey(workspace, { domain_ids: [workspace.domainId] });
    const there = await createKey(workspace, { domain_ids: [elsewhere] });
    expect((await apiWith(here.key).post("/v1/emails/", aMail(workspace))).status).toBe(202);
    const refused = await apiWith(there.key).post("/v1/emails/", aMail(workspace));
    expect(await errorOf(refused)).toMatchObject([422, [{ loc: ["body", "from_", "email"] }]]);
    expect(await (await apiWith(here.key).get("/v1/me")).json()).toMatchObject({
      authentication: { domain_ids: [workspace.domainId] },
    });
  });

  it("is not replayed the response of another credential, except one restricted to the same domains", async () => {
    const own = await aWorkspace();
    const domainIds = [await createDomain(own)];
    const [narrow, twin] = [apiWith(await aKey(own, { domainIds })), apiWith(await aKey(own, { domainIds }))];
    const calls: [string, unknown][] = [
      ["/v1/mailboxes/", { domain_id: own.domainId, local_part: "desk" }],
      ["/v1/domains/", { name: `d${crypto.randomUUID().slice(0, 12)}.example` }],
      [`/v1/domains/${own.domainId}/dkim/rotate`, undefined],
      ["/v1/emails/", aMail(own)],
    ];
    for (const [path, body] of calls) {
      expect((await own.post(path, body, { "Idempotency-Key": path })).status, path).toBeLessThan(300);
      const result = await narrow.post(path, body, { "Idempotency-Key": path });
      expect([result.status, result.headers.get("Idempotency-Replayed")], path).toEqual([409, null]);
    }
    const mailbox = { domain_id: domainIds[0], local_part: "desk" };
    const first = await narrow.post("/v1/mailboxes/", mailbox, { "Idempotency-Key": "k" });
    const again = await twin.post("/v1/mailboxes/", mailbox, { "Idempotency-Key": "k" });
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
  });

  it("whose only domain was deleted may use no domain, and neither may keys created with it", async () => {
    const domain = await createDomain(workspace);
    const { key, id } = await createKey(workspace, { domain_ids: [domain] });
    expect((await workspace.call("DELETE", `/v1/domains/${domain}`)).status).toBe(204);
    expect((await listKeys(workspace)).find((row) => row.id === id)?.domain_ids).toEqual([]);
    expect((await apiWith(key).post("/v1/emails/", aMail(workspace))).status).toBe(422);
    expect((await createKey(apiWith(key))).domain_ids).toEqual([]);
  });
});

describe("a key whose only domain was deleted", () => {
  it("is not replayed the response of an unrestricted key, nor an unrestricted key its own", async () => {
    const own = await aWorkspace();
    const stranded = apiWith(await aKey(own, { domainIds: [] }));
    const rotate = `/v1/domains/${own.domainId}/dkim/rotate`;
    const calls: [string, unknown][] = [
      ["/v1/mailboxes/", { domain_id: own.domainId, local_part: "desk" }],
      ["/v1/domains/", { name: `d${crypto.randomUUID().slice(0, 12)}.example` }],
      [rotate, undefined],
      ["/v1/emails/", aMail(own)],
      ["/v1/emails/batch", [aMail(own)]],
    ];
    for (const [path, body] of calls) {
      expect((await own.post(path, body, { "Idempotency-Key": path })).status, path).toBeLessThan(300);
      const result = await stranded.post(path, body, { "Idempotency-Key": path });
      expect([result.status, result.headers.get("Idempotency-Replayed")], path).toEqual([409, null]);
    }
    const body = [aMail(own)];
    const first = await stranded.post("/v1/emails/batch", body, { "Idempotency-Key": "k" });
    const again = await stranded.post("/v1/emails/batch", body, { "Idempotency-Key": "k" });
    expect([again.status, await again.text()]).toEqual([first.status, await first.text()]);
    expect((await own.post("/v1/emails/batch", body, { "Idempotency-Key": "k" })).status).toBe(409);
  });

  it("sees no domain, mailbox, email or API key but those restricted to no domain", async () => {
    const own = await aWorkspace();
    const { id } = await own.create("/v1/emails/", aMail(own));
    const key = await aKey(own, { domainIds: [], name: "stranded" });
    const stranded = apiWith(key);
    const lists = [
      "/v1/domains/",
      "/v1/mailboxes/",
      "/v1/emails/",
      "/v1/emails/scheduled",
      "/v1/emails/search?q=subject",
    ];
    for (const path of [...lists, "/v1/emails/updates?since=2020-01-01T00:00:00Z"])
      expect(await (await stranded.get(path)).json(), path).toEqual([]);
    for (const path of [`/v1/domains/${own.domainId}`, `/v1/mailboxes/${own.mailboxId}`, `/v1/emails/${id}`])
      expect((await stranded.get(path)).status, path).toBe(404);
    expect((await listKeys(stranded)).map(({ name }) => name)).toEqual(["stranded"]);
    expect((await stranded.post("/v1/domains/", { name: "d.example" })).status).toBe(403);
    expect((await stranded.call("DELETE", `/v1/workspaces/${own.workspaceId}`)).status).toBe(403);
  });
});

describe("a key that is restricted to domains, among the workspace's keys", () => {
  it("lists and revokes keys of the same or fewer domains only; others return 404 as unknown ids do", async () => {
    const own = await aWorkspace();
    const [one, two] = [await createDomain(own), await createDomain(own)];
    const keys = {
      unrestricted: await createKey(own),
      both: await createKey(own, { domain_ids: [one, two] }),
      first: await createKey(own, { domain_ids: [one] }),
      second: await createKey(own, { domain_ids: [two] }),
    };
    const narrow = apiWith(await aKey(own, { domainIds: [one], name: "narrow" }));
    expect((await listKeys(narrow)).map(({ name, domain_ids }) => [name, domain_ids])).toEqual([
      ["narrow", [one]],
      ["A key", [one]],
    ]);
    const unknown = await (await revoke(narrow, crypto.randomUUID())).text();
    for (const wider of [keys.unrestricted, keys.both, keys.second]) {
      const response = await revoke(narrow, wider.id);
      expect([response.status, await response.text()]).toEqual([404, unknown]);
      expect((await apiWith(wider.key).get("/v1/me")).status).toBe(200);
    }
    expect((await revoke(narrow, keys.first.id)).status).toBe(204);
    const wide = apiWith(await aKey(own, { domainIds: [one, two] }));
    expect((await revoke(wide, keys.both.id)).status).toBe(204);
    expect((await revoke(wide, keys.unrestricted.id)).status).toBe(404);
    expect((await revoke(own, keys.second.id)).status).toBe(204);
    expect(await listKeys(own)).toHaveLength(7);
  });
});

describe("authentication", () => {
  it("refuses keys of a deleted workspace with the text for any invalid key", async () => {
    const deleted = await aWorkspace();
    await database.run("UPDATE workspaces SET deleted_at = 1 WHERE number = ?1", [deleted.workspaceNumber]);
    expect(await errorOf(await deleted.get("/v1/me"))).toEqual([401, "Invalid API key"]);
  });

  it("is one read of D1, and at most one write a minute", async () => {
    const key = await aKey(workspace);
    const counted = countingDb();
    const api = apiOn({ DB: counted.bindings.DB }, key);
    await api.get("/v1/me");
    expect(counted.trips.map(({ statements }) => statements[0]?.sql.trim().slice(0, 6))).toEqual(["SELECT", "UPDATE"]);
    await api.get("/v1/me");
    expect(counted.trips).toHaveLength(3);
  });

  it("shows no secret at /v1/me", async () => {
    const { key, prefix } = await createKey(workspace);
    const text = await (await apiWith(key).get("/v1/me")).text();
    expect(text).toContain(prefix);
    expect(text).not.toContain(key.slice(12));
    expect(text).not.toMatch(/hash/i);
  });
});
