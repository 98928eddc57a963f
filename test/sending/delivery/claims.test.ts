/** Claims fill under load and a lone email leaves at once, although each queue message names one row. */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { type ClaimedRow, claimStatements } from "../../../src/platform/outbox/claim.ts";
import { newLease } from "../../../src/platform/outbox/lease.ts";
import type { OutboxMessage } from "../../../src/platform/outbox/wake.ts";
import { consume } from "../../../src/queue.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, FILE_SHARD, mail } from "../../support/databases.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

const insertRow = (dueAt: number, id: string, columns: { kind?: string; claims?: number; refs?: number[] } = {}) =>
  database.run("INSERT INTO outbox (due_at, id, kind, ref, claims) VALUES (?1, ?2, ?3, ?4, ?5)", [
    dueAt,
    id,
    columns.kind ?? "deliver",
    JSON.stringify(columns.refs ?? [1_000_000_000]),
    columns.claims ?? 0,
  ]);

async function claimedIds(now: number, named: readonly WakeUp[]): Promise<string[]> {
  const { ctx } = recordingContext({}, () => now);
  const { results } = await claimStatements(ctx, named, newLease(ctx), { addsDue: true }).claim.all<ClaimedRow>();
  return results.map(({ id }) => id).sort();
}

/** Consumes one queue message for each row, all at once, and returns the trips to D1. */
async function consumeAtOnce(rows: readonly WakeUp[], egressUrl: string) {
  const { bindings: databases, trips } = countingDb();
  const bindings = { ...env, ...databases, EGRESS_URL: egressUrl } as unknown as Env;
  const consumeOne = (row: WakeUp) => {
    const body: OutboxMessage = { type: "outbox.wake.v2", database: FILE_SHARD, rows: [row] };
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
    return consume(createMessageBatch("work", [message]), bindings);
  };
  await Promise.all(rows.map(consumeOne));
  return trips;
}

/** Accepts emails with one request each, and returns their outbox rows. */
async function accepted(count: number): Promise<WakeUp[]> {
  const { ctx, woken } = recordingContext();
  for (let n = 0; n < count; n++) await acceptEmail(ctx, workspace, { to: [{ email: `a${n}@one.test` }] });
  return woken;
}

const isClaim = ({ statements }: Awaited<ReturnType<typeof consumeAtOnce>>[number]) =>
  statements.some(({ sql }) => sql.includes("claims = claims + 1"));

describe("a claim", () => {
  it("takes the oldest due rows of its kind along, after the rows of its messages", async () => {
    const now = Date.now();
    await insertRow(now - 3, "older");
    await insertRow(now - 2, "named");
    await insertRow(now - 1, "younger");
    await insertRow(now - 5, "purge", { kind: "purge" });
    await insertRow(now + 1, "future");
    expect(await claimedIds(now, [{ dueAt: now - 2, id: "named", kind: "deliver" }])).toEqual([
      "named",
      "older",
      "younger",
    ]);
  });

  it("takes no row along that an earlier run claimed without an outcome: it may interrupt this run too", async () => {
    const now = Date.now();
    await insertRow(now - 2, "interrupting", { claims: 1 });
    await insertRow(now - 1, "named");
    expect(await claimedIds(now, [{ dueAt: now - 1, id: "named", kind: "deliver" }])).toEqual(["named"]);
    expect(await claimedIds(now, [{ dueAt: now - 2, id: "interrupting", kind: "deliver" }])).toEqual(["interrupting"]);
  });

  it("stays within 100 rows and 300 emails, and prefers the rows of its messages", async () => {
    const now = Date.now();
    const hundred = Array.from({ length: 100 }, (_, n) => 1_000_000_000 + n);
    for (let n = 0; n < 3; n++) await insertRow(now - 9, `batch-${n}`, { refs: hundred });
    await insertRow(now, "named");
    const named: WakeUp = { dueAt: now, id: "named", kind: "deliver" };
    expect(await claimedIds(now, [named])).toEqual(["batch-0", "batch-1", "named"]);
    await database.run("DELETE FROM outbox");
    for (let n = 0; n < 120; n++) await insertRow(now - 9, `row-${n}`);
    expect(await claimedIds(now, [])).toHaveLength(100);
  });
});

