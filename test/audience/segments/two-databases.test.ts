import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { createContext, type MailCtx } from "../../../src/platform/context.ts";
import { onShard } from "../../../src/platform/jobs/shards.ts";
import { sweep, type WakeUp } from "../../../src/platform/outbox/index.ts";
import { recordEventsOf, stopEventsOf } from "../../../src/platform/person-events/index.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { FILE_SHARD, mail } from "../../support/databases.ts";
import {
  aMail,
  aWorkspace,
  createApiWithoutQueue,
  discardingQueue,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";
import { broadcastsOf } from "../broadcasts/support.ts";
import { aListWith, segmentsOf } from "./support.ts";

/** Activity of a workspace whose new mail is in another mail database than its segments. */

const NEWER = 1 - FILE_SHARD;
const newer = NEWER === 0 ? env.MAIL_0 : env.MAIL_1;
const ada = "delivered+ada@simulator.test";
const received = { activity: "received", within_days: 1 };

let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = await aWorkspace();
  await aListWith(workspace, [{ email: ada }, { email: "delivered+grace@simulator.test" }]);
});

/** Gives the workspace another mail database for new mail, as a rollover does. */
const rollOver = () =>
  env.DB.prepare("UPDATE workspaces SET mail_shards = ?2 WHERE number = ?1")
    .bind(workspace.workspaceNumber, JSON.stringify([NEWER, FILE_SHARD]))
    .run();

/** Sends an email and delivers it in the newer database; with `copies`, its events are copied too. */
async function deliver(to: string, { copies = true } = {}): Promise<void> {
  const response = await createApiWithoutQueue(workspace.apiKey).post(
    "/v1/emails/",
    aMail(workspace, { to: [{ email: to }] }),
  );
  expect(response.status).toBe(202);
  const woken: WakeUp[] = [];
  const wake = async (rows: readonly WakeUp[]) => woken.push(...rows) > 0;
  const ctx: MailCtx = {
    ...onShard(
      createContext({ ...env, WORK: discardingQueue } as unknown as Env, "test", () => Date.now() + 1_000),
      NEWER,
    ),
    wake,
  };
  await sweep(ctx);
  for (let rows = woken.splice(0); rows.length > 0; rows = woken.splice(0))
    await runOutboxRows(
      ctx,
      rows.filter(({ kind }) => copies || kind !== "events"),
    );
}

const rowOf = (db: D1Database) =>
  db
    .prepare("SELECT activity_since AS since, people & 1 AS unread FROM shard_workspaces WHERE number = ?1")
    .bind(workspace.workspaceNumber)
    .first<{ since: number | null; unread: number }>();
const activityThere = async () =>
  (
    await newer
      .prepare("SELECT email_key AS email FROM person_activity WHERE workspace = ?1 ORDER BY email_key")
      .bind(workspace.workspaceNumber)
      .all<{ email: string }>()
  ).results.map(({ email }) => email);

it("a segment finds who received mail of a database that the workspace got after it, from the first email on", async () => {
  const { create, addresses } = segmentsOf(workspace);
  const { id } = await create(received);
  await rollOver();
  await deliver(ada, { copies: false });
  expect(await rowOf(newer)).toEqual({ since: null, unread: 1 });
  expect((await addresses(id)).found).toEqual([ada]);
  await deliver("delivered+other@simulator.test");
  const first = await rowOf(mail as unknown as D1Database);
  expect(first?.since).toBeGreaterThan(0);
  expect(await rowOf(newer)).toEqual({ since: first?.since, unread: 0 });
  await deliver("delivered+grace@simulator.test");
  expect((await addresses(id)).found).toEqual([ada, "delivered+grace@simulator.test"]);
});

it("a workspace without a segment keeps nothing there once its database has read that, and keeps it again with one", async () => {
  await rollOver();
  await deliver(ada);
  expect(await rowOf(newer)).toEqual({ since: null, unread: 0 });
  const before = await activityThere();
  await deliver("delivered+grace@simulator.test");
  expect(await activityThere()).toEqual(before);
  const { create, addresses, api } = segmentsOf(workspace);
  const { id } = await create(received);
  await deliver("delivered+grace@simulator.test");
  expect((await addresses(id)).found).toContain("delivered+grace@simulator.test");
  expect((await api.call("DELETE", `/v1/segments/${id}`)).status).toBe(204);
  expect(await rowOf(newer)).toEqual({ since: null, unread: 0 });
});

it.each(["before the first email", "after the first email"])(
  "the start and the end of an automation %s of a database leave what it keeps of activity to the first database",
  async (moment) => {
    const { create, addresses } = segmentsOf(workspace);
    const { id } = await create(received);
    await rollOver();
    if (moment === "after the first email") await deliver("delivered+other@simulator.test", { copies: false });
    const numbers = { number: workspace.workspaceNumber, id: workspace.workspaceId };
    await recordEventsOf(testContext(), numbers);
    await stopEventsOf(testContext(), numbers);
    await deliver(ada);
    expect((await addresses(id)).found).toEqual([ada]);
  },
);

it("a segment that is made while a database has not read whether activity is kept counts since the first database does", async () => {
  const { create, addresses } = segmentsOf(workspace);
  await create(received);
  await rollOver();
  await deliver(ada, { copies: false });
  const first = await rowOf(mail as unknown as D1Database);
  const second = await create({ activity: "received" });
  expect(await rowOf(newer)).toEqual({ since: first?.since, unread: 0 });
  expect((await addresses(second.id)).found).toEqual([ada]);
});

it("an open of a step of an automation is none of a broadcast that has its number in the first database", async () => {
  const { id } = await broadcastsOf(workspace).create();
  const segment = await segmentsOf(workspace).create({ activity: "opened", broadcast_id: id });
  const n = await mail.prepare("SELECT n FROM broadcasts WHERE id = ?1").bind(id).first<number>("n");
  await rollOver();
  const add = (db: D1Database) =>
    db
      .prepare("INSERT INTO person_activity (workspace, email_key, opened_at, broadcasts) VALUES (?1, ?2, 1, ?3)")
      .bind(workspace.workspaceNumber, ada, JSON.stringify({ [`o${n}`]: 1 }))
      .run();
  await add(newer);
  expect((await segmentsOf(workspace).addresses(segment.id)).found).toEqual([]);
  await add(mail as unknown as D1Database);
  expect((await segmentsOf(workspace).addresses(segment.id)).found).toEqual([ada]);
});
