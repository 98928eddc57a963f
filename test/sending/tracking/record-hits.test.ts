import { createExecutionContext, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { consumeDeadLetters } from "../../../src/queue.ts";
import { applyFacts, EMAIL_STATE_COLUMNS, type EmailStateRow, toState } from "../../../src/sending/emails/index.ts";
import type { HitMessage } from "../../../src/sending/tracking/index.ts";
import { toHit } from "../../../src/sending/tracking/record-hits.ts";
import { countingDb, planOf, rowsRead } from "../../support/counting-db.ts";
import { database, wrapDatabases } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { aDeliveredMail, aHit, consume, detailOf, READER, rollupTotals, SENT_AT } from "./support.ts";

const changesOf = async (workspace: number) =>
  (await database.rows("SELECT emails FROM changes WHERE workspace = ?1", [workspace])).length;

/** Times so far apart that hits are no repeats of each other. */
const minutesLater = (n: number) => SENT_AT + 3_600_000 + n * 60_000;

describe("recording hits", () => {
  it("counts them, adds events, and adds one change row", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const before = await changesOf(workspace.workspaceNumber);
    const [open, click] = [aHit(workspace, id), aHit(workspace, id, { kind: "click", at: SENT_AT + 3_600_001 })];
    await consume([click, open]);
    const detail = await detailOf(workspace, id);
    expect(detail).toMatchObject({ opened_count: 1, clicked_count: 1, status: "delivered" });
    const who = { recipient: "friend@one.example", user_agent: READER, ip: "192.0.2.1" };
    expect(detail.events.filter(({ event_type }) => ["open", "click"].includes(event_type))).toEqual([
      { id: open.id, event_type: "open", metadata: who, created_at: "2026-01-01T01:00:00.000Z" },
      {
        id: click.id,
        event_type: "click",
        metadata: { ...who, url: "https://shop.example/" },
        created_at: "2026-01-01T01:00:00.001Z",
      },
    ]);
    expect(await changesOf(workspace.workspaceNumber)).toBe(before + 1);
    expect(await rollupTotals(workspace)).toEqual({ "": [1, 1], "one.example": [1, 1] });
  });

  it("counts each hit once however often the queue delivers it, within and beyond the 50 events", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const hits = Array.from({ length: 120 }, (_, n) =>
      aHit(workspace, id, { kind: n % 2 ? "click" : "open", at: minutesLater(n) }),
    );
    for (const part of [hits.slice(0, 60), hits.slice(30), hits, hits.toReversed()]) await consume(part);
    const detail = await detailOf(workspace, id);
    expect(detail).toMatchObject({ opened_count: 60, clicked_count: 60 });
    expect(detail.events.filter(({ event_type }) => ["open", "click"].includes(event_type))).toHaveLength(50);
    expect(await rollupTotals(workspace)).toEqual({ "": [1, 1], "one.example": [1, 1] });
    const row = await database.row("SELECT json_array_length(hits) AS n FROM emails WHERE id = ?1", [id]);
    expect(row).toEqual({ n: 70 });
  });

  it("recognises the last 200 hits beyond the events", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const hits = Array.from({ length: 300 }, (_, n) => aHit(workspace, id, { at: minutesLater(n) }));
    for (let at = 0; at < 300; at += 100) await consume(hits.slice(at, at + 100));
    await consume(hits.slice(100));
    expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 300 });
  });

  it("marks hits by machines and does not count them: by user agent, by purpose and by network", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const click = { kind: "click" } as const;
    await consume([
      aHit(workspace, id, { ua: "" }),
      aHit(workspace, id, { purpose: "prefetch" }),
      aHit(workspace, id, { ...click, ua: "Slackbot 1.0" }),
      aHit(workspace, id, { ...click, network: "PROOFPOINT-ASN-US-EAST" }),
    ]);
    const detail = await detailOf(workspace, id);
    expect(detail).toMatchObject({ opened_count: 0, clicked_count: 0 });
    expect(detail.events.filter(({ event_type }) => event_type !== "queued").map(({ metadata }) => metadata)).toEqual(
      Array(4).fill(expect.objectContaining({ machine: true })),
    );
    expect(await rollupTotals(workspace)).toEqual({});
  });

  it("counts a click right after and before the hand-over: time is no evidence of a machine", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    await consume([
      aHit(workspace, id, { kind: "click", at: SENT_AT - 500 }),
      aHit(workspace, id, { kind: "click", at: SENT_AT + 500, url: "https://shop.example/2" }),
    ]);
    expect(await detailOf(workspace, id)).toMatchObject({ clicked_count: 2 });
  });

  it("counts hits without a recipient for a domain only when all recipients have that domain", async () => {
    const workspace = await aWorkspace();
    const [one, two] = await Promise.all([
      aDeliveredMail(workspace, "a@one.example", "b@one.example"),
      aDeliveredMail(workspace, "a@one.example", "b@two.example"),
    ]);
    await consume([
      aHit(workspace, one, { recipient: null }),
      aHit(workspace, two, { recipient: null }),
      aHit(workspace, two, { recipient: 1 }),
    ]);
    expect(await rollupTotals(workspace)).toEqual({ "": [2, 0], "one.example": [1, 0] });
    const { events } = await detailOf(workspace, two);
    expect(events.flatMap(({ event_type, metadata }) => (event_type === "open" ? [metadata?.recipient] : []))).toEqual([
      undefined,
      "b@two.example",
    ]);
  });

  it("drops hits whose email is deleted or belongs to another workspace", async () => {
    const [own, other] = await Promise.all([aWorkspace(), aWorkspace()]);
    const [id, gone] = await Promise.all([aDeliveredMail(other), aDeliveredMail(other)]);
    await run("DELETE FROM emails WHERE id = ?1", gone);
    const before = await detailOf(other, id);
    await consume([aHit(own, id), aHit(other, gone), aHit(own, gone)]);
    expect(await detailOf(other, id)).toEqual(before);
    expect([await rollupTotals(own), await rollupTotals(other)]).toEqual([{}, {}]);
  });

  it("changes no other column, also while the email is queued", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace, "a@one.example", "b@one.example");
    await run(
      "UPDATE emails SET status = 'queued', due_at = 4, outbox_id = 'w', content = '{}', attempts = 2 WHERE id = ?1",
      id,
    );
    const row = () =>
      database.row(
        "SELECT status, due_at, outbox_id, content, attempts, recipients, sent_at, delivered_at, subject FROM emails WHERE id = ?1",
        [id],
      );
    const before = await row();
    await consume([aHit(workspace, id)]);
    expect(await row()).toEqual(before);
  });
});