describe("the rows that a claim reads", () => {
  /** Inserts rows of one email each, due at `dueAt`. */
  const insertRows = (count: number, dueAt: number, prefix: string, claims = 0) =>
    database.run(
      "INSERT INTO outbox (due_at, id, kind, ref, claims) SELECT ?1, ?2 || value, 'deliver', '[1]', ?4 FROM json_each(?3)",
      [dueAt, prefix, JSON.stringify(Array.from({ length: count }, (_, n) => 1_000_000 + n)), claims],
    );
  const claim = async (now: number, named: readonly WakeUp[]) => {
    const { ctx } = recordingContext({}, () => now);
    const { results, meta } = await claimStatements(ctx, named, newLease(ctx), {
      addsDue: true,
    }).claim.all<ClaimedRow>();
    return { rows: results.length, read: meta.rows_read };
  };

  it("are a handful for a lone email, whatever waits until later", async () => {
    const now = Date.now();
    const named: WakeUp = { dueAt: now, id: "lone", kind: "deliver" };
    await insertRow(now, "lone");
    const alone = await claim(now, [named]);
    await database.run("DELETE FROM outbox");
    await insertRows(5_000, now + 60_000, "later");
    await insertRow(now, "lone");
    const { rows, read } = await claim(now, [named]);
    expect(rows).toBe(1);
    // It reads one row that is not due, to see that it is not.
    expect(read).toBeLessThanOrEqual(alone.read + 1);
    // The database counts the rows of temporary tables too.
    expect(read).toBeLessThanOrEqual(40);
  });

  it("grow with the claim and not with the rows that are due", async () => {
    const now = Date.now();
    await insertRows(300, now - 9, "due");
    const { rows, read } = await claim(now, [{ dueAt: now - 9, id: "due1000299", kind: "deliver" }]);
    expect(rows).toBe(100);
    expect(read).toBeLessThanOrEqual(20 * rows);
    await insertRows(5_000, now - 8, "more");
    await insertRows(100, now - 20, "interrupted", 1);
    const again = await claim(now, [{ dueAt: now - 8, id: "more1004999", kind: "deliver" }]);
    // Beside its own it reads past those that were claimed: 100 under a lease, 100 that were interrupted.
    expect(again.read).toBeLessThanOrEqual(read + 3 * 200);
  });
});

describe("20 consumers woken by one message each at once", () => {
  it("send every email once with few claims", async () => {
    const sink = await sinkServer();
    const trips = await consumeAtOnce(await accepted(20), sink.url);
    const messages = await sink.messages();
    expect(messages.map(({ rcpts }) => String(rcpts)).sort()).toHaveLength(20);
    expect(new Set(messages.map(({ rcpts }) => String(rcpts))).size).toBe(20);
    const claims = trips.filter(isClaim);
    expect(claims).toHaveLength(20);
    expect(claims.filter(({ rowsWritten }) => rowsWritten !== 0).length).toBeLessThanOrEqual(2);
    expect(await database.rows("SELECT * FROM outbox")).toEqual([]);
  });

  it("at saturation claim at least 20 emails each, with one D1 write per claim", async () => {
    const sink = await sinkServer();
    const rows = await accepted(200);
    const trips = await consumeAtOnce(rows.slice(0, 20), sink.url);
    const filled = trips.filter((trip) => isClaim(trip) && trip.rowsWritten !== 0);
    expect(200 / filled.length).toBeGreaterThanOrEqual(20);
    const writes = filled.map(
      ({ statements }) => statements.filter(({ sql }) => /UPDATE (?:OR IGNORE )?outbox/.test(sql)).length,
    );
    expect(writes).toEqual(filled.map(() => 1));
    const recipients = (await sink.messages()).map(({ rcpts }) => String(rcpts));
    expect([recipients.length, new Set(recipients).size]).toEqual([200, 200]);
  });
});

describe("a lone email", () => {
  it("does not wait behind a batch of the same claim", async () => {
    const { ctx, woken } = recordingContext();
    await acceptEmail(ctx, workspace, { subject: "batch" });
    await acceptEmail(ctx, workspace, { subject: "batch" });
    await mail.batch([
      database.prepare("UPDATE outbox SET ref = (SELECT json_group_array(n) FROM emails WHERE subject = 'batch')"),
      database.prepare("DELETE FROM outbox WHERE id <> ?1").bind(woken[0]?.id ?? ""),
      database.prepare("UPDATE emails SET outbox_id = ?1 WHERE subject = 'batch'").bind(woken[0]?.id ?? ""),
    ]);
    await acceptEmail(ctx, workspace, { subject: "lone" });
    const sent: string[] = [];
    const egress = egressWithoutNetwork({
      connections: 1,
      async onSend(_, message) {
        let text = "";
        for await (const chunk of message.chunks()) text += new TextDecoder().decode(chunk);
        sent.push(/^Subject: (\S+)/m.exec(text)?.[1] ?? "");
        return undefined;
      },
    });
    await deliver(ctx, [woken[0] ?? { dueAt: 0, id: "", kind: "deliver" }], egress);
    expect(sent).toEqual(["lone", "batch", "batch"]);
  });

  it("is written while its connection still closes, with one flush", async () => {
    const { bindings, trips } = countingDb();
    const { ctx, woken } = recordingContext(bindings);
    const id = await acceptEmail(ctx, workspace);
    trips.length = 0;
    let statusAtClose: unknown = null;
    const egress = egressWithoutNetwork({
      async onClose() {
        const read = () => database.value<string>("SELECT status FROM emails WHERE id = ?1", [id]);
        for (let tries = 0; statusAtClose !== "delivered" && tries < 100; tries++) statusAtClose = await read();
      },
    });
    await deliver(ctx, woken, egress);
    expect(statusAtClose).toBe("delivered");
    // The claim, the read of what may have changed since accept, and the flush.
    expect(trips).toHaveLength(3);
  });

  it("is sent by the queue's consumer, never by the request that accepts it", async () => {
    const sink = await sinkServer();
    const api = apiOn({ WORK: { sendBatch: async () => {} }, EGRESS_URL: sink.url }, workspace.apiKey);
    expect((await api.post("/v1/emails/", aMail(workspace))).status).toBe(202);
    expect((await sink.counters()).connections).toBe(0);
  });
});
