import { expect, it } from "vitest";
import { keepActivityStatement } from "../../../src/platform/db/shard-workspaces.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run, sendingFrom } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aDeliveredMail, aHit, consume, SENT_AT } from "./support.ts";

const HOUR = 3_600_000;
const PERSON = "friend@one.example";

const keepActivity = ({ workspaceNumber: number, workspaceId: id }: TestWorkspace) =>
  keepActivityStatement(testContext(), { number, id }).run();

const activityOf = async ({ workspaceNumber }: TestWorkspace) =>
  await database.rows(
    "SELECT email_key, received_at, opened_at, clicked_at, broadcasts FROM person_activity WHERE workspace = ?1 ORDER BY email_key",
    [workspaceNumber],
  );

const row = (changes: object) => ({
  email_key: PERSON,
  received_at: null,
  opened_at: null,
  clicked_at: null,
  broadcasts: "{}",
  ...changes,
});

/** Consumes hits. Returns the D1 calls, the statements and the rows that they wrote. */
async function counted(...hits: ReturnType<typeof aHit>[]) {
  const { bindings, trips } = countingDb();
  await consume(hits, bindings);
  return { calls: trips.length, rows: trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0) };
}

it("a workspace without segments and automations writes no row and makes no call more", async () => {
  const workspace = await aWorkspace();
  const ids = [await aDeliveredMail(workspace), await aDeliveredMail(workspace), await aDeliveredMail(workspace)];
  // The first hit of the hour inserts the rows of the roll-ups, which the others update.
  await consume([aHit(workspace, ids[2] ?? "")]);
  const without = await counted(aHit(workspace, ids[0] ?? ""));
  expect(await activityOf(workspace)).toEqual([]);
  await keepActivity(workspace);
  const kept = await counted(aHit(workspace, ids[1] ?? ""));
  expect(kept).toEqual({ calls: without.calls, rows: without.rows + 1 });
  expect(await activityOf(workspace)).toEqual([row({ opened_at: SENT_AT + HOUR })]);
});

it("an open and a click of a person are kept at most once an hour each, whatever their order", async () => {
  const workspace = await aWorkspace();
  await keepActivity(workspace);
  const id = await aDeliveredMail(workspace);
  const at = (ms: number, kind: "open" | "click" = "open") => aHit(workspace, id, { kind, at: SENT_AT + ms });
  await consume([at(HOUR), at(HOUR + 120_000)]);
  const first = row({ opened_at: SENT_AT + HOUR + 120_000 });
  expect(await activityOf(workspace)).toEqual([first]);
  // As many rows as without activity: the email, its change row, its roll-ups.
  const plain = (await counted(at(2 * HOUR))).rows;
  expect((await counted(at(HOUR + 300_000))).rows).toBe(plain);
  expect(await activityOf(workspace)).toEqual([first]);
  expect((await counted(at(3 * HOUR))).rows).toBe(plain + 1);
  await consume([at(4 * HOUR + 60_000, "click"), at(4 * HOUR)]);
  expect(await activityOf(workspace)).toEqual([
    row({ opened_at: SENT_AT + 4 * HOUR, clicked_at: SENT_AT + 4 * HOUR + 60_000 }),
  ]);
});

it("hits of machines are no activity, and a client that turns out to be a scanner loses it", async () => {
  const workspace = await aWorkspace();
  await keepActivity(workspace);
  const id = await aDeliveredMail(workspace);
  await run("UPDATE emails SET broadcast = 7 WHERE id = ?1", id);
  const click = (n: number, at: number) => aHit(workspace, id, { kind: "click", at, url: `https://shop.example/${n}` });
  await consume([aHit(workspace, id, { ua: "" }), aHit(workspace, id, { purpose: "prefetch" })]);
  expect(await activityOf(workspace)).toEqual([]);
  await consume([click(1, SENT_AT + HOUR)]);
  expect(await activityOf(workspace)).toEqual([row({ clicked_at: SENT_AT + HOUR, broadcasts: '{"c7":1}' })]);
  await consume([click(2, SENT_AT + HOUR + 1_000), click(3, SENT_AT + HOUR + 2_000)]);
  expect(await activityOf(workspace)).toEqual([row({})]);
});

it("a row keeps the marks of the newest broadcasts only", async () => {
  const workspace = await aWorkspace();
  await keepActivity(workspace);
  const marks = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`r${n + 1}`, 1]));
  await run(
    "INSERT INTO person_activity (workspace, email_key, received_at, broadcasts) VALUES (?1, ?2, 1, ?3)",
    ...[workspace.workspaceNumber, PERSON, JSON.stringify(marks)],
  );
  const id = await aDeliveredMail(workspace);
  await run("UPDATE emails SET broadcast = 500 WHERE id = ?1", id);
  await consume([aHit(workspace, id)]);
  const [{ broadcasts } = { broadcasts: "{}" }] = (await activityOf(workspace)) as { broadcasts: string }[];
  const kept = Object.keys(JSON.parse(broadcasts) as object);
  expect(kept).toHaveLength(150);
  expect(kept).toEqual(expect.arrayContaining(["o500", "r400", "r252"]));
  expect(kept).not.toContain("r251");
});

it("each recipient of a delivered email has received it, at the time of the delivery", async () => {
  const workspace = await aWorkspace();
  await keepActivity(workspace);
  const to = ["delivered+a@simulator.test", "bounced+b@simulator.test"];
  const sent = await sendingFrom(workspace).send({ to: to.map((email) => ({ email })) });
  expect(sent.status).toBe(202);
  await runOutboxAt(Date.now() + 1_000);
  expect(await activityOf(workspace)).toEqual([
    { email_key: to[0], received_at: expect.any(Number), opened_at: null, clicked_at: null, broadcasts: "{}" },
  ]);
});
