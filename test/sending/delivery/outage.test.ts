/**
 * After an outage of the egress, the first successful delivery releases the waiting emails (docs/contract/delivery.md#outages).
 */

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { flushOutbox, runRetriesAfterOutage } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { closedPort, receivedIds } from "../../support/closed-port.ts";
import { database, mail } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import type { Script } from "../../support/smtp-script.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const WAITING = env.TEST_LONG ? 1_500 : 100;
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

interface Row {
  id: string;
  status: string;
  attempts: number;
  due_at: number | null;
  events: { type: string; metadata?: Record<string, unknown> }[];
}

async function emails(): Promise<Row[]> {
  const results = await database.rows<Omit<Row, "events"> & { events: string }>(
    "SELECT e.id, e.status, e.attempts, o.due_at, e.events FROM emails e LEFT JOIN outbox o ON o.id = e.id WHERE e.workspace = ?1 ORDER BY e.n",
    [workspace.workspaceNumber],
  );
  return results.map((row) => ({ ...row, events: JSON.parse(row.events) as Row["events"] }));
}

async function outboxRows() {
  const results = await database.rows<{
    due_at: number;
    id: string;
    kind: string;
    outage: string | null;
  }>("SELECT due_at, id, kind, outage, token FROM outbox ORDER BY id");
  return results;
}

const accept = async (now: number, count: number, changes: Record<string, unknown> = {}) => {
  const { ctx } = recordingContext({}, () => now);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await acceptEmail(ctx, workspace, changes));
  return ids;
};

/** Accepts emails and lets their first `attempts` attempts fail. Returns the time after the last one. */
async function failBeforeMailFrom(url: string, count: number, attempts: number) {
  let now = Date.now();
  const ids = await accept(now, count);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await runOutboxAt(now, { EGRESS_URL: url });
    now += ([2, 6, 32][attempt - 1] ?? 32) * MINUTE;
  }
  return { ids, now: now - 30 * MINUTE };
}

describe("a server that refuses connections, then accepts them", { timeout: 600_000 }, () => {
  it(`${WAITING} of ${WAITING} waiting emails are delivered within 10 minutes of the first success, oldest first`, async () => {
    const { url, open } = await closedPort();
    const { ids, now: recovery } = await failBeforeMailFrom(url, WAITING, 3);
    expect((await emails()).map(({ status, attempts }) => [status, attempts])).toEqual(ids.map(() => ["queued", 3]));
    const server = await open();
    const [newEmail = ""] = await accept(recovery, 1);
    await runOutboxAt(recovery, { EGRESS_URL: url });
    expect(await receivedIds(server)).toEqual([newEmail]);
    let now = recovery;
    while ((await server.counters()).accepted <= WAITING && now < recovery + 10 * MINUTE) {
      now += 2 * SECOND;
      await runOutboxAt(now, { EGRESS_URL: url });
    }
    expect(await receivedIds(server)).toEqual([newEmail, ...ids]);
    expect((await emails()).map(({ status }) => status)).toEqual([...ids, newEmail].map(() => "delivered"));
    expect(await outboxRows()).toEqual([]);
  });

  it("a released attempt that fails before MAIL FROM again does not count, and the email keeps its retry time", async () => {
    const { url, open } = await closedPort();
    const { now: recovery } = await failBeforeMailFrom(url, 3, 3);
    const before = await emails();
    const server = await open();
    await accept(recovery, 1);
    await runOutboxAt(recovery, { EGRESS_URL: url });
    await server.close();
    for (let now = recovery + 2 * SECOND; now < recovery + MINUTE; now += 2 * SECOND) {
      await runOutboxAt(now, { EGRESS_URL: url });
    }
    const after = (await emails()).slice(0, 3);
    expect(after.map(({ attempts, events, due_at }) => ({ attempts, events, due_at }))).toEqual(
      before.map(({ attempts, events, due_at }) => ({ attempts, events, due_at })),
    );
    expect((await outboxRows()).map(({ kind, outage }) => [kind, outage])).toEqual(
      before.map(() => ["deliver", "waiting"]),
    );
  });

  it("a released attempt that fails at MAIL FROM counts", async () => {
    const { url, open } = await closedPort();
    const { now: recovery } = await failBeforeMailFrom(url, 1, 3);
    await open({ transactions: [{}, { mail: "451 4.3.0 later" }] });
    await accept(recovery, 1);
    await runOutboxAt(recovery, { EGRESS_URL: url });
    await runOutboxAt(recovery + 2 * SECOND, { EGRESS_URL: url });
    await runOutboxAt(recovery + 2 * SECOND, { EGRESS_URL: url });
    const [email] = await emails();
    expect(email).toMatchObject({ status: "queued", attempts: 4 });
    expect(email?.events.at(-1)).toMatchObject({ type: "deferred", metadata: { phase: "mail", attempt: 4 } });
    expect(await outboxRows()).toEqual([expect.objectContaining({ outage: null })]);
  });

  it("without a success nothing is released", async () => {
    const { url, open } = await closedPort();
    const { now: recovery } = await failBeforeMailFrom(url, 1, 3);
    const before = await outboxRows();
    await open({ recipients: { "friend@example.org": "451 4.2.1 later" } });
    await accept(recovery, 1);
    await runOutboxAt(recovery, { EGRESS_URL: url });
    expect((await outboxRows()).filter(({ outage, kind }) => outage !== null || kind === "release")).toEqual(before);
  });
});