describe("the hits queue", () => {
  it("needs one read of each database, one guarded write and few rows for a batch of 100", async () => {
    const workspace = await aWorkspace();
    const ids = await Promise.all(Array.from({ length: 50 }, () => aDeliveredMail(workspace)));
    const { bindings, trips } = countingDb();
    const at = Date.now();
    await consume(
      ids.flatMap((id) => [aHit(workspace, id, { at }), aHit(workspace, id, { at, kind: "click" })]),
      bindings,
    );
    // The last two record activity and events of persons: no row of a workspace without segments and automations.
    expect(trips.map(({ statements }) => statements.length)).toEqual([1, 1, 6]);
    const [read] = trips[1]?.statements ?? [];
    // Each email by the index, once for its size and once for itself.
    expect(read && (await rowsRead(read))).toBeLessThanOrEqual(6 * 100);
    expect((read && (await planOf(read)))?.join("\n")).toContain(
      "SEARCH s USING INDEX emails_by_id (workspace=? AND id=?",
    );
    // 50 emails, one change row, one row of the roll-ups.
    expect(trips[2]?.rowsWritten).toBe(52);
    await consume(
      ids.map((id) => aHit(workspace, id, { ua: "" })),
      bindings,
    );
    expect(trips).toHaveLength(6);
  });

  it("splits the write when timelines are long", async () => {
    const workspace = await aWorkspace();
    const ids = await Promise.all(Array.from({ length: 8 }, () => aDeliveredMail(workspace)));
    const url = `https://shop.example/${"x".repeat(7900)}`;
    for (const id of ids) {
      const clicks = Array.from({ length: 50 }, (_, n) =>
        aHit(workspace, id, { kind: "click", url, at: minutesLater(n) }),
      );
      await consume(clicks);
    }
    const { bindings, trips } = countingDb();
    await consume(
      ids.map((id) => aHit(workspace, id)),
      bindings,
    );
    // Four of some 110 KB at once.
    expect(trips).toHaveLength(1 + 2 * 2);
    for (const id of ids) expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 1, clicked_count: 50 });
  });

  it("reads and writes the longest timelines one after the other", async () => {
    const workspace = await aWorkspace();
    const ids = await Promise.all(Array.from({ length: 4 }, () => aDeliveredMail(workspace)));
    const event = {
      id: crypto.randomUUID(),
      type: "deferred",
      at: SENT_AT,
      metadata: { response: "x".repeat(590_000) },
    };
    await run(
      "UPDATE emails SET events = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(ids),
      JSON.stringify([0, event]),
    );
    const { bindings, trips } = countingDb();
    await consume(
      ids.map((id) => aHit(workspace, id)),
      bindings,
    );
    expect(trips).toHaveLength(1 + 2 * 4);
    for (const id of ids) expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 1 });
  });

  it("retries an email alone that cannot be read, and one that another run changes each time", async () => {
    const workspace = await aWorkspace();
    const ids = await Promise.all(Array.from({ length: 9 }, () => aDeliveredMail(workspace)));
    const [malformed = "", contended = "", ...others] = ids;
    await run("UPDATE emails SET events = '[' WHERE id = ?1", malformed);
    const bump = database.prepare("UPDATE emails SET version = version + 1 WHERE id = ?1").bind(contended);
    const bindings = wrapDatabases((real) => ({
      prepare: (sql) => real.prepare(sql),
      async batch<Row>(statements: D1PreparedStatement[]) {
        await bump.run();
        return real.batch<Row>(statements);
      },
    }));
    const hits = ids.flatMap((id) => [aHit(workspace, id), aHit(workspace, id, { kind: "click" })]);
    const batch = await consume(hits, bindings);
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    const retried = new Set(retryMessages.map(({ msgId }) => msgId));
    const emails = batch.messages.filter(({ id }) => retried.has(id)).map(({ body }) => (body as HitMessage).email);
    expect([retried.size, new Set(emails)]).toEqual([4, new Set([malformed, contended])]);
    for (const id of others) expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 1, clicked_count: 1 });
    await consume(hits.filter(({ email }) => email === contended));
    expect(await detailOf(workspace, contended)).toMatchObject({ opened_count: 1, clicked_count: 1 });
  });

  it("reads the email again when another run changed it, and loses no hit", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const hits = Array.from({ length: 60 }, (_, n) => aHit(workspace, id, { at: minutesLater(n) }));
    await Promise.all(Array.from({ length: 6 }, (_, n) => consume(hits.slice(n * 10, n * 10 + 10))));
    expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 60 });
    expect(await rollupTotals(workspace)).toEqual({ "": [1, 0], "one.example": [1, 0] });
  });

  it("and feedback can write the same email at once: both are kept, and each raises the version", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    await run("UPDATE emails SET recipients = replace(recipients, 'queued', 'delivered') WHERE id = ?1", id);
    const row = await database.row<EmailStateRow>(`SELECT ${EMAIL_STATE_COLUMNS} FROM emails e WHERE id = ?1`, [id]);
    if (!row) throw new Error("no such email");
    const facts = [
      { id: crypto.randomUUID(), recipient: "friend@one.example", on: "complaint" as const, at: SENT_AT + 9 },
    ];
    const hits = Array.from({ length: 40 }, (_, n) => aHit(workspace, id, { at: minutesLater(n) }));
    const report = { state: toState(row), facts, attempt: 0, hits: [toHit(aHit(workspace, id, { kind: "click" }))] };
    await Promise.all([
      consume(hits.slice(0, 20)),
      applyFacts(testContext(), [report]),
      consume(hits.slice(20)),
      applyFacts(testContext(), [report]),
    ]);
    const detail = await detailOf(workspace, id);
    expect(detail).toMatchObject({ opened_count: 40, clicked_count: 1 });
    expect(detail.events.filter(({ event_type }) => event_type === "complained")).toHaveLength(1);
    const after = await database.row("SELECT version FROM emails WHERE id = ?1", [id]);
    expect(after).toEqual({ version: row.version + 3 });
    expect(await rollupTotals(workspace)).toEqual({ "": [1, 1], "one.example": [1, 1] });
  });

  it("retries unknown messages until they are dead letters, without losing the valid hits", async () => {
    const workspace = await aWorkspace();
    const id = await aDeliveredMail(workspace);
    const good = aHit(workspace, id);
    const invalid = [
      null,
      "x",
      { ...good, type: "hit.v2" },
      { ...good, id: 7 },
      { ...good, url: "https://a" },
      { ...good, at: "now" },
      { ...good, recipient: "0" },
    ];
    const batch = await consume([...invalid, good]);
    const { retryMessages } = await getQueueResult(batch, createExecutionContext());
    expect(retryMessages).toHaveLength(invalid.length);
    expect(await detailOf(workspace, id)).toMatchObject({ opened_count: 1 });
    await consumeDeadLetters(
      { ...batch, queue: "hits-dead", messages: batch.messages.slice(0, 1) } as MessageBatch,
      env,
    );
    const letter = await database.row("SELECT queue, body FROM dead_letters WHERE id = ?1", [batch.messages[0]?.id]);
    expect(letter).toEqual({ queue: "hits-dead", body: "null" });
  });
});
