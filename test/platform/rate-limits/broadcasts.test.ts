import { expect, it } from "vitest";
import { aContactList, broadcastsOf, emailsOf } from "../../audience/broadcasts/support.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

const workspace = perTest(aWorkspace);

const limitTo = (limit: number | null) =>
  database.run("UPDATE workspaces SET daily_limit = ?2 WHERE id = ?1", [workspace.workspaceId, limit]);
const notices = async () => {
  const results = await database.rows<{ title: string; body: string }>(
    "SELECT title, body FROM notifications WHERE user_id = ?1",
    [workspace.userId],
  );
  return results;
};
/** 09:00 UTC of a later day, so that what this file accepted before does not count. */
const aMorning = (days: number) => (Math.floor(Date.now() / DAY) + days) * DAY + 9 * HOUR;

it("a broadcast sends what the limit leaves, waits with one notice, and mails every contact once over the days", async () => {
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1_200) });
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  await limitTo(500);
  const morning = aMorning(1);
  const run = (at: number) => runOutboxAt(at, {}, ["broadcast"]);
  await acceptEmail(recordingContext({}, () => morning).ctx, workspace);
  await run(morning);
  expect(await emailsOf(id)).toHaveLength(499);
  // The next look is an hour later, and the count of the day stands until midnight.
  for (const hours of [0.9, 1.1, 2.2, 14.9]) await run(morning + hours * HOUR);
  expect(await emailsOf(id)).toHaveLength(499);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sending", queued_count: 499 });
  expect(await notices()).toEqual([
    {
      title: "A broadcast waits, since the daily limit of emails is reached",
      body: expect.stringContaining(
        "The limit of this workspace is 500 emails a day, of which 500 were accepted today",
      ),
    },
  ]);
  await run(morning + 15 * HOUR);
  expect(await emailsOf(id)).toHaveLength(999);
  await run(morning + DAY + 15 * HOUR);
  const addresses = (await emailsOf(id)).map(({ email }) => email);
  expect([addresses.length, new Set(addresses).size]).toEqual([1_200, 1_200]);
  expect(await notices()).toHaveLength(2);
});

it("a higher limit ends the wait within the hour, and other sends that day count too", async () => {
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 30) });
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  await limitTo(10);
  const morning = aMorning(5);
  await runOutboxAt(morning, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(10);
  await limitTo(30);
  await acceptEmail(recordingContext({}, () => morning).ctx, workspace);
  await runOutboxAt(morning + HOUR, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(29);
  await limitTo(0);
  await runOutboxAt(morning + 2 * HOUR, {}, ["broadcast"]);
  expect(await emailsOf(id)).toHaveLength(30);
});

it("counts per day of UTC", async () => {
  await limitTo(1);
  const midnight = aMorning(8) - 9 * HOUR;
  const acceptAt = (at: number) => acceptEmail(recordingContext({}, () => at).ctx, workspace);
  await acceptAt(midnight - 1);
  await expect(acceptAt(midnight - 1)).rejects.toMatchObject({ status: 429 });
  await acceptAt(midnight);
  await expect(acceptAt(midnight)).rejects.toMatchObject({ status: 429 });
  const row = await database.row("SELECT day, day_emails FROM shard_workspaces WHERE number = ?1", [
    workspace.workspaceNumber,
  ]);
  expect(row).toEqual({ day: midnight / DAY, day_emails: 1 });
});