describe("a simulated delivery", () => {
  it("is no success of the egress and releases nothing", async () => {
    const { url } = await closedPort();
    const { now } = await failBeforeMailFrom(url, 1, 3);
    await accept(now, 1, { to: [{ email: "delivered@simulator.test" }] });
    await runOutboxAt(now, { EGRESS_URL: url });
    expect((await emails()).map(({ status }) => status)).toEqual(["queued", "delivered"]);
    expect((await outboxRows()).map(({ kind, outage }) => [kind, outage])).toEqual([["deliver", "waiting"]]);
  });
});

describe("the last failure of an email", () => {
  const issues: [string, Script, string][] = [
    ["greeting", { greeting: "421 4.3.2 busy" }, "?tls=off"],
    ["ehlo", { ehlo: "451 4.3.0 later" }, "?tls=off"],
    ["starttls", { capabilities: ["PIPELINING"] }, ""],
    ["auth", { capabilities: ["AUTH PLAIN"], auth: ["535 5.7.8 no"] }, "?tls=off"],
  ];
  it.each(issues)("in phase %s makes it wait for the egress", async (phase, script, query) => {
    const server = await scriptedServer(script);
    const now = Date.now();
    await accept(now, 1);
    await runOutboxAt(now, { EGRESS_URL: `smtp://user:secret@127.0.0.1:${server.port}/${query}` });
    const [email] = await emails();
    expect(email?.events.at(-1)).toMatchObject({ type: "deferred", metadata: { phase, attempt: 1 } });
    expect(await outboxRows()).toEqual([expect.objectContaining({ outage: "waiting" })]);
  });

  it.each([
    ["MAIL", { mail: "451 4.3.0 later" }],
    ["RCPT", { rcpt: ["451 4.3.0 later"] }],
    ["the final dot", { dot: "451 4.3.0 later" }],
  ])("after %s does not", async (_phase, steps) => {
    const server = await scriptedServer({ transactions: [steps] });
    const now = Date.now();
    await accept(now, 1);
    await runOutboxAt(now, { EGRESS_URL: server.url });
    expect(await outboxRows()).toEqual([expect.objectContaining({ outage: null })]);
  });
});

