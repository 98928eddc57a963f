/** Bounds of one claim and of one run, so that no email and no batch delays or kills the others (safety). */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { purge } from "../../../src/operations/purges/index.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import { type ClaimedRow, claimStatements } from "../../../src/platform/outbox/claim.ts";
import { recordDeadLetters } from "../../../src/platform/outbox/dead-letters.ts";
import { newLease } from "../../../src/platform/outbox/lease.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { ByteBudget } from "../../../src/sending/delivery/prepare/byte-budget.ts";
import { newRunLimits } from "../../../src/sending/delivery/rules.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, mail } from "../../support/databases.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

/** An egress of four connections without a network; `inFlight` counts the transactions that have no reply yet. */
function countingEgress() {
  const counts = { inFlight: 0, most: 0, sent: 0 };
  const egress = egressWithoutNetwork({
    async onSend() {
      counts.inFlight += 1;
      counts.most = Math.max(counts.most, counts.inFlight);
      await new Promise((resolve) => setTimeout(resolve, 20));
      counts.inFlight -= 1;
      counts.sent += 1;
      return undefined;
    },
  });
  return { egress, counts };
}

/** Inserts outbox rows that each reference 100 emails, as a batch does; the emails are deleted. */
async function batchRows(count: number, dueAt: number): Promise<WakeUp[]> {
  const refs = JSON.stringify(Array.from({ length: 100 }, (_, n) => 1_000_000_000 + n));
  const rows = Array.from({ length: count }, (_, n): WakeUp => ({ dueAt, id: `batch-${n}`, kind: "deliver" }));
  await database.run("INSERT INTO outbox (due_at, id, kind, ref) SELECT ?1, value, 'deliver', ?3 FROM json_each(?2)", [
    dueAt,
    JSON.stringify(rows.map(({ id }) => id)),
    refs,
  ]);
  return rows;
}

/** Copies an accepted email and its outbox row until there are `count`, each with a row of its own. */
async function copyEmail(id: string, count: number): Promise<void> {
  const { results } = await mail.prepare("SELECT name FROM pragma_table_info('emails')").all<{ name: string }>();
  const copied: Record<string, string> = { n: "NULL", id: "substr(e.id, 1, 24) || printf('%012x', v.value)" };
  const columns = results.map(({ name }) => name);
  await mail.batch([
    database
      .prepare(
        `INSERT INTO emails (${columns.join()}) SELECT ${columns.map((name) => copied[name] ?? `e.${name}`).join()}
         FROM emails e, json_each(?2) v WHERE e.id = ?1`,
      )
      .bind(id, JSON.stringify(Array.from({ length: count - 1 }, (_, n) => n))),
    database
      .prepare(
        `INSERT INTO outbox (due_at, id, kind, ref) SELECT o.due_at, e.id, 'deliver', json_array(e.n)
         FROM emails e, outbox o WHERE o.id = ?1 AND e.id LIKE substr(?1, 1, 24) || '000000000%'`,
      )
      .bind(id),
  ]);
}

const outboxIds = async () =>
  (await database.rows<{ id: string }>("SELECT id FROM outbox ORDER BY id")).map(({ id }) => id);

describe("one claim", () => {
  it("takes rows of at most 300 emails, in the order given, and always the first row", async () => {
    const now = Date.now();
    const { ctx } = recordingContext({}, () => now);
    const rows = await batchRows(10, now);
    const { results } = await claimStatements(ctx, rows.toReversed(), newLease(ctx), {
      addsDue: false,
    }).claim.all<ClaimedRow>();
    expect(results.map(({ id }) => id).sort()).toEqual(["batch-7", "batch-8", "batch-9"]);
    await database.run("UPDATE outbox SET ref = ?1", [JSON.stringify(Array(900).fill(1))]);
    const { results: large } = await claimStatements(ctx, rows.slice(0, 2), newLease(ctx), {
      addsDue: false,
    }).claim.all<ClaimedRow>();
    expect(large.map(({ id }) => id)).toEqual(["batch-0"]);
  });
});

