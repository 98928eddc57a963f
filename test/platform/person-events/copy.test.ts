/** Events of a workspace with two mail databases: emails are in the newer one, events are read in the first. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { createContext, type MailCtx } from "../../../src/platform/context.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { sweep, type WakeUp } from "../../../src/platform/outbox/index.ts";
import { recordEmailEventsStatements, recordEventsOf } from "../../../src/platform/person-events/index.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { broadcastsOf } from "../../audience/broadcasts/support.ts";
import { countingDb, planOf, rowsRead } from "../../support/counting-db.ts";
import { FILE_SHARD, mail, withFailingCall } from "../../support/databases.ts";
import { eventNamesOf, eventsOf } from "../../support/person-events.ts";
import {
  aMail,
  aWorkspace,
  createApiWithoutQueue,
  discardingQueue,
  type TestWorkspace,
} from "../../support/workspace.ts";

const NEWER = 1 - FILE_SHARD;
const newer = NEWER === 0 ? env.MAIL_0 : env.MAIL_1;

let workspace: TestWorkspace;

/** Gives the workspace another mail database for new mail, as a rollover does. */
const rollOver = () =>
  env.DB.prepare("UPDATE workspaces SET mail_shards = ?2 WHERE number = ?1")
    .bind(workspace.workspaceNumber, JSON.stringify([NEWER, FILE_SHARD]))
    .run();

beforeEach(async () => {
  workspace = await aWorkspace();
  await newer.prepare("DELETE FROM outbox").run();
});

/** Returns the context of the newer database, at `now`, which records wake-ups. */
function onNewer(bindings: object = {}, now = Date.now()): MailCtx & { woken: WakeUp[] } {
  const woken: WakeUp[] = [];
  const wake = async (rows: readonly WakeUp[]) => woken.push(...rows) > 0;
  const ctx = createContext({ ...env, WORK: discardingQueue, ...bindings } as unknown as Env, "test", () => now);
  return { ...onShard(ctx, NEWER), wake, woken };
}

/** Runs the due rows of the newer database of these kinds, as the sweep finds them. */
async function runNewer(kind: WakeUp["kind"], bindings: object = {}, now = Date.now()): Promise<void> {
  const ctx = onNewer(bindings, now);
  const due = () => ctx.woken.splice(0).filter((row) => row.kind === kind && row.dueAt <= now);
  await sweep(ctx);
  for (let rows = due(); rows.length > 0; rows = due()) await runOutboxRows(ctx, rows);
}

const rowsOfNewer = async () =>
  (await newer.prepare("SELECT name, copying FROM events WHERE workspace = ?1").bind(workspace.workspaceNumber).all())
    .results;
const flagsOfNewer = () =>
  newer
    .prepare("SELECT people FROM shard_workspaces WHERE number = ?1")
    .bind(workspace.workspaceNumber)
    .first("people");
const flags = { number: 0, id: "" };

async function send(): Promise<void> {
  const to = [{ email: "delivered+ada@simulator.test" }];
  expect((await createApiWithoutQueue(workspace.apiKey).post("/v1/emails/", aMail(workspace, { to }))).status).toBe(
    202,
  );
  await runNewer("deliver");
}

const setFlags = () =>
  recordEventsOf(onNewer(), { ...flags, number: workspace.workspaceNumber, id: workspace.workspaceId });

it("an event of an email in the newer database reaches the first one, and the newer one keeps none", async () => {
  await rollOver();
  await setFlags();
  await send();
  expect(await rowsOfNewer()).toEqual([{ name: "email.delivered", copying: 4 }]);
  expect(await eventsOf(workspace)).toEqual([]);
  await runNewer("events");
  expect(await rowsOfNewer()).toEqual([]);
  expect(await eventNamesOf(workspace)).toEqual(["email.delivered delivered+ada@simulator.test"]);
  expect(await newer.prepare("SELECT count(*) AS n FROM outbox WHERE kind = 'events'").first("n")).toBe(0);
});

it("the first email in a database that a workspace gets later has its events, without a call before it", async () => {
  await setFlags();
  await rollOver();
  await send();
  expect(await flagsOfNewer()).toBe(15);
  await runNewer("events");
  expect(await flagsOfNewer()).toBe(6);
  expect(await eventNamesOf(workspace)).toEqual(["email.delivered delivered+ada@simulator.test"]);
});

it("a workspace without an automation stops recording in a later database after its first events, which are deleted", async () => {
  await rollOver();
  await send();
  expect(await flagsOfNewer()).toBe(15);
  await runNewer("events");
  expect([await flagsOfNewer(), await rowsOfNewer(), await eventsOf(workspace)]).toEqual([4, [], []]);
  await send();
  expect(await rowsOfNewer()).toEqual([]);
});

it("an automation that is activated while the newer database reads the flags keeps its events", async () => {
  await rollOver();
  await send();
  await setFlags();
  expect(await flagsOfNewer()).toBe(7);
  await runNewer("events");
  expect(await flagsOfNewer()).toBe(6);
  expect(await eventsOf(workspace)).toHaveLength(1);
});

