/** Turns of workspaces in the engine: the events and runs of one keep none of another waiting. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { enterRuns } from "../../../src/audience/automations/engine/enter.ts";
import { claimEngine } from "../../../src/audience/automations/engine/lease.ts";
import { movePage } from "../../../src/audience/automations/engine/move-page.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aWorkspace, perTest, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, runEngine, silent } from "./support.ts";

const [busy, other] = [perTest(aWorkspace), perTest(aWorkspace)];
const waiting = { steps: [{ kind: "wait", for: { days: 1 } }], entry: { mode: "every" } };
const day = 86_400_000;

beforeEach(async () => {
  await aList(busy, [{ email: "p@busy.example" }]);
  await aList(other, [{ email: "p@other.example" }]);
});

// The engine is shared: what is left would keep later tests waiting.
afterEach(async () => {
  await database.run("DELETE FROM unread_events");
  await database.run("UPDATE automation_runs SET due_at = NULL");
});

/** Inserts events of the person of the busy workspace. */
const flood = ({ workspaceNumber }: TestWorkspace, count: number) =>
  mail
    .prepare(
      `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2)
       INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
       SELECT ?1, '019aa7c0-4a00-7b3d-8f21-' || printf('%012x', i), 'p@busy.example', 'signed_up', '{}', ?3, ?3 FROM c`,
    )
    .bind(workspaceNumber, count, Date.now())
    .run();

/** Does one page of the engine with its lease, and ends that. Returns the rows that it has read. */
async function onePage(page: typeof enterRuns | typeof movePage, now = Date.now()): Promise<number> {
  let rows = 0;
  const binding = watchDatabase(env[MAIL_BINDING], async (_, __, run) => {
    const results = await run();
    for (const { meta } of results) rows += meta.rows_read;
    return results;
  });
  const ctx = testContext({ ...silent, [MAIL_BINDING]: binding }, () => now);
  const lease = await claimEngine(ctx);
  if (lease === null) throw new Error("the engine is taken");
  await page(ctx, lease, { size: 200, start: 0.5 });
  await database.run("UPDATE automation_engine SET token = NULL, until = 0");
  return rows;
}

it("after 50,000 events of a tenant the event of another begins its run in the next page", async () => {
  await automationsOf(busy, silent).start(waiting);
  const theirs = automationsOf(other, silent);
  const { id } = await theirs.start(waiting);
  await flood(busy, 50_000);
  await anEvent(other, "p@other.example");
  await onePage(enterRuns);
  expect(await theirs.runs(id)).toHaveLength(1);
});

it("beside 10,000 due runs of a tenant the run of another moves in the next page", async () => {
  const { id: own } = await automationsOf(busy, silent).start(waiting);
  const theirs = automationsOf(other, silent);
  const { id } = await theirs.start(waiting);
  const now = Date.now();
  await anEvent(busy, "p@busy.example");
  await runEngine(now, silent);
  await database.run(
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000)
     INSERT INTO automation_runs (workspace, id, automation, version, email_key, entry_key, node, due_at, wait_until, entered_event, mark, data, started_at)
     SELECT r.workspace, r.id || i, r.automation, r.version, r.email_key, i, r.node, r.due_at, r.wait_until, r.entered_event, r.mark, '{}', r.started_at
       FROM c CROSS JOIN automation_runs r ON r.automation = (SELECT n FROM automations WHERE id = ?1) AND r.entry_key <> i`,
    [own],
  );
  await anEvent(other, "p@other.example");
  await anEvent(busy, "p@busy.example", { at: now });
  // Those that the person has already are not read.
  expect(await onePage(enterRuns, now + 1_000)).toBeLessThan(200);
  await runEngine(now + 1_000, silent);
  await onePage(movePage, now + 2 * day);
  expect(await theirs.runs(id)).toMatchObject([{ status: "completed" }]);
});

it("an event whose page fails alone waits an hour, and the others begin their runs", async () => {
  const theirs = automationsOf(other, silent);
  const { id } = await theirs.start(waiting);
  const now = Date.now();
  const broken = await anEvent(other, "p@other.example");
  for (let n = 0; n < 5; n++) await anEvent(other, "p@other.example");
  await database.run("UPDATE events SET data = 'broken' WHERE id = ?1", [broken]);
  await runEngine(now, silent);
  expect(await theirs.runs(id)).toHaveLength(5);
  await database.run("UPDATE events SET data = '{}' WHERE id = ?1", [broken]);
  await runEngine(now + day / 2, silent);
  expect(await theirs.runs(id)).toHaveLength(6);
});

it("an event before the first activation, or of an erased person, is not read", async () => {
  await anEvent(other, "p@other.example");
  const unread = () =>
    database.value("SELECT count(*) FROM unread_events WHERE workspace = ?1", [other.workspaceNumber]);
  expect(await unread()).toBe(0);
  const { id } = await automationsOf(other, silent).start(waiting);
  const event = await anEvent(other, "p@other.example");
  expect(await unread()).toBe(1);
  await database.run("DELETE FROM events WHERE id = ?1", [event]);
  expect(await unread()).toBe(0);
  await runEngine(Date.now(), silent);
  expect(await automationsOf(other, silent).runs(id)).toHaveLength(0);
});
