import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NewApiKeyOut } from "../../../src/identity/api-keys/schema.ts";
import { type FailureInjection, failingDatabase, seeded } from "../../support/failures.ts";
import { aKey, apiOn, apiWith, aWorkspace, perSuite } from "../../support/workspace.ts";
import { beforeFirstKeyRead, createKey, dumpDatabase, errorOf, listKeys, revoke, rotate } from "./support.ts";

const workspace = perSuite(aWorkspace);

afterEach(() => {
  vi.useRealTimers();
});

const key = (value: string) => ({ "Idempotency-Key": value });
const named = async (name: string) => (await listKeys(workspace, "?limit=500")).filter((each) => each.name === name);

describe("the idempotent response of a new key", () => {
  it("is replayed with the same key, for a creation and for a rotation", async () => {
    const create = () => workspace.post("/v1/api-keys/", { name: "Once" }, key("create"));
    const [first, again] = [await create(), await create()];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.headers.get("Content-Type")).toBe(first.headers.get("Content-Type"));
    const text = await first.text();
    expect(await again.text()).toBe(text);
    expect(await named("Once")).toHaveLength(1);
    const { id, key: secret } = JSON.parse(text) as NewApiKeyOut;
    expect((await apiWith(secret).get("/v1/me")).status).toBe(200);

    const rotateOnce = () => rotate(workspace, id, key("rotate"));
    const [rotated, repeated] = [await rotateOnce(), await rotateOnce()];
    expect([rotated.status, repeated.status]).toEqual([201, 201]);
    expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await repeated.text()).toBe(await rotated.text());
    expect(await named("Once")).toHaveLength(2);
  });

  it("is nowhere in the database in plain text, nor is any part of the key after its prefix", async () => {
    const made = await workspace.post("/v1/api-keys/", { name: "Sealed" }, key("to-look-for"));
    const { id, key: first } = await made.json<NewApiKeyOut>();
    const { key: second } = await (await rotate(workspace, id, key("to-look-for-too"))).json<NewApiKeyOut>();
    const text = await dumpDatabase();
    expect(text).toContain(id);
    expect(text).toContain("sealed.");
    for (const secret of [first, second]) {
      expect(text).toContain(secret.slice(0, 12));
      for (let at = 12; at + 8 <= secret.length; at++) expect(text).not.toContain(secret.slice(at, at + 8));
      for (const shift of ["", " ", "  "]) {
        const core = btoa(shift + secret).replace(/=+$/, "");
        expect(text).not.toContain(core.slice(20, -4));
      }
    }
    expect(text).not.toContain("to-look-for");
  });

  it("answers 409 to another credential, which may have fewer rights: Idempotency-Keys can be guessed", async () => {
    const made = await workspace.post("/v1/api-keys/", { name: "Mine" }, key("1"));
    expect(made.status).toBe(201);
    const narrow = apiWith(await aKey(workspace, { scopes: ["team:manage"] }));
    const answer = await errorOf(await narrow.post("/v1/api-keys/", { name: "Mine" }, key("1")));
    expect(answer).toEqual([409, "This Idempotency-Key was used by another credential"]);
    expect(await named("Mine")).toHaveLength(1);
  });

  it("answers 409 for another body, another path and another record", async () => {
    const [one, two] = [await createKey(workspace), await createKey(workspace)];
    await workspace.post("/v1/api-keys/", { name: "A" }, key("used"));
    await rotate(workspace, one.id, key("used too"));
    const words = "This Idempotency-Key was used for another request";
    for (const response of [
      await workspace.post("/v1/api-keys/", { name: "B" }, key("used")),
      await rotate(workspace, two.id, key("used")),
      await rotate(workspace, two.id, key("used too")),
    ]) {
      expect(await errorOf(response)).toEqual([409, words]);
    }
    expect((await listKeys(workspace)).find(({ id }) => id === two.id)?.replaced_by_id).toBeNull();
  });

  it("does not apply in another workspace, and a refused call stores nothing", async () => {
    const other = await aWorkspace();
    expect((await workspace.post("/v1/api-keys/", { name: "" }, key("c"))).status).toBe(422);
    const own = await workspace.post("/v1/api-keys/", { name: "A key" }, key("c"));
    const foreign = await other.post("/v1/api-keys/", { name: "A key" }, key("c"));
    expect([own.status, foreign.status]).toEqual([201, 201]);
    expect(foreign.headers.get("Idempotency-Replayed")).toBeNull();
  });

  it("is decrypted after a new master key was added, and later responses are stored under the new key", async () => {
    const { MASTER_KEYS } = env as unknown as Record<string, string>;
    // A workspace of its own: the use of its key replaces the hash, which the other tests could not find.
    const own = await aWorkspace();
    const both = { MASTER_KEYS: `${MASTER_KEYS},2:${btoa("y".repeat(32))}` };
    const first = await own.post("/v1/api-keys/", { name: "Old" }, key("before"));
    const later = apiOn(both, own.apiKey);
    const replay = await later.post("/v1/api-keys/", { name: "Old" }, key("before"));
    expect(replay.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await replay.text()).toBe(await first.text());
    const fresh = await later.post("/v1/api-keys/", { name: "New" }, key("after"));
    const again = await later.post("/v1/api-keys/", { name: "New" }, key("after"));
    expect(await again.text()).toBe(await fresh.text());
    const sealedWith2 =
      "SELECT count(*) AS n FROM idempotency_keys WHERE answer LIKE 'sealed.%.2.%' AND key LIKE '2.%'";
    expect(await env.DB.prepare(sealedWith2).first("n")).toBe(1);
  });

  it("cannot be decrypted when its row is moved to another request", async () => {
    const own = await aWorkspace();
    const create = (name: string) => own.post("/v1/api-keys/", { name }, key(name));
    await Promise.all([create("From"), create("To")]);
    const rows = "SELECT key, answer FROM idempotency_keys WHERE workspace = ?1";
    const { results } = await env.DB.prepare(rows).bind(own.workspaceNumber).all<{ key: string; answer: string }>();
    const update = env.DB.prepare("UPDATE idempotency_keys SET answer = ?2 WHERE key = ?1");
    await env.DB.batch(results.map((row, at) => update.bind(row.key, results.at(at - 1)?.answer)));
    expect([(await create("From")).status, (await create("To")).status]).toEqual([500, 500]);
    const caller = await createKey(own);
    const readdress = "UPDATE idempotency_keys SET answer = replace(answer, ?2, ?3) WHERE workspace = ?1";
    const { authentication } = await (await own.get("/v1/me")).json<{ authentication: { api_key_id: string } }>();
    await create("Mine");
    await env.DB.prepare(readdress).bind(own.workspaceNumber, authentication.api_key_id, caller.id).run();
    expect((await create("Mine")).status).toBe(409);
    expect((await apiWith(caller.key).post("/v1/api-keys/", { name: "Mine" }, key("Mine"))).status).toBe(500);
  });

  it("is not replayed after 24 hours", async () => {
    const own = await aWorkspace();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const create = () => own.post("/v1/api-keys/", { name: "A key" }, key("day"));
    await create();
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect((await create()).headers.get("Idempotency-Replayed")).toBeNull();
    expect(await listKeys(own)).toHaveLength(3);
  });

  it("is replayed after authorisation only: not without credentials, without the scope or with a revoked key", async () => {
    const caller = await createKey(workspace);
    const api = apiWith(caller.key);
    await api.post("/v1/api-keys/", { name: "Late" }, key("late"));
    expect((await apiWith(null).post("/v1/api-keys/", { name: "Late" }, key("late"))).status).toBe(401);
    const viewer = apiWith(await aKey(workspace, { scopes: ["team:view"] }));
    expect((await viewer.post("/v1/api-keys/", { name: "Late" }, key("late"))).status).toBe(403);
    await revoke(workspace, caller.id);
    expect((await api.post("/v1/api-keys/", { name: "Late" }, key("late"))).status).toBe(401);
  });
});