it("a page of the copy reads the events that are copied, and none of other workspaces", async () => {
  await rollOver();
  await setFlags();
  const other = await aWorkspace({ mailShard: NEWER });
  const { bindings, trips } = countingDb();
  await newer
    .prepare(
      `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
       INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at) SELECT ?1, 'id' || i, 'a@b.example', 'x', '{}', 1, 1 FROM c`,
    )
    .bind(other.workspaceNumber)
    .run();
  await record(150);
  await runNewer("events", bindings);
  const reads = trips.flatMap(({ statements }) => statements.filter(({ sql }) => /SELECT n, workspace, id/.test(sql)));
  expect(reads).toHaveLength(3);
  for (const statement of reads) expect((await planOf(statement)).join()).toContain("USING INDEX events_to_copy");
  await record(150);
  expect(reads[0] && (await rowsRead(reads[0]))).toBeLessThanOrEqual(200);
});

it("events of a person whose erasure runs are deleted, not copied", async () => {
  await rollOver();
  await setFlags();
  const [, ...others] = await record(3);
  expect((await workspace.call("DELETE", "/v1/people/C0@example.org")).status).toBe(202);
  await runNewer("events");
  expect([await eventNamesOf(workspace), await rowsOfNewer()]).toEqual([others, []]);
});

it("events stay in a database that has become the first of the workspace", async () => {
  await rollOver();
  await setFlags();
  const names = await record(3);
  await env.DB.prepare("UPDATE workspaces SET mail_shards = ?2 WHERE number = ?1")
    .bind(workspace.workspaceNumber, JSON.stringify([NEWER]))
    .run();
  await runNewer("events");
  expect(await flagsOfNewer()).toBe(2);
  expect(await rowsOfNewer()).toEqual(names.map(() => ({ name: "email.opened", copying: null })));
  expect(await newer.prepare("SELECT count(*) AS n FROM outbox WHERE kind = 'events'").first("n")).toBe(0);
});

it("events of a deleted workspace are deleted", async () => {
  await rollOver();
  await send();
  await env.DB.prepare("UPDATE workspaces SET mail_shards = '[]' WHERE number = ?1")
    .bind(workspace.workspaceNumber)
    .run();
  await runNewer("events");
  expect([await rowsOfNewer(), await eventsOf(workspace)]).toEqual([[], []]);
});

/** Stores `count` events in the newer database, in order. */
async function record(count: number): Promise<string[]> {
  const ctx = onNewer();
  const events = Array.from({ length: count }, (_, index) => {
    const at = { workspace: workspace.workspaceNumber, emailId: ctx.newId(), broadcast: null, recipient: 0, at: index };
    return { ...at, name: "email.opened" as const, emailKey: `c${index}@example.org` };
  });
  await ctx.outbox.batch(recordEmailEventsStatements(ctx, events));
  return events.map(({ emailKey }) => `email.opened ${emailKey}`);
}

it("an event of an email of a broadcast names it in the first database, and none when the broadcast was deleted", async () => {
  const { id } = await broadcastsOf(workspace).create();
  const n = await mail.prepare("SELECT n FROM broadcasts WHERE id = ?1").bind(id).first<number>("n");
  await rollOver();
  await setFlags();
  const ctx = onNewer();
  const of = (broadcast: number | null, emailKey: string) => ({
    ...{ workspace: workspace.workspaceNumber, emailId: ctx.newId(), recipient: 0, at: 1 },
    ...{ broadcast, emailKey, name: "email.clicked" as const, url: "https://shop.example/" },
  });
  const events = [of(n, "a@b.example"), of((n ?? 0) + 1_000, "b@b.example"), of(null, "c@b.example")];
  await ctx.outbox.batch(recordEmailEventsStatements(ctx, events));
  await runNewer("events");
  expect((await eventsOf(workspace)).map(({ email, data }) => [email, data.broadcast_id, data.url])).toEqual([
    ["a@b.example", id, "https://shop.example/"],
    ["b@b.example", null, "https://shop.example/"],
    ["c@b.example", null, "https://shop.example/"],
  ]);
});

it("every event is copied once and in order, whichever D1 call of the copy fails, before or after its work", async () => {
  await rollOver();
  await setFlags();
  const expected: string[] = [];
  for (const moment of ["before", "after"] as const) {
    for (let failing = 0; ; failing++) {
      expected.push(...(await record(250)));
      let now = Date.now();
      const { bindings, hit } = withFailingCall({ failing, moment });
      await runNewer("events", bindings, now).catch(() => {});
      // An event that comes while the copy is dead has the same outbox row.
      expected.push(...(await record(1)));
      const isHit = hit() !== null;
      // After the end of the lease.
      now += 130_000;
      await runNewer("events", {}, now);
      expect(await rowsOfNewer(), `call ${failing} failed ${moment}`).toEqual([]);
      expect(await eventNamesOf(workspace), `call ${failing} failed ${moment}`).toEqual(expected);
      if (!isHit) break;
    }
  }
});

it("an event that comes after the last page was read is copied by the same row", async () => {
  await rollOver();
  await setFlags();
  const expected = await record(1);
  // The row is finished by a statement of its own: another event is stored right before it, once.
  const finishing = {
    batch: (statements: D1PreparedStatement[]) => newer.batch(statements),
    prepare(sql: string) {
      const prepared = newer.prepare(sql);
      if (!sql.includes("DELETE FROM outbox") || expected.length > 1) return prepared;
      const run = async (bound: D1PreparedStatement) => {
        expected.push(...(await record(1)));
        return bound.run();
      };
      return { bind: (...values: unknown[]) => ({ run: () => run(prepared.bind(...values)) }) };
    },
  };
  await runNewer("events", { [`MAIL_${NEWER}`]: finishing });
  expect(expected).toHaveLength(2);
  expect([await eventNamesOf(workspace), await rowsOfNewer()]).toEqual([expected, []]);
});
