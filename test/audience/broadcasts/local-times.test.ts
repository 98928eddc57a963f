import { describe, expect, it } from "vitest";
import { localTimes, startOf } from "../../../src/audience/broadcasts/local-times.ts";
import { countingDb } from "../../support/counting-db.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { type FailureInjection, failingDatabase, seeded } from "../../support/failures.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { erase } from "../people/support.ts";
import { aListWith } from "../segments/support.ts";
import { broadcastsOf, emailsOf, suppress } from "./support.ts";

/** A broadcast that each contact gets at the same time of day by its own clock (docs/contract/broadcasts.md#local-time). */

const HOUR = 3_600_000;
/** 9:00 in Berlin on the day when its clocks go forward. */
const NINE = "2027-03-28T07:00:00.000Z";
const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

describe("the time of a contact", () => {
  it.each([
    ["in winter", "2027-03-27T08:00:00Z", "Europe/Berlin", "America/New_York", "2027-03-27T13:00:00Z"],
    [
      "on the day when clocks go forward",
      "2027-03-28T07:00:00Z",
      "Europe/Berlin",
      "Asia/Tokyo",
      "2027-03-28T00:00:00Z",
    ],
    ["after clocks went forward elsewhere", "2027-03-28T07:00:00Z", "Europe/Berlin", "UTC", "2027-03-28T09:00:00Z"],
    ["that its clock leaves out", "2027-03-28T02:30:00Z", "UTC", "Europe/Berlin", "2027-03-28T01:30:00Z"],
    ["that its clock shows twice", "2026-10-25T02:30:00Z", "UTC", "Europe/Berlin", "2026-10-25T00:30:00Z"],
    ["before its clock goes back", "2026-10-25T08:00:00Z", "Europe/Berlin", "Asia/Kolkata", "2026-10-25T03:30:00Z"],
    ["that New York leaves out", "2027-03-14T02:30:00Z", "UTC", "America/New_York", "2027-03-14T07:30:00Z"],
    ["that New York shows twice", "2026-11-01T01:30:00Z", "UTC", "America/New_York", "2026-11-01T05:30:00Z"],
    ["with seconds", "2027-01-01T08:00:07.250Z", "Europe/Berlin", "UTC", "2027-01-01T09:00:07.250Z"],
    ["without a zone", "2027-01-01T08:00:00Z", "Europe/Berlin", undefined, "2027-01-01T08:00:00Z"],
    ["with a zone that is none", "2027-01-01T08:00:00Z", "Europe/Berlin", "Mars/Olympus", "2027-01-01T08:00:00Z"],
    ["with a zone that is no text", "2027-01-01T08:00:00Z", "Europe/Berlin", 7, "2027-01-01T08:00:00Z"],
    [
      "at the second of two, for the zone of the workspace",
      "2026-10-25T01:30:00Z",
      "Europe/Berlin",
      "Europe/Berlin",
      "2026-10-25T01:30:00Z",
    ],
  ])("%s", (_name, at, zone, own, expected) => {
    const timeOf = localTimes({ scheduled_at: Date.parse(at), local_time_field: "zone" }, zone, 0);
    const contact = { metadata: own === undefined ? null : JSON.stringify({ " zone ": own }) };
    expect(new Date(timeOf(contact)).toISOString()).toBe(new Date(expected).toISOString());
  });

  it("is now when its time is over", () => {
    expect(localTimes({ scheduled_at: 1_000, local_time_field: "zone" }, "UTC", 2_000)({ metadata: null })).toBe(2_000);
  });

  it("is never before the start", () => {
    const scheduled = { scheduled_at: Date.parse(NINE), local_time_field: "zone" };
    const timeOf = localTimes(scheduled, "Europe/Berlin", 0);
    const times = Intl.supportedValuesOf("timeZone").map((zone) => timeOf({ metadata: JSON.stringify({ zone }) }));
    const start = startOf(scheduled, "Europe/Berlin") ?? 0;
    expect(new Date(start).toISOString()).toBe("2027-03-27T19:00:00.000Z");
    expect(Math.min(...times)).toBe(start);
    expect(Math.max(...times)).toBeLessThanOrEqual(start + 26 * HOUR);
  });
});