describe("one run", () => {
  it("claims again until every row is processed", async () => {
    const now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    await deliver(ctx, await batchRows(9, now), countingEgress().egress);
    expect(await outboxIds()).toEqual([]);
    expect(woken).toEqual([]);
  });

  it("ends after 1,000 emails and sends messages for the other rows", async () => {
    const now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    await deliver(ctx, await batchRows(15, now), countingEgress().egress);
    expect(woken.map(({ id }) => id)).toEqual(["batch-12", "batch-13", "batch-14"]);
    expect(await outboxIds()).toEqual(["batch-12", "batch-13", "batch-14"]);
  });

  it("starts no email beyond its limit of R2 reads, and releases the others untried", async () => {
    let now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    const attachments = ["a", "b", "c"].map((name) => ({ filename: name, content_base64: btoa(name) }));
    for (let n = 0; n < 12; n++) await acceptEmail(ctx, workspace, { attachments });
    const { egress, counts } = countingEgress();
    await deliver(ctx, woken.splice(0), { ...egress, connections: 1 }, { ...newRunLimits(), objectReads: 20 });
    // Seven reads for each email: its document, and two for each attachment.
    expect(counts.sent).toBe(3);
    const results = await database.rows<WakeUp & { claims: number; token: string | null }>(
      "SELECT due_at AS dueAt, id, kind, claims, token FROM outbox",
    );
    expect(results.map(({ claims, token }) => [claims, token])).toEqual(Array(9).fill([0, null]));
    now += 1;
    await deliver(ctx, results, egress);
    expect(counts.sent).toBe(12);
  });

  it("starts no email beyond its work, by the bytes that it composes and what Liquid counts, and releases the others untried", async () => {
    let now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    for (let n = 0; n < 12; n++) await acceptEmail(ctx, workspace, { html: "<p>1</p>".repeat(25_000) });
    const { egress, counts } = countingEgress();
    // About 250,000 for each email: 200,000 bytes, and its signatures.
    const limits = { ...newRunLimits(), work: 700_000 };
    await deliver(ctx, woken.splice(0), { ...egress, connections: 1 }, limits);
    expect(counts.sent).toBe(3);
    expect(limits.work).toBeLessThanOrEqual(0);
    const results = await database.rows<WakeUp & { claims: number }>(
      "SELECT due_at AS dueAt, id, kind, claims FROM outbox",
    );
    expect(results.map(({ claims }) => claims)).toEqual(Array(9).fill(0));
    expect(woken.map(({ id }) => id).sort()).toEqual(results.map(({ id }) => id).sort());
    now += 1;
    await deliver(ctx, results, egress);
    expect(counts.sent).toBe(12);
  });

  it("counts each D1 statement of a batch, and ends before its limit: before 800", async () => {
    const now = Date.now();
    const { bindings, trips } = countingDb();
    const { ctx, woken } = recordingContext(bindings, () => now);
    const first = await acceptEmail(ctx, workspace);
    await copyEmail(first, 600);
    const rows = await database.rows<WakeUp>("SELECT due_at AS dueAt, id, kind FROM outbox");
    trips.length = 0;
    woken.length = 0;
    const { egress, counts } = countingEgress();
    await deliver(ctx, rows, egress, { ...newRunLimits(), statements: 250 });
    const statements = trips.reduce((sum, trip) => sum + trip.statements.length, 0);
    expect(statements).toBeGreaterThan(150);
    expect(statements).toBeLessThanOrEqual(250);
    expect(newRunLimits().statements).toBeLessThan(800);
    expect(counts.sent).toBeGreaterThan(100);
    // The emails beyond the limit are released untried, and queue messages name them.
    const left = await database.prepare("SELECT id, claims, token FROM outbox").all<{ id: string }>();
    expect(left.results).toHaveLength(600 - counts.sent);
    expect(left.results.filter((row) => !("claims" in row) || row.claims !== 0)).toEqual([]);
    expect(new Set(woken.map(({ id }) => id))).toEqual(new Set(left.results.map(({ id }) => id)));
  });

  it("records no outcome that preflight decided beyond its limit of D1 statements", async () => {
    const now = Date.now();
    const { bindings, trips } = countingDb();
    const { ctx } = recordingContext(bindings, () => now);
    await copyEmail(await acceptEmail(ctx, workspace), 600);
    await database.run("UPDATE domains SET status = 'failed' WHERE workspace = ?1", [workspace.workspaceNumber]);
    const rows = await database.rows<WakeUp>("SELECT due_at AS dueAt, id, kind FROM outbox");
    trips.length = 0;
    await deliver(ctx, rows, countingEgress().egress, { ...newRunLimits(), statements: 100 });
    expect(trips.reduce((sum, trip) => sum + trip.statements.length, 0)).toBeLessThanOrEqual(100);
  });

  it("has at most 6 MB of content in flight, whatever the number of connections", async () => {
    const now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    const html = "<p>1</p>".repeat(250_000);
    for (let n = 0; n < 6; n++) await acceptEmail(ctx, workspace, { html });
    const { egress, counts } = countingEgress();
    await deliver(ctx, woken, egress);
    expect(counts.sent).toBe(6);
    expect(counts.most).toBeLessThanOrEqual(2);
  });
});