describe("a retry step", () => {
  /** Inserts outbox rows of no email, as if their last attempt had failed before MAIL FROM; ids 1 to `count`. */
  const insertRows = (count: number, dueAt: number, outage: "waiting" | "released" | null, from = 0) =>
    database.run(
      `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?1)
       INSERT INTO outbox (due_at, id, kind, ref, outage) SELECT ?2 + n, printf('%06d', ?4 + n), 'deliver', '[]', ?3 FROM i`,
      [count, dueAt, outage, from],
    );
  const idsBy = async (outage: string) =>
    (await outboxRows()).filter((row) => row.outage === outage).map(({ id }) => Number(id));

  it("moves the 500 oldest emails to now, behind every email accepted before", async () => {
    const now = Date.now();
    await insertRows(1_200, now + 20 * MINUTE, "waiting");
    const { ctx, woken } = recordingContext({}, () => now);
    expect(await flushOutbox(ctx)).toBe(500);
    expect(await idsBy("released")).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
    expect(woken).toHaveLength(500);
    expect(new Set(woken.map(({ dueAt }) => dueAt))).toEqual(new Set([now]));
    expect([await flushOutbox(ctx), await flushOutbox(ctx), await flushOutbox(ctx)]).toEqual([500, 200, 0]);
  });

  it("costs the same with 20,000 other rows in the outbox", async () => {
    const now = Date.now();
    await insertRows(600, now + 20 * MINUTE, "waiting");
    const cost = async () => {
      const read: number[] = [];
      const { ctx } = recordingContext({}, () => now);
      const batch = async (statements: D1PreparedStatement[]) => {
        const results = await mail.batch(statements);
        read.push(...results.map(({ meta }) => meta.rows_read));
        return results;
      };
      const db = { prepare: (sql: string) => mail.prepare(sql), batch } as unknown as D1Database;
      await flushOutbox(withMail(ctx, asDatabase<"mail">(db)));
      return read.reduce((sum, rows) => sum + rows, 0);
    };
    const small = await cost();
    await database.run("DELETE FROM outbox");
    await insertRows(20_000, now + 20 * MINUTE, null, 100_000);
    await insertRows(600, now + 20 * MINUTE, "waiting");
    expect(await cost()).toBeLessThanOrEqual(small * 1.1);
    expect(small).toBeLessThan(5_000);
  });

  it("waits while more than 250 released emails are unfinished, and then goes on", async () => {
    const now = Date.now();
    await insertRows(300, now, "released");
    await insertRows(300, now + 20 * MINUTE, "waiting", 1_000);
    await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, 'r', 'release', '[]')", [now]);
    const { ctx, woken } = recordingContext({}, () => now);
    const row: WakeUp = { dueAt: now, id: "r", kind: "release" };
    await runRetriesAfterOutage(ctx, [row]);
    expect(woken).toEqual([{ dueAt: now + 2 * SECOND, id: "r", kind: "release" }]);
    expect(await idsBy("waiting")).toHaveLength(300);
    await database.run("DELETE FROM outbox WHERE outage = 'released' AND id > '000250'");
    await runRetriesAfterOutage(ctx, woken.splice(0));
    expect(await idsBy("waiting")).toEqual([]);
    expect((await outboxRows()).filter(({ kind }) => kind === "release")).toEqual([]);
  });

  it("run twice at once releases each email once, and two successes schedule one step", async () => {
    const now = Date.now();
    await insertRows(700, now + 20 * MINUTE, "waiting");
    const { ctx, woken } = recordingContext({}, () => now);
    expect((await Promise.all([flushOutbox(ctx), flushOutbox(ctx)])).sort()).toEqual([200, 500]);
    expect(new Set(woken.map(({ id }) => id)).size).toBe(700);
    await database.run("DELETE FROM outbox");
    await insertRows(1, now + 20 * MINUTE, "waiting");
    const sink = await sinkServer();
    await accept(now, 20);
    await runOutboxAt(now, { EGRESS_URL: sink.url });
    expect((await outboxRows()).filter(({ kind }) => kind === "release")).toHaveLength(1);
  });
});
