import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { retentionSteps } from "../../../src/operations/retention/index.ts";
import { daysToRollUp, rollupCutoff } from "../../../src/operations/retention/rules.ts";
import { firstIdAt } from "../../../src/platform/audit/rules.ts";
import { r2Keys } from "../../../src/platform/db/r2-keys.ts";
import { requireOpenStatement } from "../../../src/platform/db/shard-workspaces.ts";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { runRetention, runToEnd } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aMail, aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const DAY = 24 * 3_600_000;
const tenant = perTest(aWorkspace);

const keep = (now: number, days = "30") => runRetention(testContext({ RETENTION_DAYS: days }, () => now));

async function send(changes: Record<string, unknown> = {}): Promise<string> {
  return (await tenant.withoutQueue.create("/v1/emails/", aMail(tenant, changes))).id;
}

/** Sends an email whose content is in R2. */
const sendLong = () => send({ text: "x".repeat(20_000) });

/** Sets the status and the age in days of emails. */
async function age(ids: string[], days: number, now: number): Promise<void> {
  await run(
    "UPDATE emails SET status = 'delivered', due_at = NULL, created_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
    JSON.stringify(ids),
    now - days * DAY,
  );
  await run("DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?1))", JSON.stringify(ids));
}

const status = async (id: string) => (await tenant.get(`/v1/emails/${id}`)).status;

describe("the last retries to an address", () => {
  it("are deleted with the emails of that age, and newer ones are kept", async () => {
    const now = Date.now();
    const retryAt = (days: number) => `${firstIdAt(now - days * DAY)}-7000-8000-000000000000`;
    for (const [email, days] of [
      ["old@one.test", 31],
      ["young@one.test", 29],
    ] as const)
      await run(
        "INSERT INTO retried_addresses (workspace, email, newest) VALUES (?1, ?2, ?3)",
        tenant.workspaceNumber,
        email,
        retryAt(days),
      );
    await keep(now);
    const results = await database.rows("SELECT email FROM retried_addresses WHERE workspace = ?1", [
      tenant.workspaceNumber,
    ]);
    expect(results).toEqual([{ email: "young@one.test" }]);
  });
});