describe("a byte budget", () => {
  it("grants in order, counts a request beyond the total as the total, and never more than the total", async () => {
    const budget = new ByteBudget(10);
    const granted: string[] = [];
    const request = (name: string, bytes: number) => budget.acquire(bytes).then(() => granted.push(name));
    const requests = [request("a", 4), request("b", 5), request("c", 100), request("d", 1)];
    await Promise.all(requests.slice(0, 2));
    expect(granted).toEqual(["a", "b"]);
    budget.free(4);
    await Promise.resolve();
    expect(granted).toEqual(["a", "b"]);
    budget.free(5);
    await requests[2];
    expect(granted).toEqual(["a", "b", "c"]);
    budget.free(100);
    await requests[3];
    expect(granted).toEqual(["a", "b", "c", "d"]);
  });
});

describe("one run of purges", () => {
  it("ends after its limit of steps and leaves the other rows", async () => {
    const now = Date.now();
    const { ctx } = recordingContext({}, () => now);
    const rows = ["p1", "p2", "p3"].map((id): WakeUp => ({ dueAt: now, id, kind: "purge" }));
    for (const { id } of rows) {
      await env.CONTENT.put(`test-purge/${id}/object`, "x");
      await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'purge', ?3)", [
        now,
        id,
        JSON.stringify({ objects: `test-purge/${id}/` }),
      ]);
    }
    await purge(ctx, rows, 2);
    expect(await outboxIds()).toEqual(["p3"]);
    expect((await env.CONTENT.list({ prefix: "test-purge/" })).objects).toHaveLength(1);
    await purge(ctx, rows, 2);
    expect(await outboxIds()).toEqual([]);
  });

  it("deletes every key of a list longer than one R2 call takes", async () => {
    const now = Date.now();
    const { ctx } = recordingContext({}, () => now);
    const missing = Array.from({ length: 1_000 }, (_, n) => `test-keys/${n}`);
    await env.CONTENT.put("test-keys/last", "x");
    await database.run("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, 'k', 'purge', ?2)", [
      now,
      JSON.stringify({ keys: [...missing, "test-keys/last"] }),
    ]);
    await purge(ctx, [{ dueAt: now, id: "k", kind: "purge" }]);
    expect(await env.CONTENT.head("test-keys/last")).toBeNull();
  });
});

describe("dead letters", () => {
  it("of 100 messages of 100 KB are all recorded", async () => {
    const { ctx } = recordingContext();
    const body = JSON.stringify({ type: "unknown", text: "é".repeat(50_000) });
    const letters = Array.from({ length: 100 }, () => ({ id: crypto.randomUUID(), body }));
    await recordDeadLetters(ctx, "work-dead", letters);
    const results = await database.rows("SELECT count(*) AS n FROM dead_letters WHERE length(body) > 50000");
    expect(results).toEqual([{ n: 100 }]);
  });
});