const at = (time: string) => Date.parse(`2027-03-${time}:00Z`);
const people = (zones: Record<string, string | null>) =>
  Object.entries(zones).map(([name, zone]) => {
    return { email: `delivered+${name}@simulator.test`, metadata: zone === null ? {} : { zone } };
  });

/** Schedules a broadcast for 9:00 in Berlin on the day when its clocks go forward. Returns its id. */
async function schedule(zones: Record<string, string | null>, changes: Record<string, unknown> = {}): Promise<string> {
  const patched = await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, {
    settings: { time_zone: "Europe/Berlin" },
  });
  expect(patched.status, await patched.clone().text()).toBe(200);
  const contact_list_id = await aListWith(workspace, people(zones));
  const made = await broadcasts.create({ contact_list_id, scheduled_at: NINE, local_time_field: "zone", ...changes });
  expect(made).toMatchObject({ status: "scheduled", scheduled_at: NINE });
  return made.id;
}

const runAt = (time: number) => runOutboxAt(time, {}, ["broadcast", "bulk", "deliver"]);

/** Returns who has the broadcast, by name. */
const delivered = async (id: string) => namesOf(id, "delivered");
const namesOf = async (id: string, status: string) =>
  (await emailsOf(id))
    .filter((email) => email.status === status)
    .map(({ email }) => /\+(.*)@/.exec(email)?.[1])
    .sort();

const WORLD = {
  ...{
    kiribati: "Pacific/Kiritimati",
    tokyo: "Asia/Tokyo",
    berlin: "Europe/Berlin",
    none: null,
    wrong: "Mars/Olympus",
  },
  ...{ london: "Europe/London", newyork: "America/New_York", honolulu: "Pacific/Honolulu" },
};

it("each contact gets it when its clock shows the time, and those without a zone by that of the workspace", async () => {
  const id = await schedule(WORLD);
  await runAt(at("27T18:59"));
  expect(await broadcasts.read(id)).toMatchObject({ status: "scheduled", recipient_count: 0 });
  const after = async (time: string) => {
    await runAt(at(time));
    return delivered(id);
  };
  expect(await after("27T19:00")).toEqual(["kiribati"]);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sending", queued_count: 8, sent_at: null });
  expect(await after("27T23:59")).toHaveLength(1);
  expect(await after("28T00:00")).toEqual(["kiribati", "tokyo"]);
  expect(await after("28T06:59")).toHaveLength(2);
  expect(await after("28T07:00")).toEqual(["berlin", "kiribati", "none", "tokyo", "wrong"]);
  expect(await after("28T08:00")).toContain("london");
  expect(await after("28T12:59")).not.toContain("newyork");
  expect(await after("28T13:00")).toContain("newyork");
  expect(await after("28T18:59")).toHaveLength(7);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sending", sent_at: null });
  expect(await after("28T19:00")).toHaveLength(8);
  await runAt(at("28T19:01"));
  expect(await broadcasts.read(id)).toMatchObject({
    status: "sent",
    sent_at: expect.stringMatching(/^2027-03-28T19:0/),
  });
  const [email] = await emailsOf(id);
  const source = await (await workspace.get(`/v1/emails/${email?.id}/source`)).text();
  expect(source).toMatch(/^Date: Sat, 27 Mar 2027 19:00:00 \+0000/m);
  const last = (await emailsOf(id)).find((one) => one.email.includes("honolulu"));
  expect(await (await workspace.get(`/v1/emails/${last?.id}/source`)).text()).toMatch(
    /^Date: Sun, 28 Mar 2027 19:00:00/m,
  );
});

it("contacts whose time is over when it begins get it at once", async () => {
  const id = await schedule(WORLD);
  await runAt(at("28T07:30"));
  expect(await delivered(id)).toEqual(["berlin", "kiribati", "none", "tokyo", "wrong"]);
});