describe("emails older than RETENTION_DAYS", () => {
  it("are deleted with their index entries and, through the outbox, their content; newer and unfinished ones are kept", async () => {
    const now = Date.now();
    const [old, young, waiting] = [await sendLong(), await sendLong(), await send()];
    await indexEmails(testContext());
    await age([old], 31, now);
    await age([young], 29, now);
    await run("UPDATE emails SET created_at = ?2 WHERE id = ?1", waiting, now - 40 * DAY);
    await keep(now);
    expect(await Promise.all([old, young, waiting].map(status))).toEqual([404, 200, 200]);
    const key = (id: string) => r2Keys.email(tenant.workspaceId, id);
    await runOutboxAt(now + 600_000, {}, ["purge"]);
    expect(await env.CONTENT.head(key(old))).toBeNull();
    expect(await env.CONTENT.head(key(young))).not.toBeNull();
    expect(await (await tenant.get("/v1/emails/search?q=subject")).json()).toHaveLength(2);
  });

  // The row of a settled email has the key without the prefix of its workspace.
  it.each(["batches/one", "packs/0/z/one"])(
    "an R2 object shared as %s is kept until its last email is deleted",
    async (stored) => {
      const now = Date.now();
      const ids = [await send(), await send()];
      const shared = `w/${tenant.workspaceId}/${stored}`;
      await env.CONTENT.put(shared, "content");
      for (const [index, key] of [stored, shared].entries()) {
        await run("UPDATE emails SET content_key = ?2 WHERE id = ?1", ids[index], key);
      }
      await age(ids.slice(0, 1), 31, now);
      await age(ids.slice(1), 29, now);
      await keep(now);
      await runOutboxAt(now + 600_000, {}, ["purge"]);
      expect(await env.CONTENT.head(shared)).not.toBeNull();
      await keep(now + 3 * DAY);
      await runOutboxAt(now + 3 * DAY + 600_000, {}, ["purge"]);
      expect(await env.CONTENT.head(shared)).toBeNull();
    },
  );

  it("concurrent and interrupted runs delete each email once and leave no R2 object behind", async () => {
    const now = Date.now();
    const ids = await Promise.all(Array.from({ length: 12 }, sendLong));
    await age(ids, 31, now);
    await Promise.all([keep(now), keep(now), keep(now)]);
    await runOutboxAt(now + 600_000, {}, ["purge"]);
    expect(new Set(await Promise.all(ids.map(status)))).toEqual(new Set([404]));
    expect((await env.CONTENT.list({ prefix: r2Keys.workspace(tenant.workspaceId) })).objects).toEqual([]);
  });

  it("a new email that reuses a deleted n is found by search", async () => {
    const now = Date.now();
    await run("UPDATE emails SET status = 'delivered', created_at = 1, scheduled_at = NULL");
    await indexEmails(testContext());
    await keep(now);
    await tenant.withoutQueue.post("/v1/emails/", aMail(tenant, { subject: "needle" }));
    const found = async () => (await tenant.get("/v1/emails/search?q=needle")).json<unknown[]>();
    expect(await found()).toHaveLength(1);
    await indexEmails(testContext());
    expect(await found()).toHaveLength(1);
  });

  it("the age of a scheduled email counts from its send time", async () => {
    const now = Date.now();
    const id = await send();
    await age([id], 40, now);
    await run("UPDATE emails SET scheduled_at = ?2 WHERE id = ?1", id, now - DAY);
    await keep(now);
    expect(await status(id)).toBe(200);
  });

  it("events are kept for 90 days, and deleted in the order in which they came", async () => {
    const now = Date.now();
    const ages = [100, 91, 89, 1];
    for (const days of ages)
      await run(
        "INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at) VALUES (?1, ?2, 'a@b.example', 'x', '{}', 0, ?3)",
        tenant.workspaceNumber,
        `age-${days}`,
        now - days * DAY,
      );
    await keep(now);
    const results = await database.rows("SELECT id FROM events WHERE workspace = ?1 ORDER BY n", [
      tenant.workspaceNumber,
    ]);
    expect(results).toEqual([{ id: "age-89" }, { id: "age-1" }]);
  });

  it("a statement deletes 8 MB of rows at most, and one at least", async () => {
    const now = Date.now();
    await run(
      `INSERT INTO webhook_deliveries (id, workspace, endpoint, email, event_type, payload, status, created_at)
         SELECT 'wide-' || value, ?1, 'none', 'none', 'email.sent', hex(zeroblob(950000)), 'delivered', ?2 FROM json_each(?3)`,
      tenant.workspaceNumber,
      now - 100 * DAY,
      JSON.stringify([1, 2, 3, 4, 5, 6]),
    );
    const { bindings, trips } = countingDb();
    await runRetention(testContext({ ...bindings, RETENTION_DAYS: "30" }, () => now));
    expect(
      await database.rows("SELECT 1 FROM webhook_deliveries WHERE workspace = ?1", [tenant.workspaceNumber]),
    ).toEqual([]);
    const deletions = trips.filter(({ statements: [one] }) => one?.sql.startsWith("DELETE FROM webhook_deliveries"));
    expect(deletions).toHaveLength(3);
  });

  it("the rows of a workspace with many keep none of another", async () => {
    const now = Date.now();
    const first = 5_000_000;
    const others = Array.from({ length: 300 }, (_, n) => first + 1 + n);
    await run(
      "INSERT INTO shard_workspaces (number, id, status) SELECT value, 'turn-' || value, 'open' FROM json_each(?1)",
      JSON.stringify([first, ...others]),
    );
    await run(
      "INSERT INTO changes (workspace, at_us, emails) SELECT ?1, value, '[]' FROM json_each(?2)",
      first,
      JSON.stringify(Array.from({ length: 5_000 }, (_, n) => n + 1)),
    );
    await run(
      "INSERT INTO changes (workspace, at_us, emails) SELECT value, 1, '[]' FROM json_each(?1)",
      JSON.stringify(others),
    );
    const steps = retentionSteps(testContext({ RETENTION_DAYS: "30" }, () => now));
    const countOf = (condition: string) =>
      database.value<number>(`SELECT count(*) FROM changes WHERE ${condition} AND at_us <= 5000`);
    while ((await countOf(`workspace > ${first}`)) === 300) await steps.next();
    expect(await countOf(`workspace = ${first}`)).toBeGreaterThan(0);
    await runToEnd(steps);
    expect(await countOf(`workspace >= ${first}`)).toBe(0);
  });

  it("old change rows are deleted, new ones are kept", async () => {
    const now = Date.now();
    await send();
    await run(
      "INSERT INTO changes (workspace, at_us, emails) VALUES (?1, ?2, '[1]')",
      tenant.workspaceNumber,
      (now - 31 * DAY) * 1000,
    );
    await keep(now);
    const results = await database.rows("SELECT at_us FROM changes WHERE workspace = ?1", [tenant.workspaceNumber]);
    expect(results).toHaveLength(1);
  });
});

