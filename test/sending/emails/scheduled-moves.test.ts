/** Scheduled emails that are moved often, whose events fill their row (D1: 2,000,000 bytes). */
import { beforeEach, expect, it } from "vitest";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { isoIn as at, eventTypes, readEmail, scheduleEmail } from "../../support/emails.ts";
import { emptyOutbox } from "../../support/outbox.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
beforeEach(async () => {
  await emptyOutbox();
});

const move = (id: string) => api.call("PATCH", `/v1/emails/scheduled/${id}`, { send_at: at(HOUR) });

const bytesOf = async (id: string) =>
  (await database.row<{ bytes: number }>("SELECT octet_length(events) AS bytes FROM emails WHERE id = ?1", [id]))
    ?.bytes ?? 0;

/** Gives an email the events of many moves, as an earlier version accepted them, up to these bytes. */
async function movedOften(bytes: number): Promise<string> {
  const id = await scheduleEmail(api, workspace, HOUR);
  expect((await move(id)).status).toBe(200);
  await database
    .prepare(
      `UPDATE emails SET events = (
         SELECT json_group_array(json(e.value)) FROM json_each(events) e CROSS JOIN json_each(?2) j)
        WHERE id = ?1`,
    )
    .bind(id, JSON.stringify(Array.from({ length: Math.floor(bytes / (await bytesOf(id))) }, () => 0)))
    .run();
  return id;
}
it("a scheduled email is moved 100 times at most, and can still be cancelled or sent", async () => {
  const [cancelled, sent] = [await scheduleEmail(api, workspace, HOUR), await scheduleEmail(api, workspace, HOUR)];
  for (let n = 0; n < 100; n++) expect((await move(cancelled)).status).toBe(200);
  await database.run("UPDATE emails SET events = (SELECT events FROM emails WHERE id = ?1) WHERE id = ?2", [
    cancelled,
    sent,
  ]);
  const refused = await move(cancelled);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ detail: "This email was rescheduled 100 times; the limit is 100" });
  expect(await eventTypes(workspace, cancelled)).toHaveLength(101);
  expect((await api.call("DELETE", `/v1/emails/scheduled/${cancelled}`)).status).toBe(200);
  expect((await move(cancelled)).status).toBe(404);
  expect((await api.call("POST", `/v1/emails/scheduled/${sent}/send-now`)).status).toBe(200);
});

for (const bytes of [1_990_000, 1_800_000])
  it(`an email with ${bytes} bytes of events leaves once, and keeps no other`, async () => {
    const id = await movedOften(bytes);
    expect(await bytesOf(id)).toBeGreaterThan(bytes - 20_000);
    const other = await aWorkspace();
    const egress = await sinkServer();
    const now = Date.now() + HOUR + 1_000;
    const otherId = await acceptEmail(recordingContext({}, () => now).ctx, other, { subject: "Another" });
    for (const run of [0, 1, 2]) await runOutboxAt(now + run * 130_000, { EGRESS_URL: egress.url }, ["deliver"]);
    expect((await readEmail(other, otherId)).status).toBe("delivered");
    const { status, events } = await readEmail(workspace, id);
    expect(status).toBe("delivered");
    expect(events.map(({ event_type }) => event_type)).toEqual(["scheduled", "queued", "delivered"]);
    expect(await egress.messages()).toHaveLength(2);
  });

it("an email with too many events is released by its cancellation and by sending it now", async () => {
  const [cancelled, sent] = [await movedOften(1_990_000), await movedOften(1_990_000)];
  expect((await move(sent)).status).toBe(409);
  expect((await api.call("DELETE", `/v1/emails/scheduled/${cancelled}`)).status).toBe(200);
  expect((await api.call("POST", `/v1/emails/scheduled/${sent}/send-now`)).status).toBe(200);
  expect(await eventTypes(workspace, cancelled)).toEqual(["scheduled", "cancelled"]);
  expect(await eventTypes(workspace, sent)).toEqual(["scheduled", "queued"]);
});

it("outcomes are written also when the events of a queued email fill its row", async () => {
  const id = await movedOften(1_990_000);
  await database.run("UPDATE emails SET status = 'queued' WHERE id = ?1", [id]);
  const egress = await sinkServer();
  await runOutboxAt(Date.now() + HOUR + 1_000, { EGRESS_URL: egress.url }, ["deliver"]);
  expect((await readEmail(workspace, id)).status).toBe("delivered");
  expect(await egress.messages()).toHaveLength(1);
  expect(await bytesOf(id)).toBeLessThanOrEqual(600_000);
});
