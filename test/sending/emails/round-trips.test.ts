import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { purgeWorkspace } from "../../../src/operations/purges/workspace.ts";
import { apiWithRace } from "../../support/api-with-race.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import {
  aKey,
  aMail,
  aMember,
  apiOn,
  aWorkspace,
  discardingQueue,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const MAIN_TABLES = [
  ...["api_keys", "memberships", "users", "workspaces", "mail_shards"],
  ...["mailboxes", "mailbox_aliases", "domains", "suppressions"],
];
const MAIL_TABLES = ["emails", "outbox", "changes", "idempotency_keys", "shard_workspaces"];

const tablesOf = (statements: readonly { sql: string }[]) => [
  ...new Set(
    statements.flatMap(({ sql }) => {
      const temporary = new Set([...sql.matchAll(/\b([a-z_]+) AS (?:MATERIALIZED )?\(/g)].map(([, table]) => table));
      const named = [...sql.matchAll(/(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)\b(?!\()/g)].map(([, table]) => table);
      return named.filter((table) => !temporary.has(table));
    }),
  ),
];

/** Calls the API of a workspace and returns the status, the D1 round trips and the names of the R2 calls. */
async function counted(workspace: TestWorkspace, path: string, body: unknown, headers: Record<string, string> = {}) {
  const { bindings, trips } = countingDb();
  const objectCalls: string[] = [];
  const CONTENT = new Proxy(env.CONTENT, {
    get(bucket, name) {
      objectCalls.push(String(name));
      const value: unknown = Reflect.get(bucket, name);
      return typeof value === "function" ? value.bind(bucket) : value;
    },
  });
  const api = apiOn({ ...bindings, CONTENT, WORK: discardingQueue }, workspace.apiKey);
  await api.get("/v1/me");
  trips.length = 0;
  const response = await api.post(path, body, headers);
  return { status: response.status, trips, objectCalls };
}

const emailsOf = ({ workspaceNumber }: TestWorkspace) =>
  database.value<number>("SELECT count(*) AS n FROM emails WHERE workspace = ?1", [workspaceNumber]);

describe("an accept", () => {
  it("calls D1 twice and R2 never: it reads tables of the main database, then writes those of the mail database", async () => {
    const workspace = await aWorkspace();
    for (const headers of [{}, { "Idempotency-Key": "k" }] as Record<string, string>[]) {
      const { status, trips, objectCalls } = await counted(workspace, "/v1/emails/", aMail(workspace), headers);
      expect([status, trips.length, objectCalls]).toEqual([202, 2, []]);
      const read = tablesOf(trips[0]?.statements ?? []);
      expect(read.filter((table) => !MAIN_TABLES.includes(table ?? ""))).toEqual([]);
      expect(read.length).toBe(MAIN_TABLES.length);
      expect(trips[0]?.rowsWritten).toBe(0);
      const written = tablesOf(trips[1]?.statements ?? []);
      expect(written.filter((table) => !MAIL_TABLES.includes(table ?? ""))).toEqual([]);
      expect(written).toContain("shard_workspaces");
    }
  });

  it("finds sender and suppressions by their indexes", async () => {
    const workspace = await aWorkspace();
    const { trips } = await counted(workspace, "/v1/emails/", aMail(workspace));
    const plans = await Promise.all((trips[0]?.statements ?? []).map(planOf));
    for (const plan of plans) expect(plan.join("\n").replace(/SCAN json_each.*/g, "")).not.toContain("SCAN");
  });

  it("of 24 KB calls D1 twice and puts one R2 object", async () => {
    const workspace = await aWorkspace();
    const mail = aMail(workspace, { text: "x".repeat(24_000) });
    const { status, trips, objectCalls } = await counted(workspace, "/v1/emails/", mail, { "Idempotency-Key": "k" });
    expect([status, trips.length, objectCalls]).toEqual([202, 2, ["put"]]);
  });

  it("of a small batch calls D1 twice", async () => {
    const workspace = await aWorkspace();
    const { status, trips } = await counted(workspace, "/v1/emails/batch", [aMail(workspace), aMail(workspace)]);
    expect([status, trips.length]).toEqual([202, 2]);
  });

  it("above 64 KiB reads the credential first, and calls D1 five times with an Idempotency-Key", async () => {
    const workspace = await aWorkspace();
    const mail = aMail(workspace, { text: "x".repeat(70_000) });
    const { status, trips } = await counted(workspace, "/v1/emails/", mail, { "Idempotency-Key": "k" });
    // The key is looked up in the main database and in the mail database at once.
    expect([status, trips.length]).toEqual([202, 5]);
  });

  it("responds before the queue has taken the wake-up", async () => {
    const workspace = await aWorkspace();
    const sent = Promise.withResolvers<void>();
    const work: Promise<unknown>[] = [];
    const { app } = await import("../../../src/app.ts");
    const WORK = { sendBatch: () => sent.promise };
    const request = new Request("http://api.test/v1/emails/", {
      method: "POST",
      headers: { Authorization: `Bearer ${workspace.apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(aMail(workspace)),
    });
    const execution = { waitUntil: (promise: Promise<unknown>) => work.push(promise), passThroughOnException() {} };
    const bindings = { ...env, WORK } as unknown as Env;
    const response = await app.fetch(request, bindings, execution as unknown as ExecutionContext);
    expect(response.status).toBe(202);
    sent.resolve();
    await Promise.all(work);
  });
});

describe("the order of refusals", () => {
  const bad: [string, string, Record<string, string>][] = [
    ["415", "{}", { "Content-Type": "text/plain" }],
    ["422", "{", {}],
    ["422", "{}", {}],
    ["422", '"\\u0000"', {}],
    ["413", "{}", { "Content-Length": "50000000" }],
  ];

  it("is 401, 403 and 429 before 413, 415 and 422, whatever the body", async () => {
    const workspace = await aWorkspace();
    const viewer = await aKey(workspace, { scopes: ["emails:view"] });
    const revoked = await aKey(workspace, { revokedAt: 1 });
    const busy = { SEND_RATE_LIMIT: { limit: async () => ({ success: false }) } };
    for (const [status, body, headers] of bad) {
      for (const path of ["/v1/emails/", "/v1/emails/batch"]) {
        const call = (key: string | null, bindings: Record<string, unknown> = {}) =>
          apiOn({ WORK: discardingQueue, ...bindings }, key).post(path, body, headers);
        expect((await call(null)).status).toBe(401);
        expect((await call(revoked)).status).toBe(401);
        expect((await call(viewer)).status).toBe(403);
        expect((await call(workspace.apiKey, busy)).status).toBe(429);
        if (path === "/v1/emails/") expect(String((await call(workspace.apiKey)).status), body).toBe(status);
      }
    }
  });

  it("ends with the membership: the next send of a member who left is a 401", async () => {
    const workspace = await aWorkspace();
    const member = await aMember(workspace, "member");
    const send = () => member.withoutQueue.post("/v1/emails/", aMail(workspace));
    expect((await send()).status).toBe(202);
    await database.run("DELETE FROM memberships WHERE user_id = ?1", [member.userId]);
    expect((await send()).status).toBe(401);
  });

  it("never reads the sender or the suppressions of another workspace", async () => {
    const [one, two] = [await aWorkspace(), await aWorkspace()];
    await one.post("/v1/suppressions/", { email: "friend@example.org", reason: "manual" });
    const api = two.withoutQueue;
    expect((await api.post("/v1/emails/", aMail(one))).status).toBe(422);
    expect(await (await api.post("/v1/emails/", aMail(two))).json()).toMatchObject({ status: "queued" });
  });
});

describe("a repeated Idempotency-Key", () => {
  const key = { "Idempotency-Key": "again" };
  const sendOn = (workspace: TestWorkspace, bindings: Record<string, unknown> = {}) =>
    apiOn({ WORK: discardingQueue, ...bindings }, workspace.apiKey).post("/v1/emails/", aMail(workspace), key);

  it("is replayed although the sender is gone, sending is paused or the recipient was suppressed since", async () => {
    const changes = [
      "UPDATE mailboxes SET is_active = 0 WHERE workspace = ?1",
      "UPDATE domains SET status = 'failed' WHERE workspace = ?1",
      "UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1",
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, 'friend@example.org', 'manual', 1)",
    ];
    for (const sql of changes) {
      const workspace = await aWorkspace();
      const first = await sendOn(workspace);
      await database.prepare(sql).bind(workspace.workspaceNumber).run();
      const again = await sendOn(workspace);
      expect([again.status, again.headers.get("Idempotency-Replayed")], sql).toEqual([202, "true"]);
      expect(await again.text()).toBe(await first.text());
      expect(await emailsOf(workspace)).toBe(1);
    }
  });

  it("of another request is a 409 also when that request would be refused", async () => {
    const workspace = await aWorkspace();
    await sendOn(workspace);
    const api = workspace.withoutQueue;
    const other = aMail(workspace, { from_: { email: "unknown@other.example" } });
    const response = await api.post("/v1/emails/", other, key);
    expect([response.status, await response.json()]).toEqual([
      409,
      { detail: "This Idempotency-Key was used for another request" },
    ]);
  });

  it("sends nothing more after the master key was rotated", async () => {
    const workspace = await aWorkspace();
    const first = await sendOn(workspace);
    const MASTER_KEYS = `2:${btoa("n".repeat(32))},${(env as unknown as Record<string, string>).MASTER_KEYS}`;
    const again = await sendOn(workspace, { MASTER_KEYS });
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([202, "true"]);
    expect(await again.text()).toBe(await first.text());
    expect(await emailsOf(workspace)).toBe(1);
  });
});

describe("shard_workspaces", () => {
  const statusOf = ({ workspaceNumber }: TestWorkspace) =>
    database.value<string>("SELECT status FROM shard_workspaces WHERE number = ?1", [workspaceNumber]);

  it("gets its row with the first accept and is closed with the workspace", async () => {
    const workspace = await aWorkspace();
    expect(await statusOf(workspace)).toBeNull();
    const api = workspace.withoutQueue;
    await api.post("/v1/emails/", aMail(workspace));
    expect(await statusOf(workspace)).toBe("open");
    expect((await api.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBeLessThan(300);
    expect(await statusOf(workspace)).toBe("closed");
  });

  it("closed between the reads and the write of a send, it keeps no email and no object", async () => {
    for (const length of [10, 20_000]) {
      const workspace = await aWorkspace();
      const { workspaceNumber, workspaceId } = workspace;
      const results: unknown[] = [];
      const purge = async () => {
        results.push((await workspace.call("DELETE", `/v1/workspaces/${workspaceId}`)).status);
        results.push(await purgeWorkspace(testContext(), { workspace: workspaceNumber, id: workspaceId }));
      };
      const mail = aMail(workspace, { text: "x".repeat(length) });
      const response = await apiWithRace(workspace.apiKey, 1, purge).post("/v1/emails/", mail);
      expect([results, response.status]).toEqual([[204, true], 409]);
      expect(await emailsOf(workspace)).toBe(0);
      expect((await env.CONTENT.list({ prefix: `w/${workspaceId}/` })).objects).toEqual([]);
      expect(await statusOf(workspace)).toBe("closed");
    }
  });

  it("a closed workspace accepts nothing, and the purge closes one that never sent", async () => {
    const workspace = await aWorkspace();
    await purgeWorkspace(testContext(), { workspace: workspace.workspaceNumber, id: workspace.workspaceId });
    expect(await statusOf(workspace)).toBe("closed");
    for (const path of ["/v1/emails/", "/v1/emails/batch"]) {
      const mail = aMail(workspace);
      const body = path === "/v1/emails/" ? mail : [mail];
      expect((await workspace.withoutQueue.post(path, body)).status).toBe(409);
    }
    expect(await emailsOf(workspace)).toBe(0);
    expect((await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/` })).objects).toEqual([]);
  });
});
