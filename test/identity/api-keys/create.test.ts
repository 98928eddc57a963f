import { describe, expect, it } from "vitest";
import { isApiKey } from "../../../src/access/accounts/api-key.ts";
import { scopes } from "../../../src/access/accounts/scopes.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";
import { beforeBatch, createDomain, createKey, errorOf, errorPaths, inHours, listKeys, recordOf } from "./support.ts";

const workspace = perSuite(aWorkspace);
const other = perSuite(aWorkspace);

const create = (body: unknown, key = workspace.apiKey) => apiWith(key).post("/v1/api-keys/", body);
const unknownId = crypto.randomUUID();

describe("POST /v1/api-keys/", () => {
  it("returns 201 with the record and a key that works at once", async () => {
    const made = await createKey(workspace, { name: "CI", scopes: ["emails:send"], expires_at: inHours(1) });
    expect(isApiKey(made.key)).toBe(true);
    expect(made).toEqual({
      id: expect.any(String),
      name: "CI",
      prefix: made.key.slice(0, 12),
      scopes: ["emails:send"],
      domain_ids: null,
      user_id: workspace.userId,
      last_used_at: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      revoked_at: null,
      replaced_by_id: null,
      key: made.key,
    });
    const me = await apiWith(made.key).get("/v1/me");
    expect(await me.json()).toMatchObject({
      user: { id: workspace.userId },
      workspace: { id: workspace.workspaceId },
      scopes: ["emails:send"],
      authentication: { api_key_id: made.id, expires_at: made.expires_at, domain_ids: null },
    });
  });

  it("gives the caller's own rights when scopes, domains and expiry are omitted", async () => {
    expect(await createKey(workspace)).toMatchObject({ scopes: ["*"], domain_ids: null, expires_at: null });
    const domainIds = [workspace.domainId];
    const expiresAt = Date.now() + 3_600_000;
    const narrow = await aKey(workspace, { scopes: ["team:manage", "emails:send"], domainIds, expiresAt });
    expect(await createKey(apiWith(narrow))).toMatchObject({
      scopes: ["emails:send", "team:manage", "team:view"],
      domain_ids: domainIds,
      expires_at: new Date(expiresAt).toISOString(),
    });
  });

  it("removes duplicate scopes and domains, ids in any letter case", async () => {
    const { domainId } = workspace;
    const domain_ids = [domainId, domainId, domainId.toUpperCase()];
    const body = { scopes: ["emails:view", "*", "emails:view"], domain_ids };
    expect(await createKey(workspace, body)).toMatchObject({ scopes: ["emails:view", "*"], domain_ids: [domainId] });
  });

  it("costs one D1 round trip, or two with domains, besides that of authentication", async () => {
    for (const [domain_ids, trips] of [
      [null, 2],
      [[workspace.domainId], 3],
    ] as const) {
      const counted = countingDb();
      const api = apiOn({ DB: counted.bindings.DB }, await aKey(workspace, { lastUsedAt: Date.now() }));
      await createKey(api, { domain_ids });
      expect(counted.trips).toHaveLength(trips);
    }
  });

  it("trims a name of 1 to 100 characters, whatever their script", async () => {
    const names = ["  CI  ", "é".repeat(100), "👩‍👩‍👧".repeat(20), "😀".repeat(100), "'; DROP TABLE api_keys; --"];
    for (const name of names) expect((await createKey(workspace, { name })).name).toBe(name.trim());
  });

  it("refuses a name that is missing, empty or too long, or that contains control characters or line breaks", async () => {
    const names = [
      "",
      "   ",
      "x".repeat(101),
      "😀".repeat(101),
      "a\r\nb",
      "a\nb",
      "a\n",
      "a\tb",
      "a\u0085b",
      "a\u2028b",
    ];
    const bad = [...names, "a\u0000b", "a\ud800b", undefined, null, 7, ["a"], "x".repeat(1_000_000)];
    for (const name of bad)
      expect((await errorPaths(await create({ name })))[0], JSON.stringify(name)).toBe("body.name");
  });

  it("refuses unknown scopes, an empty list and too many, and names the place", async () => {
    const list = ["emails:send", "emails:*", "constructor", "", "EMAILS:SEND", "team:manage "];
    const issues = await errorPaths(await create({ name: "A key", scopes: list }));
    expect(issues).toEqual([1, 2, 3, 4, 5].map((at) => `body.scopes.${at}`));
    const text = await (await create({ name: "A key", scopes: ["emails:sent"] })).text();
    for (const scope of ["*", ...Object.keys(scopes)]) expect(text).toContain(scope);
    for (const bad of [[], Array(101).fill("emails:send"), "emails:send", {}]) {
      expect(await errorPaths(await create({ name: "A key", scopes: bad }))).toEqual(["body.scopes"]);
    }
  });

  it("refuses an expiry without offset, in the past, or more than 10 years ahead", async () => {
    const bad = ["2031-01-01T00:00:00", "2031-01-01", "", "soon", inHours(-1), "2031-02-30T00:00:00Z", inHours(87_700)];
    for (const expires_at of [...bad, 1_900_000_000_000, true]) {
      expect(await errorPaths(await create({ name: "A key", expires_at })), `${expires_at}`).toEqual([
        "body.expires_at",
      ]);
    }
    expect((await createKey(workspace, { expires_at: inHours(87_600) })).expires_at).not.toBeNull();
    const offset = await createKey(workspace, { expires_at: "2031-01-01T02:00:00+02:00" });
    expect(offset.expires_at).toBe("2031-01-01T00:00:00.000Z");
  });

  it("refuses domains that are not the workspace's, with one text for malformed, unknown and foreign ids", async () => {
    const bad = ["nonsense", "", unknownId, other.domainId];
    const response = await create({ name: "A key", domain_ids: [workspace.domainId, ...bad] });
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string; type: string }[] }>();
    expect(detail.map(({ loc }) => loc)).toEqual(bad.map((_, at) => ["body", "domain_ids", at + 1]));
    expect(new Set(detail.map(({ msg, type }) => `${msg} ${type}`)).size).toBe(1);
    for (const list of [[], Array(51).fill(workspace.domainId), workspace.domainId]) {
      expect(await errorPaths(await create({ name: "A key", domain_ids: list }))).toEqual(["body.domain_ids"]);
    }
    const many = Array(50).fill(workspace.domainId);
    expect((await createKey(workspace, { domain_ids: many })).domain_ids).toEqual([workspace.domainId]);
  });

  it("binds UUIDs only, whatever was sent", async () => {
    const { bindings, trips } = countingDb();
    const domain_ids = [workspace.domainId, "x".repeat(16_000), "%"];
    const response = await apiOn(bindings, workspace.apiKey).post("/v1/api-keys/", { name: "A key", domain_ids });
    expect(await errorPaths(response)).toEqual(["body.domain_ids.1", "body.domain_ids.2"]);
    const bound = trips.flatMap(({ statements }) => statements.flatMap(({ values }) => values));
    expect(Math.max(...bound.map((value) => String(value).length))).toBeLessThan(1000);
    // A text that no field admits is refused while the body is read, before its neighbours are validated.
    const long = await create({ name: "A key", domain_ids: [workspace.domainId, "x".repeat(3_000_000), "%"] });
    expect(await errorPaths(long)).toEqual(["body.domain_ids.1"]);
  });

  it("reports a bad expiry and bad domains together", async () => {
    const response = await create({ name: "A key", domain_ids: [unknownId], expires_at: "soon" });
    expect(await errorPaths(response)).toEqual(["body.domain_ids.0", "body.expires_at"]);
  });

  it("refuses bodies that are too large, too deep or not JSON", async () => {
    expect((await create({ name: "x".repeat(40_000_001) })).status).toBe(413);
    expect((await create({ name: "x".repeat(8_100_000) })).status).toBe(422);
    expect((await create({ name: "A key", scopes: Array(250_001).fill("*") })).status).toBe(413);
    expect((await create({ name: "A key", domain_ids: Array(50_000).fill(unknownId) })).status).toBe(422);
    expect((await create(`{"name":"A key","x":${"[".repeat(40)}${"]".repeat(40)}}`)).status).toBe(422);
    expect((await create("{")).status).toBe(422);
    expect((await apiWith(workspace.apiKey).call("POST", "/v1/api-keys/")).status).toBe(415);
  });

  it("ignores fields that the caller may not set", async () => {
    const sneaky = {
      user_id: other.userId,
      workspace: other.workspaceNumber,
      hash: "x",
      prefix: "x",
      revoked_at: null,
    };
    expect(await createKey(workspace, { ...sneaky, id: unknownId })).toMatchObject({ user_id: workspace.userId });
    expect(await listKeys(workspace, "?limit=1")).not.toMatchObject([{ id: unknownId }]);
  });
});