describe("concurrent calls with one Idempotency-Key", () => {
  const answersOf = (call: () => Promise<Response>) =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await call();
        return `${response.status} ${await response.text()}`;
      }),
    );

  it("twenty creations create one key and get equal responses", async () => {
    const answers = await answersOf(() => workspace.post("/v1/api-keys/", { name: "Race" }, key("race")));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^201 /);
    expect(await named("Race")).toHaveLength(1);
  });

  it("twenty rotations create one successor and get equal responses", async () => {
    const { id } = await createKey(workspace, { name: "Rotated" });
    const answers = await answersOf(() => rotate(workspace, id, key("rotated")));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^201 /);
    expect(await named("Rotated")).toHaveLength(2);
  });

  it("a repeated rotation that finds its key already replaced by the first call replays that response", async () => {
    const { id } = await createKey(workspace, { name: "Tardy" });
    let first: Response | undefined;
    const DB = beforeFirstKeyRead(async () => {
      first = await rotate(workspace, id, key("late rotation"));
    });
    const late = await rotate(apiOn({ DB }, workspace.apiKey), id, key("late rotation"));
    expect(late.status).toBe(201);
    expect(late.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await late.text()).toBe(await first?.text());
    expect(await named("Tardy")).toHaveLength(2);
  });
});

describe("ambiguous commits", () => {
  it("are retried, and a creation or rotation that was committed answers 201", async () => {
    const injection: FailureInjection = {
      random: () => 0,
      chance: 1,
      bindings: ["database"],
      moments: ["after"],
      count: 0,
    };
    const { batch } = failingDatabase(env.DB, injection);
    const api = apiOn({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } }, workspace.apiKey);
    for (const [createHeaders, rotateHeaders] of [[], [key("doubt"), key("doubt too")]]) {
      const made = await api.post("/v1/api-keys/", { name: "Sure" }, createHeaders);
      expect(made.status).toBe(201);
      expect((await rotate(api, (await made.json<NewApiKeyOut>()).id, rotateHeaders)).status).toBe(201);
    }
    expect(await named("Sure")).toHaveLength(4);
    expect(injection.count).toBeGreaterThan(0);
  });

  it("each 201 means exactly one key, the one shown, and exactly one successor after a rotation", async () => {
    const moments: FailureInjection["moments"] = ["before", "after"];
    const injection: FailureInjection = { random: seeded(7), chance: 0.5, bindings: ["database"], moments, count: 0 };
    const { batch } = failingDatabase(env.DB, injection);
    const api = apiOn({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch } }, workspace.apiKey);
    let made = 0;
    for (let n = 0; n < 30; n++) {
      const response = await api.post("/v1/api-keys/", { name: `Doubt ${n}` });
      const stored = await named(`Doubt ${n}`);
      expect(stored.length).toBeLessThan(2);
      if (response.status !== 201) continue;
      const { id } = await response.json<NewApiKeyOut>();
      expect(stored.map((row) => row.id)).toEqual([id]);
      const rotated = await rotate(api, id);
      if (rotated.status !== 201) continue;
      made += 1;
      const successor = await rotated.json<NewApiKeyOut>();
      expect((await named(`Doubt ${n}`)).map((row) => row.id)).toEqual([successor.id, id]);
    }
    expect(injection.count).toBeGreaterThan(20);
    expect(made).toBeGreaterThan(10);
  });
});
