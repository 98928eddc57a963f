/** The streams of several egresses in one run share its connections, and none holds up the mail of another for long. */
import { beforeEach, expect, it } from "vitest";
import type { WakeUp } from "../../../src/platform/context.ts";
import { DeliveryRun, deliverRows, egressOf, newRunLimits } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { readEmail } from "../../support/emails.ts";
import { assignEgress, namedEgresses } from "../../support/named-egresses.ts";
import { type SmtpServerHandle, scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, recordingContext, type TestWorkspace, until } from "../../support/workspace.ts";

const NAMES = ["a", "b", "c", "d"] as const;

beforeEach(async () => {
  await database.run("DELETE FROM outbox");
});

/** Accepts `count` emails of a workspace that leaves by the egress with a name, null: that of EGRESS_URL. Returns it with their ids. */
async function mailsBy(name: string | null, count: number): Promise<{ workspace: TestWorkspace; ids: string[] }> {
  const workspace = await aWorkspace();
  await assignEgress(workspace, { domain: name });
  const { ctx } = recordingContext();
  const ids: string[] = [];
  for (let n = 0; n < count; n++)
    ids.push(await acceptEmail(ctx, workspace, { to: [{ email: `${name}${n}@one.test` }] }));
  return { workspace, ids };
}

/** Delivers all rows in one run. `waitMs`: how long an egress waits for a connection. */
async function runAll(settings: Record<string, unknown>, waitMs?: number) {
  const { ctx, woken } = recordingContext(settings);
  const results = await database.rows<WakeUp>("SELECT due_at AS dueAt, id, kind FROM outbox WHERE token IS NULL");
  const options = waitMs === undefined ? {} : { connectionWaitMs: waitMs };
  const run = new DeliveryRun(ctx, egressOf(ctx.settings), newRunLimits(), options);
  await deliverRows(ctx, results, run).finally(() => run.end());
  return woken;
}

const statusesOf = async ({ workspace, ids }: Awaited<ReturnType<typeof mailsBy>>) =>
  Promise.all(ids.map(async (id) => (await readEmail(workspace, id)).status));

/** Returns the connections that a server had at most at once, each until the Worker ended it, and how many it had. */
async function connectionsOf(server: SmtpServerHandle): Promise<{ most: number; all: number }> {
  const open = new Set<number>();
  let [most, all] = [0, 0];
  for (const { connection, event, text } of await server.transcript()) {
    if (event === "open") {
      open.add(connection);
      all += 1;
    }
    if (event === "close" || text === "QUIT") open.delete(connection);
    most = Math.max(most, open.size);
  }
  return { most, all };
}

it("five streams of a run have four connections at once, and all of their mail leaves", async () => {
  const sink = await sinkServer({ latencyMs: 2 });
  const groups = [await mailsBy(null, 25)];
  for (const name of NAMES) groups.push(await mailsBy(name, 25));
  const urls = Object.fromEntries(NAMES.map((name) => [name, `${sink.url}&ehlo=${name}.test`]));
  await runAll({ EGRESS_URL: sink.url, NAMED_EGRESS_URLS: namedEgresses(urls) });
  for (const group of groups) expect(new Set(await statusesOf(group))).toEqual(new Set(["delivered"]));
  expect(await sink.messages()).toHaveLength(125);
  const { most, all } = await connectionsOf(sink);
  expect(most).toBe(4);
  expect(all).toBeGreaterThanOrEqual(5);
});

it("a run with one egress has all four connections", async () => {
  const sink = await sinkServer({ latencyMs: 2 });
  await mailsBy(null, 40);
  await runAll({ EGRESS_URL: sink.url });
  expect(await connectionsOf(sink)).toEqual({ most: 4, all: 4 });
});

it("an egress that does not respond holds up no mail of three others", async () => {
  const silent = await scriptedServer({ greeting: { silent: true } });
  const sink = await sinkServer();
  const stuck = await mailsBy(null, 10);
  const groups = [await mailsBy("a", 10), await mailsBy("b", 10), await mailsBy("c", 10)];
  const urls = { a: sink.url, b: `${sink.url}&ehlo=b.test`, c: `${sink.url}&ehlo=c.test` };
  const running = runAll({ EGRESS_URL: silent.url, NAMED_EGRESS_URLS: namedEgresses(urls) });
  for (const group of groups)
    await until(
      () => statusesOf(group),
      (statuses) => statuses.every((status) => status === "delivered"),
      5_000,
    );
  expect(await statusesOf(stuck)).not.toContain("delivered");
  await silent.close();
  await running;
  expect((await readEmail(stuck.workspace, stuck.ids[0] ?? "")).events.at(-1)).toMatchObject({
    event_type: "deferred",
  });
});

it("mail of a fifth egress goes to another run, without an event, while four do not respond", async () => {
  const silent = await Promise.all(NAMES.map(() => scriptedServer({ greeting: { silent: true } })));
  const sink = await sinkServer();
  for (const name of NAMES) await mailsBy(name, 1);
  const own = await mailsBy(null, 3);
  const urls = Object.fromEntries(NAMES.map((name, at) => [name, silent[at]?.url ?? ""]));
  const settings = { EGRESS_URL: sink.url, NAMED_EGRESS_URLS: namedEgresses(urls) };
  // The rows of the named ones are older, so they have the connections first.
  const running = runAll(settings, 200);
  const isFree = "SELECT count(*) AS n FROM outbox WHERE token IS NULL";
  await until(
    () => database.prepare(isFree).first("n"),
    (n) => n === 3,
  );
  expect(await sink.messages()).toEqual([]);
  await runAll(settings);
  expect(new Set(await statusesOf(own))).toEqual(new Set(["delivered"]));
  const { events } = await readEmail(own.workspace, own.ids[0] ?? "");
  expect(events.map(({ event_type }) => event_type)).not.toContain("deferred");
  await Promise.all(silent.map((server) => server.close()));
  expect((await running).map(({ id }) => id).toSorted()).toEqual(own.ids.toSorted());
});