it("a change of the time or of the field moves the start", async () => {
  const id = await schedule(WORLD);
  const patch = (body: unknown) => broadcasts.api.call("PATCH", broadcasts.path(id), body);
  expect((await patch({ local_time_field: null })).status).toBe(200);
  await runAt(at("28T06:59"));
  expect((await broadcasts.read(id)).status).toBe("scheduled");
  expect((await patch({ local_time_field: "zone", scheduled_at: "2027-03-29T07:00:00Z" })).status).toBe(200);
  await runAt(at("28T18:59"));
  expect((await broadcasts.read(id)).status).toBe("scheduled");
  await runAt(at("28T19:00"));
  expect(await delivered(id)).toEqual(["kiribati"]);
  expect((await patch({ local_time_field: null })).status).toBe(409);
});

it.each(["", " and a deletion"])("a cancellation%s cancels those who wait at once", async (deletion) => {
  const id = await schedule(WORLD);
  await runAt(at("28T00:00"));
  expect((await broadcasts.act(id, "cancel")).status).toBe(200);
  if (deletion !== "") expect((await broadcasts.api.call("DELETE", broadcasts.path(id))).status).toBe(204);
  await runAt(at("28T00:01"));
  const figures = { status: "cancelled", delivered_count: 2, cancelled_count: 6 };
  if (deletion === "") expect(await broadcasts.read(id)).toMatchObject(figures);
  const states = "SELECT json_group_array(DISTINCT status) AS states FROM emails WHERE workspace = ?1";
  const found = await database.value<string>(states, [workspace.workspaceNumber]);
  expect(JSON.parse(found ?? "[]")).toEqual(["delivered", "cancelled"]);
  expect(
    await database.value("SELECT count(*) AS n FROM outbox WHERE workspace = ?1", [workspace.workspaceNumber]),
  ).toBe(0);
});

it("a pause keeps the emails whose time comes until it ends", async () => {
  const id = await schedule(WORLD);
  await runAt(at("27T19:00"));
  await broadcasts.act(id, "pause");
  await runAt(at("28T07:00"));
  expect(await delivered(id)).toEqual(["kiribati"]);
  await broadcasts.act(id, "resume");
  await runAt(at("28T07:01"));
  expect(await delivered(id)).toEqual(["berlin", "kiribati", "none", "tokyo", "wrong"]);
});

it("whoever is suppressed, deleted or erased while they wait gets none", async () => {
  const id = await schedule(WORLD);
  await runAt(at("27T19:00"));
  await suppress(workspace, ["delivered+tokyo@simulator.test"], "unsubscribe");
  const { contact_list_id: list } = await broadcasts.read(id);
  const contact = await database.value<string>(
    "SELECT id FROM contacts WHERE workspace = ?1 AND email LIKE '%berlin%'",
    [workspace.workspaceNumber],
  );
  expect((await workspace.call("DELETE", `/v1/contacts/${list}/contacts/${contact}`)).status).toBe(204);
  await erase(workspace, "delivered+london@simulator.test");
  for (const time of ["28T07:00", "28T19:00", "28T19:01"]) await runAt(at(time));
  expect(await delivered(id)).toEqual(["honolulu", "kiribati", "newyork", "none", "wrong"]);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: 5 });
});

it("max_per_hour holds within the time of a zone", async () => {
  const id = await schedule({ a: "Asia/Tokyo", b: "Asia/Tokyo", c: "Asia/Tokyo" }, { max_per_hour: 60 });
  const counts: number[] = [];
  for (const minute of ["00", "01", "02", "03"]) {
    await runAt(at(`28T00:${minute}`) + 500);
    counts.push((await delivered(id)).length);
  }
  expect(counts).toEqual([1, 2, 3, 3]);
});

