import { beforeAll, describe, expect, it } from "vitest";
import type { AuditEntryOut } from "../../../src/identity/workspaces/audit-log/schema.ts";
import { recordDeadLetters } from "../../../src/platform/outbox/dead-letters.ts";
import { acceptEmail, outboxRowsOf } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { nextPath } from "../../support/next-path.ts";
import { consumeQueues } from "../../support/queues.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aWorkspace, perSuite, recordingContext, testContext, until } from "../../support/workspace.ts";

consumeQueues("work");

const workspace = perSuite(aWorkspace);
let admin: Awaited<ReturnType<typeof aSession>>;

beforeAll(async () => {
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  admin = await aSession(workspace);
});

const aLetter = async (body: object, id: string = crypto.randomUUID()) => {
  await recordDeadLetters(testContext(), "work-dead", [{ id, body: JSON.stringify(body) }]);
  return `/v1/admin/dead-letters/${id}`;
};
const lastAudit = async () => {
  const [entry] = await (await admin.get("/v1/admin/audit?limit=1")).json<AuditEntryOut[]>();
  return { action: entry?.action, target: entry?.target.id, by: entry?.actor?.user_id };
};

describe("a dead letter", () => {
  it("that is replayed delivers the email that it names, and is gone", async () => {
    const api = workspace.withoutQueue;
    const { id } = await api.create("/v1/emails/", aMail(workspace));
    const ctx = testContext();
    const row = await ctx.outbox.prepare("SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = ?1").bind(id).first();
    const letter = await aLetter({ type: "outbox.wake.v2", database: ctx.shard, rows: [row] });
    expect((await admin.post(`${letter}/replay`, undefined)).status).toBe(200);
    expect(await lastAudit()).toMatchObject({ action: "dead_letter.replayed", by: workspace.userId });
    const statusOf = async () => (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
    expect(await until(statusOf, (status) => status === "sent" || status === "delivered")).toBeTruthy();
    expect((await admin.post(`${letter}/replay`, undefined)).status).toBe(404);
  });

  it("of a type that no queue takes is kept, and can be dropped once", async () => {
    const letter = await aLetter({ type: "unknown.v9" });
    expect((await admin.post(`${letter}/replay`, undefined)).status).toBe(409);
    expect((await admin.call("DELETE", letter)).status).toBe(204);
    expect(await lastAudit()).toMatchObject({ action: "dead_letter.dropped", target: letter.split("/").at(-1) });
    expect((await admin.call("DELETE", letter)).status).toBe(404);
  });

  it("is listed once over the pages", async () => {
    const ids = ["a", "b", "c"].map((name) => `zz-${name}-${crypto.randomUUID()}`);
    for (const id of ids) await aLetter({}, id);
    const listed: string[] = [];
    for (let path: string | null = "/v1/admin/dead-letters?limit=2"; path; ) {
      const response: Response = await admin.get(path);
      listed.push(...(await response.json<{ id: string }[]>()).map(({ id }) => id));
      path = nextPath(response);
    }
    expect(listed.filter((id) => ids.includes(id))).toEqual(ids);
  });
});

describe("a host", () => {
  it("is blocked in its canonical form, once, and unblocked, with an audit entry for each change only", async () => {
    const block = async (host: string) => (await admin.call("PUT", `/v1/admin/blocked-hosts/${host}`)).json();
    expect(await block("B%C3%BCcher-Phishing.Example.NET")).toMatchObject({
      host: "xn--bcher-phishing-gsb.example.net",
    });
    const first = await lastAudit();
    expect(first).toMatchObject({ action: "host.blocked", target: "xn--bcher-phishing-gsb.example.net" });
    await block("xn--bcher-phishing-gsb.example.net");
    expect(await lastAudit()).toEqual(first);
    const path = "/v1/admin/blocked-hosts/xn--bcher-phishing-gsb.example.net";
    expect((await admin.call("DELETE", path)).status).toBe(204);
    expect(await lastAudit()).toMatchObject({ action: "host.unblocked" });
    expect((await admin.call("DELETE", path)).status).toBe(404);
  });

  it.each(["localhost", "127.0.0.1", "a..b", "x%0d%0ay.example", "%00", "a".repeat(300)])(
    "%s is refused",
    async (host) => {
      expect((await admin.call("PUT", `/v1/admin/blocked-hosts/${host}`)).status).toBe(422);
    },
  );
});

describe("the outbox of a database", () => {
  it("is listed in the order of its due times over the pages, without contents", async () => {
    const ctx = testContext();
    const at = Date.now() + 86_400_000;
    const insert = ctx.outbox.prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'purge', '{}')");
    await ctx.outbox.batch([insert.bind(at + 1, "list-c"), insert.bind(at, "list-b"), insert.bind(at, "list-a")]);
    const listed: { id: string }[] = [];
    for (let path: string | null = `/v1/admin/outboxes/${ctx.shard}?limit=2`; path; ) {
      const response: Response = await admin.get(path);
      listed.push(...(await response.json<{ id: string }[]>()));
      path = nextPath(response);
    }
    const own = listed.filter(({ id }) => id.startsWith("list-"));
    expect(own.map(({ id }) => id)).toEqual(["list-a", "list-b", "list-c"]);
    expect(Object.keys(own[0] ?? {}).sort()).toEqual(["claims", "due_at", "id", "is_claimed", "kind"]);
    await ctx.outbox.prepare("DELETE FROM outbox WHERE id LIKE 'list-%'").run();
  });

  it.each(["99", "MAIN", "-1", "01", "%00"])("of the unknown database %s returns 404", async (name) => {
    expect((await admin.get(`/v1/admin/outboxes/${name}`)).status).toBe(404);
  });
});

