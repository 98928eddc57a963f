import { beforeEach, describe, expect, it } from "vitest";
import { aContactList, broadcastsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { listed } from "../../notices/notifications/support.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { expectSince } from "../../support/expect-since.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { checkAt, count, MINUTE_MS } from "./support.ts";

interface WorkspaceRecord {
  sending_paused: boolean;
  bulk_paused_at: string | null;
  paused_sources: string[];
}

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

beforeEach(async () => {
  // Some tests look ahead, and their counts of later times would be those before the checks of this one.
  await database.run("DELETE FROM rate_snapshots");
});

/** Lets 6 % of the last hour bounce, or 12 %, and checks the rates. */
async function stop(how: "bulk" | "more", of = workspace): Promise<void> {
  const now = Date.now();
  await count(of, now, { sent: 500, bounced: how === "bulk" ? 30 : 60 });
  await checkAt(now);
}

const record = async (of = workspace) => (await of.get(`/v1/workspaces/${of.workspaceId}`)).json<WorkspaceRecord>();
const resume = () => api.post(`/v1/workspaces/${workspace.workspaceId}/resume-bulk`, undefined);
const to = [{ email: "delivered@simulator.test" }];
const batch = (items = 3, of = api) =>
  of.post(
    "/v1/emails/batch",
    Array.from({ length: items }, () => aMail(workspace, { to })),
  );
const idsOf = async (response: Response) => {
  expect(response.status).toBe(202);
  return (await response.json<{ results: { id: string }[] }>()).results.map(({ id }) => id);
};
const statusOf = async (id: string, of = workspace) =>
  (await (await of.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
const statuses = (ids: readonly string[]) => Promise.all(ids.map((id) => statusOf(id)));

describe("a workspace above the first limit", () => {
  it("has its bulk mail paused, with a notice, an audit entry and its record saying so", async () => {
    const start = Date.now();
    await stop("bulk");
    const { sending_paused, bulk_paused_at, paused_sources } = await record();
    expect([sending_paused, paused_sources]).toEqual([false, ["bulk", "broadcast", "automation"]]);
    expectSince(start, Date.parse(bulk_paused_at ?? ""));
    expect((await listed(workspace)).items.map(({ title, href }) => [title, href])).toContainEqual([
      "Mail of this workspace is paused: bulk, broadcast, automation",
      "/settings",
    ]);
    expect((await readAudit(workspace)).at(-1)).toMatchObject({
      action: "workspace.bulk_paused",
      actor: null,
      detail: { sources: ["bulk", "broadcast", "automation"], sent: 500, bounced: 30, complained: 0 },
    });
  });

  it("is told so once, however often its rates are checked", async () => {
    await stop("bulk");
    await checkAt(Date.now());
    expect((await readAudit(workspace)).filter(({ action }) => action === "workspace.bulk_paused")).toHaveLength(1);
  });

  it("is refused broadcasts and bulk sends with 403, and sends single emails and batches", async () => {
    const broadcasts = broadcastsOf(workspace);
    const contact_list_id = await aContactList(workspace, 2);
    const { id } = await broadcasts.create({ contact_list_id });
    await stop("bulk");
    const response = await broadcasts.act(id, "send");
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: expect.stringContaining("too many of its emails bounced or were marked as spam") },
    ]);
    expect((await api.post("/v1/emails/", aMail(workspace, { to }))).status).toBe(202);
    const ids = await idsOf(await batch());
    await runOutboxAt(Date.now());
    expect(await statuses(ids)).toEqual(["delivered", "delivered", "delivered"]);
  });

  it("keeps the emails of a broadcast that is being sent, and they leave when it is resumed", async () => {
    const broadcasts = broadcastsOf(workspace);
    const contact_list_id = await aContactList(workspace, 70);
    const { id } = await broadcasts.create({ contact_list_id });
    await broadcasts.act(id, "send");
    await runOutboxAt(Date.now(), {}, ["broadcast"]);
    expect(await broadcasts.read(id)).toMatchObject({ queued_count: 70, delivered_count: 0 });
    await stop("bulk");
    await runBroadcasts();
    expect(await broadcasts.read(id)).toMatchObject({ status: "sending", queued_count: 70, delivered_count: 0 });
    expect((await resume()).status).toBe(200);
    await runBroadcasts(Date.now() + 5 * MINUTE_MS);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 70 });
  });

  it("makes no further emails of a broadcast, and starts no due one, until it is resumed", async () => {
    const broadcasts = broadcastsOf(workspace);
    const contact_list_id = await aContactList(workspace, 2);
    const now = Date.now();
    const due = await broadcasts.create({ contact_list_id, scheduled_at: new Date(now + 5 * MINUTE_MS).toISOString() });
    const sending = await broadcasts.create({ contact_list_id });
    await broadcasts.act(sending.id, "send");
    await stop("bulk");
    await runBroadcasts(now + 6 * MINUTE_MS);
    expect(await broadcasts.read(due.id)).toMatchObject({ status: "scheduled" });
    expect(await broadcasts.read(sending.id)).toMatchObject({ status: "sending", queued_count: 0 });
    await resume();
    await runBroadcasts(now + 30 * MINUTE_MS);
    for (const { id } of [due, sending])
      expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 2 });
  });

  it("does not retry emails of lists", async () => {
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({
      contact_list_id: await aContactList(workspace, 1, { prefix: "bounced" }),
    });
    await broadcasts.act(id, "send");
    await runBroadcasts();
    const [bounced] = await broadcasts.recipients(id, { status: "bounced" });
    await stop("bulk");
    expect((await api.post(`/v1/emails/${bounced?.email_id}/retry`, undefined)).status).toBe(403);
  });
});