it("a sampled test, and a send without a time, are refused with 422", async () => {
  const id = await schedule({ a: "Asia/Tokyo" });
  const sample = await broadcasts.api.call("PATCH", broadcasts.path(id), { ab_test_pct: 10 });
  expect(sample.status).toBe(422);
  expect(await sample.json()).toMatchObject({ detail: [{ loc: ["body", "local_time_field"] }] });
  expect((await broadcasts.act(id, "send")).status).toBe(422);
  const body = { name: "N", subject: "S", from_address: workspace.mailbox, local_time_field: "zone", ab_test_pct: 10 };
  expect((await broadcasts.api.post(broadcasts.path(), body)).status).toBe(422);
  expect((await broadcasts.api.post(broadcasts.path(), { ...body, local_time_field: "" })).status).toBe(422);
});

it("kills while its emails are made leave everybody with one email, at their time", async () => {
  const zones = ["Asia/Tokyo", "Europe/Berlin", "America/New_York", null];
  const count = byExtent({ quick: 1_200, full: 4_000, long: 20_000 });
  const all = Object.fromEntries(Array.from({ length: count }, (_, index) => [index, zones[index % 4] ?? null]));
  const id = await schedule(all);
  const injection: FailureInjection = {
    ...{ random: seeded(20270328), chance: 0.4, count: 0 },
    ...{ bindings: ["database"], moments: ["before", "after"] },
  };
  const killing = { [MAIL_BINDING]: failingDatabase(mail, injection) };
  for (let run = 0; run < 400 && (await broadcasts.read(id)).queued_count < count; run++)
    await runOutboxAt(at("27T19:00") + run * 130_000, killing, ["broadcast"]).catch(() => {});
  expect(injection.count).toBeGreaterThan(2);
  expect(new Set((await emailsOf(id)).map(({ email }) => email)).size).toBe(count);
  const due = await database.rows<{ due_at: number; emails: number }>(
    `SELECT o.due_at, sum(json_array_length(o.ref)) AS emails FROM outbox o JOIN broadcasts b ON b.n = o.broadcast
      WHERE b.id = ?1 GROUP BY o.due_at ORDER BY o.due_at`,
    [id],
  );
  expect(due).toEqual([
    { due_at: at("28T00:00"), emails: count / 4 },
    { due_at: at("28T07:00"), emails: count / 2 },
    { due_at: at("28T13:00"), emails: count / 4 },
  ]);
});

it("a broadcast to 20,000 people in 24 zones writes what another does, and an outbox row for each zone and page", {
  timeout: 600_000,
}, async () => {
  const count = byExtent({ quick: 2_000, full: 20_000, long: 20_000 });
  const names = Intl.supportedValuesOf("timeZone")
    .filter((name) => /^Asia\//.test(name))
    .slice(0, 24);
  const all = Object.fromEntries(Array.from({ length: count }, (_, index) => [index, names[index % 24] ?? null]));
  /** Runs a broadcast to its end. Returns the rows that it wrote, by email. */
  const rowsWritten = async (local_time_field: string | null) => {
    const id = await schedule(all, { local_time_field });
    const { bindings, trips } = countingDb();
    for (const time of ["27T19:00", ...["28T07:00", "28T19:00"].flatMap((one) => [one, one.replace(":00", ":01")])])
      await runOutboxAt(at(time), { [MAIL_BINDING]: bindings[MAIL_BINDING] }, ["broadcast", "bulk"]);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", delivered_count: count });
    return trips.reduce((sum, trip) => sum + (trip.rowsWritten ?? 0), 0) / count;
  };
  const [plain, local] = [await rowsWritten(null), await rowsWritten("zone")];
  const timeOf = localTimes({ scheduled_at: Date.parse(NINE), local_time_field: "zone" }, "Europe/Berlin", 0);
  const times = new Set(names.map((zone) => timeOf({ metadata: JSON.stringify({ zone }) }))).size;
  expect(times).toBeGreaterThan(5);
  // An outbox row is written, claimed and deleted, and so is its index entry.
  expect(local - plain).toBeLessThan((10 * times) / 1_000);
});
