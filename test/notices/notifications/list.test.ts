import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { dailyKey, notifyOwners } from "../../../src/notices/notifications/index.ts";
import { firstIdAt } from "../../../src/platform/audit/rules.ts";
import { database } from "../../support/databases.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aMember, aWorkspace, perSuite, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { listed, makeOwner, notify } from "./support.ts";

const DAY_MS = 24 * 3_600_000;
const workspace = perSuite(aWorkspace);
const colleague = perSuite(() => aMember(workspace, "member"));

const read = (api: Pick<TestWorkspace, "post">, id: string) => api.post(`/v1/notifications/${id}/read`, undefined);

beforeAll(async () => {
  await makeOwner(workspace, colleague.userId);
  for (const at of [1, 2, 3]) await notify(workspace, { category: "alerts", title: `alert ${at}` });
  for (const at of [1, 2]) await notify(workspace, { category: "sends", severity: "success", title: `sent ${at}` });
});

describe("the notification list", () => {
  it("has every field, newest first", async () => {
    const { items } = await listed(workspace);
    expect(items.map(({ title }) => title)).toEqual(["sent 2", "sent 1", "alert 3", "alert 2", "alert 1"]);
    expect(items[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      category: "sends",
      severity: "success",
      title: "sent 2",
      body: "A body.",
      href: null,
      read_at: null,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it("total follows the filters and ignores the page; unread and category_counts ignore the filters", async () => {
    const [alert] = (await listed(workspace, "?category=alerts")).items;
    expect((await read(workspace, alert?.id ?? "")).status).toBe(200);
    const counts = { unread: 4, category_counts: { alerts: 3, sends: 2, team: 0 } };
    const cases: [string, number, number][] = [
      ["", 5, 5],
      ["?unread=true", 4, 4],
      ["?unread=false", 5, 5],
      ["?category=alerts", 3, 3],
      ["?category=alerts&unread=true", 2, 2],
      ["?category=team", 0, 0],
      ["?category=unknown", 0, 0],
      ["?limit=2", 5, 2],
      ["?limit=2&offset=4", 5, 1],
      ["?offset=10", 5, 0],
    ];
    for (const [query, total, items] of cases) {
      const page = await listed(workspace, query);
      expect([query, page.total, page.items.length, page.unread, page.category_counts]).toEqual([
        ...[query, total, items],
        ...Object.values(counts),
      ]);
    }
  });

  it.each(["?limit=0", "?limit=201", "?limit=x", "?offset=-1", "?offset=100001", "?unread=maybe"])(
    "%s is a 422",
    async (query) => {
      expect((await workspace.get(`/v1/notifications${query}`)).status).toBe(422);
    },
  );

  it("shows and changes those of the caller only, in the active workspace only", async () => {
    const other = await aWorkspace();
    const [own] = (await listed(workspace)).items;
    const before = await listed(colleague);
    expect(before).toMatchObject({ total: 5, unread: 5 });
    expect(before.items.map(({ id }) => id)).not.toContain(own?.id);
    expect(await listed(other)).toMatchObject({ items: [], total: 0, unread: 0 });
    const refusals = await Promise.all([
      read(colleague, own?.id ?? ""),
      read(other, own?.id ?? ""),
      read(workspace, crypto.randomUUID()),
      read(workspace, "no-id"),
    ]);
    const bodies = await Promise.all(refusals.map(async (response) => [response.status, await response.text()]));
    expect(new Set(bodies.map(String))).toEqual(
      new Set([`404,${JSON.stringify({ detail: "Notification not found" })}`]),
    );
    await workspace.post("/v1/notifications/read-all", undefined);
    expect((await listed(colleague)).unread).toBe(5);
  });

  it("a notification keeps the time of its first reading, and read-all says how many it has read", async () => {
    const [item] = (await listed(colleague)).items;
    const first = await read(colleague, item?.id.toUpperCase() ?? "");
    expect(first.status).toBe(200);
    const body = await first.json<{ id: string; read_at: string }>();
    expect(body).toEqual({ ...item, read_at: expect.any(String) });
    expect(await (await read(colleague, body.id)).json()).toEqual(body);
    const all = await Promise.all([1, 2].map(() => colleague.post("/v1/notifications/read-all", undefined)));
    const updated = await Promise.all(
      all.map(async (response) => (await response.json<{ updated: number }>()).updated),
    );
    expect(updated.sort()).toEqual([0, 4]);
    expect((await listed(colleague, "?unread=true")).total).toBe(0);
  });

  it("members who are no owners get none", async () => {
    const member = await aMember(workspace, "admin");
    await notify(workspace);
    expect((await listed(member)).total).toBe(0);
  });
});

describe("a notice with a key", () => {
  const notice = { category: "alerts", severity: "error", title: "A webhook", body: "It failed.", href: null } as const;

  it("notifies once, however often and concurrently it is given", async () => {
    const of = await aWorkspace();
    const ctx = testContext();
    const give = (key: string) => notifyOwners(ctx, of.workspaceNumber, { ...notice, key });
    await Promise.all([1, 2, 3].map(() => give("webhook 1")));
    expect((await listed(of)).total).toBe(1);
    await give("webhook 2");
    expect((await listed(of)).total).toBe(2);
  });

  it("of an object and day notifies again on the next UTC day", async () => {
    const of = await aWorkspace();
    const noon = Date.UTC(2026, 10, 21, 12);
    for (const now of [noon, noon + DAY_MS / 2 - 1, noon + DAY_MS / 2, noon + DAY_MS])
      await notify(of, { ...notice, key: dailyKey("webhook-failed 1", now) }, now);
    expect((await listed(of)).items.map(({ created_at }) => created_at.slice(0, 10))).toEqual([
      "2026-11-22",
      "2026-11-21",
    ]);
  });

  it("of a workspace that is deleted does nothing", async () => {
    await notifyOwners(testContext(), 999_999_999, { ...notice, key: "a" });
    const results = await database.rows("SELECT 1 FROM notified_events WHERE workspace = 999999999");
    expect(results).toEqual([]);
  });
});

it("notifications are deleted after 90 days", async () => {
  const of = await aWorkspace();
  const now = Date.now();
  for (const [title, days] of [
    ["new", 89],
    ["old", 91],
  ] as const) {
    await notify(of, { title, key: title });
    const ofThatTime = firstIdAt(now - days * DAY_MS).slice(0, 13);
    const { workspaceNumber } = of;
    await env.DB.batch([
      env.DB.prepare("UPDATE notifications SET id = ?1 || substr(id, 14) WHERE workspace = ?2 AND title = ?3").bind(
        ofThatTime,
        workspaceNumber,
        title,
      ),
      env.DB.prepare("UPDATE notified_events SET id = ?1 || substr(id, 14) WHERE workspace = ?2 AND key = ?3").bind(
        ofThatTime,
        workspaceNumber,
        title,
      ),
    ]);
  }
  await runMainRetention(testContext({}, () => now));
  expect((await listed(of)).items.map(({ title }) => title)).toEqual(["new"]);
  const results = await database.rows("SELECT key FROM notified_events WHERE workspace = ?1", [of.workspaceNumber]);
  expect(results).toEqual([{ key: "new" }]);
});
