import { beforeEach, expect, it } from "vitest";
import { aContactList, broadcastsOf } from "../../audience/broadcasts/support.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, withFailingCall } from "../../support/databases.ts";
import { eventNamesOf, eventsOf, recordEvents, stopEvents } from "../../support/person-events.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aMail, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";
import { aDeliveredMail, aHit, consume as consumeAll, SENT_AT } from "../tracking/support.ts";

const workspace = perTest(aWorkspace);
const consume = (hits: readonly unknown[], bindings = {}) => consumeAll(hits, { WORK: discardingQueue, ...bindings });

beforeEach(async () => {
  await recordEvents(workspace);
});

/** Sends an email to these local parts of the simulator, and delivers it. Returns its id. */
async function send(...localParts: string[]): Promise<string> {
  const [to, ...cc] = localParts.map((local) => ({ email: `${local}@simulator.test` }));
  const body = aMail(workspace, { to: [to], ...(cc.length > 0 ? { cc } : {}) });
  const response = await workspace.withoutQueue.post("/v1/emails/", body);
  expect(response.status).toBe(202);
  const { id } = await response.json<{ id: string }>();
  await runOutboxAt(Date.now(), { WORK: discardingQueue });
  return id;
}

it("a delivery and a hard bounce are events of their recipients, and a deferral is none", async () => {
  const id = await send("delivered+Ada", "bounced+grace", "deferred+x");
  const data = { email_id: id, broadcast_id: null };
  expect((await eventsOf(workspace)).map(({ name, email, data: found }) => [name, email, found])).toEqual([
    ["email.delivered", "delivered+ada@simulator.test", data],
    ["email.bounced", "bounced+grace@simulator.test", data],
  ]);
});

it("the first open and the first click of a person are events, and no other of them", async () => {
  const id = await aDeliveredMail(workspace, "ada@one.example");
  const at = SENT_AT + 3_600_000;
  await consume([aHit(workspace, id, { ua: "curl/8" }), aHit(workspace, id, { kind: "click", ua: "" })]);
  expect(await eventsOf(workspace)).toEqual([]);
  await consume([aHit(workspace, id), aHit(workspace, id, { at: at + 100_000 })]);
  await consume([aHit(workspace, id, { at: at + 200_000 }), aHit(workspace, id, { kind: "click", at: at + 300_000 })]);
  await consume([aHit(workspace, id, { kind: "click", at: at + 400_000, url: "https://shop.example/b" })]);
  expect((await eventsOf(workspace)).map(({ name, email, data }) => [name, email, data])).toEqual([
    ["email.opened", "ada@one.example", { email_id: id, broadcast_id: null }],
    ["email.clicked", "ada@one.example", { email_id: id, broadcast_id: null, url: "https://shop.example/" }],
  ]);
});

it("clicks of a scanner are no events, as they are not counted", async () => {
  const id = await aDeliveredMail(workspace, "ada@one.example");
  const click = (path: string, at: number) =>
    aHit(workspace, id, { kind: "click", url: `https://shop.example/${path}`, at: SENT_AT + at });
  await consume([click("a", 0), click("b", 500), click("c", 1_000)]);
  expect(await eventsOf(workspace)).toEqual([]);
});

it("a hit that does not tell which of several recipients it is by is no event", async () => {
  const id = await aDeliveredMail(workspace, "ada@one.example", "grace@one.example");
  await consume([aHit(workspace, id, { recipient: null })]);
  expect(await eventsOf(workspace)).toEqual([]);
  await consume([aHit(workspace, id, { recipient: 1, at: SENT_AT + 9_000_000 })]);
  expect(await eventNamesOf(workspace)).toEqual(["email.opened grace@one.example"]);
  const single = await aDeliveredMail(workspace, "joan@one.example");
  await consume([aHit(workspace, single, { recipient: null })]);
  expect((await eventNamesOf(workspace)).slice(1)).toEqual(["email.opened joan@one.example"]);
});

it("an email of a broadcast names it", async () => {
  const { create, act } = broadcastsOf(workspace);
  const list = await aContactList(workspace, 2);
  const { id } = await create({ contact_list_id: list });
  expect((await act(id, "send")).status).toBeLessThan(300);
  await runOutboxAt(Date.now(), { WORK: discardingQueue }, ["broadcast", "bulk"]);
  const events = await eventsOf(workspace);
  expect(events.map(({ name, data }) => [name, data.broadcast_id])).toEqual([
    ["email.delivered", id],
    ["email.delivered", id],
  ]);
});

it("a workspace without an automation makes the same D1 calls and writes no row of an event", async () => {
  const trips = async () => {
    const id = await aDeliveredMail(workspace, "ada@one.example");
    const counted = countingDb();
    await consume([aHit(workspace, id), aHit(workspace, id, { kind: "click" })], counted.bindings);
    return { calls: counted.trips.length, rows: counted.trips.at(-1)?.rowsWritten ?? 0 };
  };
  await trips();
  const recorded = await trips();
  await stopEvents(workspace);
  const silent = await trips();
  expect(silent.calls).toBe(recorded.calls);
  // Two events with two index entries each, the number of the last one, and two rows that the automations read.
  expect(recorded.rows - silent.rows).toBe(9);
});

it("an open and its event are both there or both not, whichever D1 call fails, and a retry adds none twice", async () => {
  for (const moment of ["before", "after"] as const) {
    for (let failing = 0; ; failing++) {
      const email = `c${failing}-${moment}@one.example`;
      const id = await aDeliveredMail(workspace, email);
      const hit = aHit(workspace, id);
      const { bindings, hit: failed } = withFailingCall({ failing, moment });
      await consume([hit], bindings).catch(() => {});
      const stored = async () => (await eventsOf(workspace)).filter((event) => event.email === email).length;
      const opened = await database.value("SELECT opened_count FROM emails WHERE id = ?1", [id]);
      expect(await stored(), `call ${failing} failed ${moment}`).toBe(opened);
      await consume([hit]);
      expect(await stored(), `call ${failing} failed ${moment}`).toBe(1);
      if (failed() === null) break;
    }
  }
});