describe("an API key cannot create a key with more rights than its own", () => {
  it("refuses scopes that the caller lacks, by grant or by role", async () => {
    const key = await aKey(workspace, { scopes: ["team:manage", "emails:view"] });
    for (const scope of ["emails:send", "domains:manage", "*"]) {
      const result = await errorOf(await create({ name: "A key", scopes: ["emails:view", scope] }, key));
      expect(result).toEqual([403, `Missing scope: ${scope}`]);
    }
    await createKey(apiWith(key), { scopes: ["team:view", "team:manage", "emails:view"] });
  });

  it("refuses * to a key with every scope: * includes scopes added later", async () => {
    const key = await aKey(workspace, { scopes: Object.keys(scopes) });
    expect(await errorOf(await create({ name: "A key", scopes: ["*"] }, key))).toEqual([403, "Missing scope: *"]);
    expect((await createKey(apiWith(key))).scopes.sort()).toEqual(Object.keys(scopes).sort());
  });

  it("refuses domains outside its own with one text, so that it cannot probe for others", async () => {
    const second = await createDomain(workspace);
    const key = await aKey(workspace, { domainIds: [workspace.domainId] });
    const wanted = [null, [second], [workspace.domainId, second], [unknownId], ["nonsense"], [other.domainId]];
    for (const domain_ids of wanted) {
      const result = await errorOf(await create({ name: "A key", domain_ids }, key));
      expect(result).toEqual([403, "This API key is restricted to certain domains"]);
    }
    expect((await createKey(apiWith(key))).domain_ids).toEqual([workspace.domainId]);
    expect((await createKey(workspace, { domain_ids: null })).domain_ids).toBeNull();
  });

  it("refuses a later expiry than its own", async () => {
    const expiresAt = Date.now() + 3_600_000;
    const key = await aKey(workspace, { expiresAt });
    for (const expires_at of [null, inHours(2), new Date(expiresAt + 1).toISOString()]) {
      const result = await errorOf(await create({ name: "A key", expires_at }, key));
      expect(result).toEqual([403, "expires_at is later than the expiry of the calling API key"]);
    }
    const last = new Date(expiresAt).toISOString();
    expect((await createKey(apiWith(key), { expires_at: last })).expires_at).toBe(last);
  });

  it("creates none once its revocation or the end of its membership is committed while the call is in progress", async () => {
    for (const end of [
      "UPDATE api_keys SET revoked_at = 1 WHERE workspace = ?1 AND user_id = ?2",
      "DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2",
    ]) {
      const doomed = await aWorkspace();
      await aMember(doomed, "owner");
      const { workspaceNumber, userId } = doomed;
      const late = beforeBatch(() => database.prepare(end).bind(workspaceNumber, userId).run());
      const response = await apiOn({ DB: late }, doomed.apiKey).post("/v1/api-keys/", { name: "A key" });
      expect(response.status).toBe(409);
      const count = database.prepare("SELECT count(*) AS n FROM api_keys WHERE workspace = ?1 AND user_id = ?2");
      expect(await count.bind(workspaceNumber, userId).first("n")).toBe(1);
    }
  });

  it("creates none for a domain that is deleted at the same moment", async () => {
    const id = await createDomain(workspace);
    const late = beforeBatch(() => workspace.call("DELETE", `/v1/domains/${id}`));
    const api = apiOn({ DB: late }, workspace.apiKey);
    expect((await api.post("/v1/api-keys/", { name: "A key", domain_ids: [id] })).status).toBe(409);
  });
});

describe("GET /v1/api-keys/", () => {
  it("lists the workspace's keys, newest first, in pages, without secrets", async () => {
    const own = await aWorkspace();
    const made = [
      await createKey(own, { name: "1" }),
      await createKey(own, { name: "2" }),
      await createKey(own, { name: "3" }),
    ];
    const [, , , seeded] = await listKeys(own);
    expect(await listKeys(own)).toEqual([...made.reverse().map(recordOf), seeded]);
    expect(await listKeys(own, "?limit=1&page=1")).toEqual(made.slice(1, 2).map(recordOf));
    const text = JSON.stringify(await listKeys(own));
    for (const { key } of made) expect(text).not.toContain(key.slice(12));
    expect(text).not.toMatch(/hash/i);
  });

  it("shows when a key was last used", async () => {
    const own = await aWorkspace();
    const made = await createKey(own);
    expect((await listKeys(own))[0]?.last_used_at).toBeNull();
    await (await apiOn({}, made.key).get("/v1/me")).text();
    expect((await listKeys(own))[0]?.last_used_at).toMatch(/^\d{4}-.*Z$/);
  });
});
