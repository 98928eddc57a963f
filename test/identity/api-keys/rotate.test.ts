import { afterEach, describe, expect, it, vi } from "vitest";
import type { NewApiKeyOut } from "../../../src/identity/api-keys/schema.ts";
import { database } from "../../support/databases.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";
import {
  beforeBatch,
  createDomain,
  createKey,
  errorOf,
  inHours,
  listKeys,
  recordOf,
  revoke,
  rotate,
} from "./support.ts";

const HOUR_MS = 3_600_000;
const workspace = perSuite(aWorkspace);

afterEach(() => {
  vi.useRealTimers();
});

async function rotated(id: string, api: Parameters<typeof rotate>[0] = workspace): Promise<NewApiKeyOut> {
  const response = await rotate(api, id);
  expect(response.status).toBe(201);
  return response.json<NewApiKeyOut>();
}

const find = async (id: string) => (await listKeys(workspace, "?limit=500")).find((key) => key.id === id);

describe("POST /v1/api-keys/{id}/rotate", () => {
  it("returns 201 with a key of the same name, rights, user and expiry, and links the old key to it", async () => {
    const rights = { name: "CI", scopes: ["emails:view", "team:view"], domain_ids: [workspace.domainId] };
    const old = await createKey(workspace, { ...rights, expires_at: inHours(100) });
    const made = await rotated(old.id);
    const { id, prefix, key, created_at, ...same } = made;
    expect(old).toMatchObject(same);
    expect([id, prefix, key]).not.toEqual([old.id, old.prefix, old.key]);
    expect(created_at >= old.created_at).toBe(true);
    expect(await find(id)).toEqual(recordOf(made));
    expect(await find(old.id)).toMatchObject({ replaced_by_id: id, revoked_at: null });
    for (const each of [old, made]) expect((await apiWith(each.key).get("/v1/me")).status).toBe(200);
  });

  it("keeps the old key valid for 24 hours, to the millisecond, and never beyond its own expiry", async () => {
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const [forever, long, short] = [
      await createKey(workspace),
      await createKey(workspace, { expires_at: inHours(25) }),
      await createKey(workspace, { expires_at: inHours(23) }),
    ];
    for (const [old, hours, end] of [
      [forever, 24, null],
      [long, 24, long.expires_at],
      [short, 23, short.expires_at],
    ] as const) {
      expect((await rotated(old.id)).expires_at).toBe(end);
      expect((await find(old.id))?.expires_at).toBe(new Date(start + hours * HOUR_MS).toISOString());
    }
    vi.setSystemTime(start + 24 * HOUR_MS - 1);
    expect((await apiWith(forever.key).get("/v1/me")).status).toBe(200);
    vi.setSystemTime(start + 24 * HOUR_MS);
    expect((await apiWith(forever.key).get("/v1/me")).status).toBe(401);
  });

  it("a key may rotate itself, and be revoked before its 24 hours end", async () => {
    const old = await createKey(workspace, { scopes: ["team:manage"] });
    const made = await rotated(old.id, apiWith(old.key));
    expect((await revoke(apiWith(made.key), old.id)).status).toBe(204);
    expect((await apiWith(old.key).get("/v1/me")).status).toBe(401);
    expect((await apiWith(made.key).get("/v1/me")).status).toBe(200);
  });

  it("ignores any body", async () => {
    const old = await createKey(workspace, { scopes: ["emails:view"] });
    const response = await workspace.post(`/v1/api-keys/${old.id}/rotate`, { scopes: ["*"], name: "Mine" });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ scopes: ["emails:view"], name: "A key" });
  });

  it("is refused to everyone but the user who created the key, owners and admins included", async () => {
    const admin = await aMember(workspace, "admin");
    const [ownersKey, adminsKey] = [await createKey(workspace), await createKey(admin)];
    const words = "Only the user who created this API key may rotate it";
    expect(await errorOf(await rotate(admin, ownersKey.id))).toEqual([403, words]);
    expect(await errorOf(await rotate(workspace, adminsKey.id))).toEqual([403, words]);
    expect(await find(ownersKey.id)).toMatchObject({ replaced_by_id: null, expires_at: null });
  });

  it("refuses to rotate a key with more rights than the caller's", async () => {
    const { domainId } = workspace;
    const second = await createDomain(workspace);
    const broad = await createKey(workspace);
    const sender = await createKey(workspace, { scopes: ["emails:send"] });
    const elsewhere = await createKey(workspace, { scopes: ["team:view"], domain_ids: [domainId, second] });
    const lasting = await createKey(workspace, { scopes: ["team:view"], expires_at: inHours(48) });
    const narrow = apiWith(await aKey(workspace, { scopes: ["team:manage"] }));
    const local = apiWith(await aKey(workspace, { domainIds: [domainId] }));
    const brief = apiWith(await aKey(workspace, { expiresAt: Date.now() + HOUR_MS }));
    for (const [api, key, words] of [
      [narrow, broad, "Missing scope: *"],
      [narrow, sender, "Missing scope: emails:send"],
      [local, broad, "This API key is restricted to certain domains"],
      [local, elsewhere, "This API key is restricted to certain domains"],
      [brief, broad, "expires_at is later than the expiry of the calling API key"],
      [brief, lasting, "expires_at is later than the expiry of the calling API key"],
    ] as const) {
      expect(await errorOf(await rotate(api, key.id))).toEqual([403, words]);
      expect((await find(key.id))?.replaced_by_id).toBeNull();
    }
  });

  it("refuses a key that is revoked, expired or replaced", async () => {
    const [revoked, expired, replaced] = [
      await createKey(workspace),
      await createKey(workspace),
      await createKey(workspace),
    ];
    await revoke(workspace, revoked.id);
    await database.run("UPDATE api_keys SET expires_at = 1 WHERE id = ?1", [expired.id]);
    await rotated(replaced.id);
    const results = [revoked, expired, replaced].map(async ({ id }) => errorOf(await rotate(workspace, id)));
    expect(await Promise.all(results)).toEqual([
      [409, "This API key is revoked"],
      [409, "This API key has expired"],
      [409, "This API key was already rotated"],
    ]);
  });

  it("of twenty concurrent rotations exactly one succeeds", async () => {
    const old = await createKey(workspace, { name: "Wanted" });
    const responses = await Promise.all(Array.from({ length: 20 }, () => rotate(workspace, old.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const winner = await responses.find(({ status }) => status === 201)?.json<NewApiKeyOut>();
    const named = (await listKeys(workspace, "?limit=500")).filter(({ name }) => name === "Wanted");
    expect(named.map(({ id }) => id)).toEqual([winner?.id, old.id]);
    expect(named[1]?.replaced_by_id).toBe(winner?.id);
  });

  it("returns 409 when a revocation, or a deletion of its domain, is committed while it is in progress", async () => {
    const id = await createDomain(workspace);
    const old = await createKey(workspace, { domain_ids: [id, workspace.domainId] });
    const during = (path: string) => beforeBatch(() => workspace.call("DELETE", path));
    for (const path of [`/v1/domains/${id}`, `/v1/api-keys/${old.id}`]) {
      expect((await rotate(apiOn({ DB: during(path) }, workspace.apiKey), old.id)).status).toBe(409);
    }
    expect(await find(old.id)).toMatchObject({ replaced_by_id: null, domain_ids: [workspace.domainId] });
  });
});

describe("DELETE /v1/api-keys/{id}", () => {
  it("returns 204, and again 204, keeps the first revoked_at, and refuses the key from the next request on", async () => {
    const made = await createKey(workspace);
    expect((await apiWith(made.key).get("/v1/me")).status).toBe(200);
    const first = await revoke(workspace, made.id);
    expect([first.status, await first.text()]).toEqual([204, ""]);
    expect((await apiWith(made.key).get("/v1/me")).status).toBe(401);
    const revokedAt = (await find(made.id))?.revoked_at;
    expect(revokedAt).toEqual(expect.any(String));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    expect((await revoke(workspace, made.id)).status).toBe(204);
    expect((await find(made.id))?.revoked_at).toBe(revokedAt);
  });

  it("lets a key revoke itself, and an admin revoke another user's", async () => {
    const made = await createKey(workspace);
    expect((await revoke(apiWith(made.key), made.id)).status).toBe(204);
    expect((await revoke(apiWith(made.key), made.id)).status).toBe(401);
    const admin = await aMember(workspace, "admin");
    const adminsKey = await createKey(admin);
    expect((await revoke(workspace, adminsKey.id)).status).toBe(204);
    expect((await apiWith(adminsKey.key).get("/v1/me")).status).toBe(401);
  });

  it("returns 404 with the same bytes to a malformed, an unknown and a foreign id, and changes nothing", async () => {
    const other = await aWorkspace();
    const foreign = await createKey(other);
    for (const id of ["nonsense", "%00", crypto.randomUUID(), foreign.id, foreign.id.toUpperCase()]) {
      for (const response of [await revoke(workspace, id), await rotate(workspace, id)]) {
        expect([response.status, await response.text()]).toEqual([404, '{"detail":"API key not found"}']);
      }
    }
    expect((await apiWith(foreign.key).get("/v1/me")).status).toBe(200);
  });
});