describe("roll-ups", () => {
  beforeEach(async () => {
    await requireOpenStatement(testContext(), { number: tenant.workspaceNumber, id: tenant.workspaceId }).run();
  });

  const hourly = (hour: number, sent: number, domain = "") =>
    run(
      "INSERT INTO rollups_hourly (workspace, hour, domain, sent, opens, emails_sent) VALUES (?1, ?2, ?3, ?4, 1, 2)",
      tenant.workspaceNumber,
      hour,
      domain,
      sent,
    );
  const daily = async () =>
    await database.rows(
      "SELECT day, domain, sent, opens, emails_sent AS emails FROM rollups_daily WHERE workspace = ?1 ORDER BY day, domain",
      [tenant.workspaceNumber],
    );

  it("a finished day is summed by domain, and repeated runs change nothing", async () => {
    await run("DELETE FROM rollups_progress");
    const today = Math.floor(Date.now() / DAY);
    for (const hour of [0, 5, 23]) await hourly((today - 2) * 24 + hour, 10);
    await hourly((today - 2) * 24 + 5, 7, "example.org");
    await hourly((today - 1) * 24, 3);
    await hourly(today * 24, 100);
    await keep(Date.now());
    await keep(Date.now());
    const expected = [
      { day: today - 2, domain: "", sent: 30, opens: 3, emails: 6 },
      { day: today - 2, domain: "example.org", sent: 7, opens: 1, emails: 2 },
      { day: today - 1, domain: "", sent: 3, opens: 1, emails: 2 },
    ];
    expect(await daily()).toEqual(expected);
    await keep(Date.now() + DAY);
    expect(await daily()).toEqual([...expected, { day: today, domain: "", sent: 100, opens: 1, emails: 2 }]);
  });

  it("are kept at least 91 days, even with a shorter RETENTION_DAYS", async () => {
    const today = Math.floor(Date.now() / DAY);
    await hourly((today - 90) * 24, 1);
    await hourly((today - 93) * 24, 1);
    await keep(Date.now(), "1");
    const results = await database.rows("SELECT hour FROM rollups_hourly WHERE workspace = ?1", [
      tenant.workspaceNumber,
    ]);
    expect(results).toEqual([{ hour: (today - 90) * 24 }]);
    expect(rollupCutoff(100 * DAY, 1)).toEqual({ hour: 9 * 24, day: 9 });
    expect(rollupCutoff(1000 * DAY, 365)).toEqual({ hour: 909 * 24, day: 635 });
  });

  it("the last day to roll up is yesterday", () => {
    expect(daysToRollUp(5, 8 * DAY + 1)).toEqual([6, 7]);
    expect(daysToRollUp(7, 8 * DAY)).toEqual([]);
    expect(daysToRollUp(9, 8 * DAY)).toEqual([]);
  });
});
