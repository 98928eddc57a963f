import { beforeEach, expect, it } from "vitest";
import { readMailStart } from "../../../src/operations/backups/read-page.ts";
import { type RepairCursor, repairMail } from "../../../src/operations/backups/repair.ts";
import { type BackupStore, findStore } from "../../../src/operations/backups/stores.ts";
import { aContactList, broadcastsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

/** A backup reads the counts of broadcasts before the emails, and both change meanwhile. */

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));
let store: BackupStore;

beforeEach(async () => {
  const found = findStore(testContext(), `mail-${FILE_SHARD}`);
  if (!found) throw new Error("the file has a mail database");
  store = found;
});

/** Starts a broadcast with two variants to 20 contacts. Returns its id. */
async function started(prefix: string): Promise<string> {
  const list = await aContactList(workspace, 20, { prefix });
  const { id } = await broadcasts.create({ contact_list_id: list });
  for (const label of ["A", "B"]) await broadcasts.addVariant(id, label);
  expect((await broadcasts.act(id, "send")).status).toBe(200);
  return id;
}

async function repair(start: Awaited<ReturnType<typeof readMailStart>>) {
  let cursor: RepairCursor | null = { step: 0, after: 0 };
  while (cursor) cursor = await repairMail(store, start, cursor);
}

/** Sets the counts of broadcasts to what a backup may have read before the outcomes. */
const loseOutcomes = () =>
  database.run(
    "UPDATE broadcast_counts SET attempted = 0, delivered = 0, bounced = 0, opened = 7, clicked = 7, unsubscribed = 7, complained = 7",
  );

const read = async (id: string) => [await broadcasts.read(id), await broadcasts.variants(id)];

it("a restored broadcast has the counts of its emails, whether it had ended or was being sent", async () => {
  const [delivered, bounced] = [await started("delivered"), await started("bounced")];
  await runBroadcasts();
  const before = [await read(delivered), await read(bounced)];
  expect(before.flat()).toMatchObject([{ delivered_count: 20 }, {}, { bounced_count: 20 }, {}]);
  await database.run("UPDATE broadcasts SET status = 'sending' WHERE id = ?1", [bounced]);
  const start = await readMailStart(store);
  await database.run("UPDATE broadcasts SET status = 'sent' WHERE id = ?1", [bounced]);
  await loseOutcomes();
  await repair(start);
  await database.run("UPDATE broadcasts SET status = 'sent' WHERE id = ?1", [bounced]);
  expect([await read(delivered), await read(bounced)]).toEqual(before);
});

it("a restored broadcast counts the emails by which people unsubscribed", async () => {
  await started("delivered");
  await runBroadcasts();
  const event = '{"id":"00000000-0000-7000-8000-000000000000","type":"unsubscribed","at":1}';
  await database.run(
    `UPDATE emails SET events = json_insert(events, '$[#]', json(?1)) WHERE n = (SELECT max(n) FROM emails WHERE workspace = ?2)`,
    [event, workspace.workspaceNumber],
  );
  await loseOutcomes();
  await repair(await readMailStart(store));
  const counted = "SELECT sum(unsubscribed) FROM broadcast_counts WHERE workspace = ?1";
  expect(await database.value<number>(counted, [workspace.workspaceNumber])).toBe(1);
});

it("a broadcast whose emails were made after the backup began has none, and counts them once when it goes on", async () => {
  const id = await started("delivered");
  const start = await readMailStart(store);
  await runBroadcasts();
  await database.run("DELETE FROM emails WHERE broadcast IS NOT NULL AND n > ?1", [start.lastN]);
  await repair(start);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sending", queued_count: 0, delivered_count: 0 });
});

it("the counts of an ended broadcast stay when retention has deleted some of its emails", async () => {
  const id = await started("delivered");
  await runBroadcasts();
  const before = await read(id);
  await database.run("DELETE FROM emails WHERE n = (SELECT max(n) FROM emails WHERE broadcast IS NOT NULL)");
  await repair(await readMailStart(store));
  const [broadcast, variants] = await read(id);
  expect(broadcast).toMatchObject({ queued_count: 20 });
  expect([broadcast, variants]).toEqual(before);
});