describe("rows of an outbox", () => {
  const requeue = (rows: unknown, database: string | number = testContext().shard) =>
    admin.post(`/v1/admin/outboxes/${database}/requeue`, { rows });

  it("that wait or failed again and again are due now, once; rows that a run holds and moved rows stay", async () => {
    const { outbox, shard } = testContext();
    const at = Date.now() + 86_400_000;
    const insert = outbox.prepare(
      "INSERT INTO outbox (due_at, id, kind, ref, claims, token, leased_until) VALUES (?1, ?2, 'purge', '[]', ?3, ?4, iif(?4 IS NULL, 0, ?1))",
    );
    await outbox.batch([
      insert.bind(at, "requeue-waits", 0, null),
      insert.bind(at, "requeue-failed", 7, null),
      insert.bind(at, "requeue-held", 1, "a run"),
    ]);
    const rows = ["waits", "failed", "held", "unknown"].map((name) => ({
      id: `requeue-${name}`,
      due_at: new Date(at).toISOString(),
    }));
    const responses = await Promise.all([requeue(rows), requeue(rows)]);
    const counts = await Promise.all(responses.map(async (one) => (await one.json<{ requeued: number }>()).requeued));
    expect(counts.sort()).toEqual([0, 2]);
    expect(await lastAudit()).toMatchObject({ action: "outbox.requeued", target: String(shard), by: workspace.userId });
    const held = outbox.prepare("SELECT due_at AS at, token FROM outbox WHERE id = 'requeue-held'");
    expect(await held.first()).toEqual({ at, token: "a run" });
    await outbox.prepare("DELETE FROM outbox WHERE id LIKE 'requeue-%'").run();
  });

  it("that are an email which waits for its retry make it leave at once", async () => {
    const start = Date.now() + 3_600_000;
    const { ctx } = recordingContext({}, () => start);
    const id = await acceptEmail(ctx, workspace);
    await runOutboxAt(start, { EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" });
    const [row] = await outboxRowsOf(ctx, id);
    expect(row?.dueAt).toBeGreaterThan(start);
    const due_at = new Date(row?.dueAt ?? 0).toISOString();
    expect(await (await requeue([{ id, due_at }])).json()).toEqual({ requeued: 1 });
    const statusOf = async () => (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
    expect(await until(statusOf, (status) => /^(sent|delivered)$/.test(status))).toBeTruthy();
  });

  it.each([
    [[]],
    [Array.from({ length: 101 }, () => ({ id: "x", due_at: "2026-11-21T14:00:00Z" }))],
    [[{ id: "x", due_at: "yesterday" }]],
    [[{ id: "x", due_at: "2026-02-30T14:00:00Z" }]],
    [[{ id: "", due_at: "2026-11-21T14:00:00Z" }]],
    [[{ id: "x".repeat(201), due_at: "2026-11-21T14:00:00Z" }]],
    [[{ id: "a\u0000b", due_at: "2026-11-21T14:00:00Z" }]],
  ])("are refused when they are %j", async (rows) => {
    expect((await requeue(rows)).status).toBe(422);
  });

  it("of an unknown database return 404", async () => {
    for (const name of ["99", "MAIN", "01"])
      expect((await requeue([{ id: "x", due_at: "2026-11-21T14:00:00Z" }], name)).status).toBe(404);
  });
});