describe("a workspace above twice the limit", () => {
  it("is refused batches too, and everything else leaves", async () => {
    await stop("more");
    expect((await record()).paused_sources).toEqual(["bulk", "broadcast", "automation", "batch"]);
    expect((await batch()).status).toBe(403);
    const { id } = await api.create("/v1/emails/", aMail(workspace, { to }));
    await runOutboxAt(Date.now());
    expect(await statusOf(id)).toBe("delivered");
  });

  it("keeps batches that were accepted, queued or scheduled, and sends them once when it is resumed", async () => {
    const now = Date.now();
    const queued = await idsOf(await batch(120));
    const scheduled = await idsOf(
      await api.post("/v1/emails/batch", [
        aMail(workspace, { to, send_at: new Date(now + 5 * MINUTE_MS).toISOString() }),
      ]),
    );
    await stop("more");
    for (const minutes of [0, 6, 20]) await runOutboxAt(now + minutes * MINUTE_MS);
    expect(new Set(await statuses([...queued, ...scheduled]))).toEqual(new Set(["queued"]));
    expect((await resume()).status).toBe(200);
    await runOutboxAt(Date.now() + MINUTE_MS);
    expect(new Set(await statuses([...queued, ...scheduled]))).toEqual(new Set(["delivered"]));
  });

  it("costs nothing while it waits: its rows are claimed once, as whole rows", async () => {
    await idsOf(await batch(100));
    await stop("more");
    const now = Date.now();
    await runOutboxAt(now);
    const rows = () =>
      database
        .prepare("SELECT due_at, claims, json_array_length(ref) AS emails FROM outbox WHERE stopped = ?1")
        .bind(workspace.workspaceNumber)
        .all();
    const { results } = await rows();
    expect(results).toMatchObject([{ claims: 0, emails: 100 }]);
    for (const minutes of [10, 60, 600]) await runOutboxAt(now + minutes * MINUTE_MS);
    expect((await rows()).results).toEqual(results);
  });

  it("stops further when its rates grow, and not for less", async () => {
    await stop("bulk");
    const { bulk_paused_at } = await record();
    await count(workspace, Date.now(), { sent: 100, bounced: 100 });
    await checkAt(Date.now());
    expect(await record()).toMatchObject({
      bulk_paused_at,
      paused_sources: ["bulk", "broadcast", "automation", "batch"],
    });
    await count(workspace, Date.now(), { sent: 1_000 });
    await checkAt(Date.now());
    expect((await record()).paused_sources).toEqual(["bulk", "broadcast", "automation", "batch"]);
  });

  it("leaves other workspaces alone", async () => {
    const other = await aWorkspace();
    const items = [aMail(other, { to })];
    const [id = ""] = await idsOf(await other.withoutQueue.post("/v1/emails/batch", items));
    await stop("more");
    await runOutboxAt(Date.now());
    expect([await statusOf(id, other), (await record(other)).bulk_paused_at]).toEqual(["delivered", null]);
  });
});

describe("resuming", () => {
  it("is for owners, once, with an audit entry", async () => {
    await stop("bulk");
    const admin = await aMember(workspace, "admin");
    const asAdmin = apiWith(await aKey({ ...workspace, userId: admin.userId }, {}));
    expect((await asAdmin.post(`/v1/workspaces/${workspace.workspaceId}/resume-bulk`, undefined)).status).toBe(403);
    expect((await record()).bulk_paused_at).not.toBeNull();
    for (let times = 0; times < 2; times++) {
      const response = await resume();
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { bulk_paused_at: null, paused_sources: [] },
      ]);
    }
    const actions = (await readAudit(workspace)).map(({ action }) => action);
    expect(actions.filter((action) => action === "workspace.bulk_resumed")).toHaveLength(1);
  });

  it("of another workspace is a 404", async () => {
    const other = await aWorkspace();
    expect((await workspace.post(`/v1/workspaces/${other.workspaceId}/resume-bulk`, undefined)).status).toBe(404);
  });

  it("forgives the mail before it; mail after it stops the workspace again", async () => {
    await stop("bulk");
    await resume();
    const now = Date.now();
    await checkAt(now + MINUTE_MS);
    await checkAt(now + 5 * MINUTE_MS);
    expect((await record()).bulk_paused_at).toBeNull();
    await count(workspace, now + 6 * MINUTE_MS, { sent: 300, bounced: 20 });
    await checkAt(now + 10 * MINUTE_MS);
    expect((await record()).bulk_paused_at).not.toBeNull();
  });

  it("reaches rows of a mail database that missed it by the next check", async () => {
    const ids = await idsOf(await batch(2));
    await stop("more");
    await runOutboxAt(Date.now());
    // As a resume leaves it whose mail database did not respond.
    await database.run(
      "UPDATE workspaces SET bulk_pause = 0, bulk_paused_at = NULL, bulk_resumed_at = ?2 WHERE number = ?1",
      [workspace.workspaceNumber, Date.now() + 1],
    );
    const now = Date.now() + MINUTE_MS;
    await checkAt(now);
    await runOutboxAt(now);
    expect(await statuses(ids)).toEqual(["delivered", "delivered"]);
  });
});

it("emails of a workspace that is deleted while it is stopped do not leave", async () => {
  await idsOf(await batch(2));
  await stop("more");
  await runOutboxAt(Date.now());
  expect((await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBe(204);
  await checkAt(Date.now() + MINUTE_MS);
  const row = await database.row(
    "SELECT count(*) AS delivered FROM emails WHERE workspace = ?1 AND status = 'delivered'",
    [workspace.workspaceNumber],
  );
  expect(row).toEqual({ delivered: 0 });
});
