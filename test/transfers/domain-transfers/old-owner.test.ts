import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/platform/context.ts";
import { onMain, onShard } from "../../../src/platform/jobs/shards.ts";
import { cleanUp } from "../../../src/transfers/domain-transfers/clean-up.ts";
import { completeTransfer } from "../../../src/transfers/domain-transfers/complete.ts";
import { runTransfers } from "../../../src/transfers/domain-transfers/index.ts";
import { getTransfer } from "../../../src/transfers/domain-transfers/queries.ts";
import { aContactList } from "../../audience/broadcasts/support.ts";
import { FILE_SHARD } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import {
  acceptById,
  age,
  aSystemWorkspace,
  DAY,
  HOUR,
  initiate,
  runDeadlineAt,
  transfer,
} from "../../support/transfers.ts";
import {
  aKey,
  aMail,
  apiWith,
  aWorkspace,
  discardingQueue,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

/** After the completion the old owner sends nothing, by any door; source and target are on different mail databases. */

let source: TestWorkspace;
let target: TestWorkspace;
const OTHER_SHARD = 1 - FILE_SHARD;

beforeAll(aSystemWorkspace);

beforeEach(async () => {
  [source, target] = await Promise.all([aWorkspace(), aWorkspace({ mailShard: OTHER_SHARD })]);
});

const inAnHour = () => new Date(Date.now() + HOUR).toISOString();
const idOf = async (response: Response) => (await response.json<{ id: string }>()).id;
const statusOf = async (id: string, of = source) =>
  (await (await of.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;

/** Moves the domain while the queue loses every message, so that no clean-up has run. */
async function moveWithoutCleanUp(): Promise<void> {
  const accepted = await acceptById(target, (await initiate(source, target)).id);
  return completeSilently(accepted.id);
}

async function completeSilently(id: string): Promise<void> {
  await age(id, DAY);
  const ctx = testContext({ WORK: discardingQueue });
  const { transfer: row } = await getTransfer(ctx, { id });
  await completeTransfer(ctx, { ...row, targetWorkspace: target.workspaceNumber });
}

/** Runs the clean-up tasks that are due, with the bindings of `ctx`. */
async function runCleanUp(ctx: Ctx): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'transfer' AND ref LIKE '%cleanUp%' AND ref LIKE ?1",
  )
    .bind(`%${source.domainId}%`)
    .all<{ dueAt: number; id: string; kind: "transfer" }>();
  expect(results.length).toBe(1);
  await runTransfers(onMain(ctx), results);
}

const cleanUpsLeft = async () =>
  (
    await env.DB.prepare("SELECT 1 FROM outbox WHERE kind = 'transfer' AND ref LIKE '%cleanUp%' AND ref LIKE ?1")
      .bind(`%${source.domainId}%`)
      .all()
  ).results.length;

describe("the old owner", () => {
  it("gets a 422 for a single send, a batch item, a template send, a test and a retry; a restricted key too", async () => {
    const failed = await idOf(
      await source.post("/v1/emails/", aMail(source, { to: [{ email: "bounced@simulator.test" }] })),
    );
    await runOutboxAt(Date.now());
    const template_id = await idOf(await source.post("/v1/templates/", { name: "T", subject: "S", text_body: "Hi" }));
    const draft = await idOf(
      await source.post("/v1/broadcasts/", {
        name: "N",
        subject: "S",
        text_body: "Hi",
        from_address: source.mailbox,
        contact_list_id: await aContactList(source, 1),
      }),
    );
    const restricted = apiWith(await aKey(source, { domainIds: [source.domainId] }));
    await transfer(source, target);
    for (const api of [source, restricted]) {
      expect((await api.post("/v1/emails/", aMail(source))).status).toBe(422);
      expect(
        (
          await api.post("/v1/emails/", {
            from_: { email: source.mailbox },
            to: [{ email: "a@example.org" }],
            template_id,
            variables: {},
          })
        ).status,
      ).toBe(422);
      const batch = await (await api.post("/v1/emails/batch", [aMail(source)])).json<{
        failed: number;
        sent: number;
      }>();
      expect(batch).toMatchObject({ sent: 0, failed: 1 });
    }
    expect((await source.post(`/v1/emails/${failed}/retry`, undefined)).status).toBeGreaterThanOrEqual(400);
    expect((await source.post(`/v1/broadcasts/${draft}/send`, undefined)).status).toBe(422);
    expect((await source.post(`/v1/broadcasts/${draft}/test`, { to: ["delivered@simulator.test"] })).status).toBe(422);
    const list = await aContactList(source, 1);
    const bulk = { contact_list_id: list, mailbox_id: source.mailboxId, subject: "S", text: "T" };
    expect((await source.post(`/v1/contacts/${list}/send`, bulk)).status).toBeGreaterThanOrEqual(400);
    expect((await source.post("/v1/smtp-credentials/", { domain_id: source.domainId })).status).toBe(404);
    expect((await source.post(`/v1/domains/${source.domainId}/dkim/rotate`, undefined)).status).toBe(404);
    expect((await restricted.get(`/v1/domains/${source.domainId}`)).status).toBe(404);
    const left = await env.DB.prepare("SELECT domain_ids FROM api_keys WHERE workspace = ?1 AND domain_ids IS NOT NULL")
      .bind(source.workspaceNumber)
      .all();
    expect(left.results).toEqual([{ domain_ids: "[]" }]);
  });

  it("has its queued mail fail, and its scheduled mail cancelled, before a moment of the new owner's", async () => {
    const api = source.withoutQueue;
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    const queued = await idOf(await api.post("/v1/emails/", aMail(source)));
    const scheduled = await idOf(await api.post("/v1/emails/", aMail(source, { send_at: inAnHour() })));
    await completeSilently(accepted.id);
    await runOutboxAt(Date.now());
    expect(await statusOf(queued)).toBe("failed");
    expect(await statusOf(scheduled)).toBe("scheduled");
    await runCleanUp(testContext());
    expect(await statusOf(scheduled)).toBe("cancelled");
    expect(await cleanUpsLeft()).toBe(0);
    const detail = await (await source.get(`/v1/emails/${scheduled}/events`)).json<
      { event_type: string; metadata: unknown }[]
    >();
    expect(detail).toContainEqual(
      expect.objectContaining({ event_type: "cancelled", metadata: { reason: "domain_transferred" } }),
    );
  });

  it("has a scheduled email refused by preflight when it comes due before the clean-up has run", async () => {
    const api = source.withoutQueue;
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    const id = await idOf(await api.post("/v1/emails/", aMail(source, { send_at: inAnHour() })));
    await completeSilently(accepted.id);
    await runOutboxAt(Date.now() + 2 * HOUR);
    expect(await statusOf(id)).toBe("failed");
    await runCleanUp(testContext());
    expect(await statusOf(id)).toBe("failed");
  });

  it("has its scheduled and sending broadcasts cancelled with their waiting emails", async () => {
    const api = source.withoutQueue;
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    const body = { name: "N", subject: "S", text_body: "Hi", from_address: source.mailbox };
    const contact_list_id = await aContactList(source, 3);
    const scheduled = await idOf(
      await api.post("/v1/broadcasts/", { ...body, contact_list_id, scheduled_at: inAnHour() }),
    );
    const sending = await idOf(await api.post("/v1/broadcasts/", { ...body, contact_list_id }));
    expect((await api.post(`/v1/broadcasts/${sending}/send`, undefined)).status).toBe(200);
    await runOutboxAt(Date.now(), {}, ["broadcast"]);
    await completeSilently(accepted.id);
    await runCleanUp(testContext());
    for (const id of [scheduled, sending])
      expect(await (await source.get(`/v1/broadcasts/${id}`)).json(), id).toMatchObject({ status: "cancelled" });
    await runOutboxAt(Date.now() + 2 * HOUR, {}, ["broadcast", "bulk", "deliver"]);
    const db = onShard(testContext(), source.mailShard).mail;
    const { results } = await db
      .prepare("SELECT DISTINCT status FROM emails WHERE workspace = ?1 AND source = 'broadcast'")
      .bind(source.workspaceNumber)
      .all();
    expect(results.every(({ status }) => status === "cancelled" || status === "failed")).toBe(true);
  });
});

describe("the clean-up", () => {
  it("of a source whose mail database is down is repeated, and the transfer is complete meanwhile", async () => {
    const api = source.withoutQueue;
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    const id = await idOf(await api.post("/v1/emails/", aMail(source, { send_at: inAnHour() })));
    await completeSilently(accepted.id);
    const down = {
      prepare: () => ({ bind: () => ({}) }),
      batch: async () => Promise.reject(new Error("the mail database is down")),
    };
    const binding = `MAIL_${source.mailShard}`;
    await expect(runCleanUp(testContext({ [binding]: down }))).rejects.toThrow("down");
    expect((await target.get(`/v1/domains/${source.domainId}`)).status).toBe(200);
    expect(await statusOf(id)).toBe("scheduled");
    expect(await cleanUpsLeft()).toBe(1);
    // The lease of the failed run is over two minutes later, when the sweep finds the row again.
    await runOutboxAt(Date.now() + 3 * 60_000, {}, ["transfer"]);
    expect(await statusOf(id)).toBe("cancelled");
    expect(await cleanUpsLeft()).toBe(0);
  });

  it("that was lost with its process, and run twice, cancels everything once", async () => {
    const api = source.withoutQueue;
    const accepted = await acceptById(target, (await initiate(source, target)).id);
    const items = Array.from({ length: 60 }, () => aMail(source, { send_at: inAnHour() }));
    for (let batch = 0; batch < 10; batch++) expect((await api.post("/v1/emails/batch", items)).status).toBe(202);
    await completeSilently(accepted.id);
    await runOutboxAt(Date.now() + 60_000, {}, ["transfer"]);
    const db = onShard(testContext(), source.mailShard).mail;
    const count = () =>
      db
        .prepare(
          "SELECT status, count(*) AS n, sum(json_array_length(events)) AS events FROM emails WHERE workspace = ?1 GROUP BY status",
        )
        .bind(source.workspaceNumber)
        .all();
    const once = (await count()).results;
    expect(once).toEqual([{ status: "cancelled", n: 600, events: 1_200 }]);
    const task = {
      workspace: source.workspaceNumber,
      domains: [source.domainId],
      names: [source.domain],
      completedAt: Date.now(),
    };
    expect(await cleanUp(testContext(), task)).toBe(true);
    expect((await count()).results).toEqual(once);
  });

  it("that is late cancels nothing of a workspace that has got its domain back", async () => {
    await moveWithoutCleanUp();
    await transfer(target, source, { domainId: source.domainId });
    await env.DB.prepare(
      "UPDATE outbox SET ref = json_set(ref, '$.cleanUp.completedAt', ?2) WHERE ref LIKE ?1 AND ref LIKE '%cleanUp%'",
    )
      .bind(`%${source.domainId}%`, Date.now() - 1_000)
      .run();
    const id = await idOf(await source.withoutQueue.post("/v1/emails/", aMail(source, { send_at: inAnHour() })));
    await runOutboxAt(Date.now() + 60_000, {}, ["transfer"]);
    expect(await statusOf(id)).toBe("scheduled");
    await runDeadlineAt(source.domainId, Date.now());
  });
});
