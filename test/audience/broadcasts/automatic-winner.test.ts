/** The service promotes the winner of a sampled test by itself: when, which, and why. */
import { describe, expect, it } from "vitest";
import { chooseWinner } from "../../../src/audience/broadcasts/choose-winner.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

const HOUR = 3_600_000;
const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const variant = (label: string, delivered: number, clicked: number) => ({ id: label, label, delivered, clicked });

describe("the winner", () => {
  it.each([
    ["a clear lead", [variant("A", 1_000, 50), variant("B", 1_000, 120)], 0, "B", "beyond doubt"],
    ["a lead that may be chance", [variant("A", 100, 5), variant("B", 100, 9)], 0, "A", "do not differ enough"],
    [
      "a clear lead below the least difference",
      [variant("A", 1_000, 50), variant("B", 1_000, 120)],
      0.06,
      "A",
      "do not differ",
    ],
    [
      "a clear lead over one of two others",
      [variant("A", 1_000, 50), variant("B", 1_000, 118), variant("C", 1_000, 120)],
      0,
      "A",
      "do not",
    ],
    ["equal rates", [variant("A", 500, 20), variant("B", 500, 20)], 0, "A", "do not differ"],
    ["no clicks", [variant("A", 500, 0), variant("B", 500, 0)], 0, "A", "do not differ"],
    ["a variant without deliveries", [variant("A", 0, 0), variant("B", 900, 200)], 0, "A", "not every variant"],
    ["more clicks than reports of delivery", [variant("A", 1_000, 10), variant("B", 100, 140)], 0, "B", "100.0 %"],
  ])("with %s", (_name, contenders, minLift, winner, reason) => {
    const chosen = chooseWinner(contenders, minLift);
    expect([chosen?.winner.id, chosen?.reason]).toEqual([winner, expect.stringContaining(reason)]);
  });

  it("is none without variants", () => {
    expect(chooseWinner([], 0)).toBeNull();
  });
});

/** Sends the sample of a test of 40 contacts. Returns its id. */
async function aSentSample(changes: Record<string, unknown> = {}): Promise<string> {
  const auto = { metric: "clicks", after_hours: 6 };
  const contact_list_id = await aContactList(workspace, 40);
  const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 50, ab_auto_promote: auto, ...changes });
  for (const label of ["A", "B"]) await broadcasts.addVariant(id, label);
  expect((await broadcasts.act(id, "send")).status).toBe(200);
  await runBroadcasts();
  expect((await broadcasts.read(id)).status).toBe("sent");
  expect(await emailsOf(id)).toHaveLength(20);
  return id;
}

const setClicks = (id: string, label: string, delivered: number, clicked: number) =>
  database.run(
    `UPDATE broadcast_counts SET delivered = ?3, clicked = ?4 WHERE (broadcast, variant) IN (
         SELECT v.broadcast, v.n FROM broadcast_variants v JOIN broadcasts b ON b.n = v.broadcast WHERE b.id = ?1 AND v.label = ?2)`,
    [id, label, delivered, clicked],
  );

const notices = async () => {
  const results = await database.rows<{ title: string; body: string }>(
    "SELECT title, body FROM notifications WHERE workspace = ?1 ORDER BY id",
    [workspace.workspaceNumber],
  );
  return results;
};

describe("a sampled test with ab_auto_promote", () => {
  it("mails the winner to the rest after its hours, not before, and says which and why", async () => {
    const id = await aSentSample();
    await setClicks(id, "A", 1_000, 50);
    await setClicks(id, "B", 1_000, 150);
    await runBroadcasts(Date.now() + 5.8 * HOUR);
    expect(await emailsOf(id)).toHaveLength(20);
    await runBroadcasts(Date.now() + 6.1 * HOUR);
    const [, b] = await broadcasts.variants(id);
    expect(await broadcasts.read(id)).toMatchObject({
      ...{ status: "sent", ab_winner_variant_id: b?.id, queued_count: 40 },
      ab_auto_promote: { metric: "clicks", after_hours: 6, min_lift: 0 },
      ab_promotion_reason: "B has the highest click rate beyond doubt (B 15.0 %, A 5.0 %).",
    });
    expect(await notices()).toContainEqual({
      title: "Newsletter: the rest gets B",
      body: expect.stringContaining("beyond doubt"),
    });
    const subjects = (await emailsOf(id)).filter(({ subject }) => subject === "Subject B");
    expect(subjects).toHaveLength(30);
    await runBroadcasts(Date.now() + 20 * HOUR);
    expect(await emailsOf(id)).toHaveLength(40);
  });

  it("mails the rest once when two runs meet, and keeps the choice of a user who was first", async () => {
    const id = await aSentSample();
    await Promise.all([runBroadcasts(Date.now() + 7 * HOUR, 1), runBroadcasts(Date.now() + 7 * HOUR, 1)]);
    await runBroadcasts(Date.now() + 8 * HOUR);
    const emails = await emailsOf(id);
    expect([emails.length, new Set(emails.map(({ email }) => email)).size]).toEqual([40, 40]);
    const other = await aSentSample();
    const [, b] = await broadcasts.variants(other);
    expect((await broadcasts.api.post(`${broadcasts.path(other)}/promote/${b?.id}`, undefined)).status).toBe(200);
    await runBroadcasts(Date.now() + 7 * HOUR);
    expect(await broadcasts.read(other)).toMatchObject({
      ab_winner_variant_id: b?.id,
      ab_promotion_reason: null,
      queued_count: 40,
    });
  });

  it("waits while the workspace is paused, and tells the owners when it cannot be sent any more", async () => {
    const id = await aSentSample();
    const pause = (at: number | null) =>
      database.run("UPDATE workspaces SET sending_paused_at = ?2 WHERE number = ?1", [workspace.workspaceNumber, at]);
    await pause(1);
    await runBroadcasts(Date.now() + 7 * HOUR);
    expect((await broadcasts.read(id)).ab_promoted_at).toBeNull();
    await pause(null);
    await database.run("UPDATE mailboxes SET is_active = 0 WHERE address = ?1", [workspace.mailbox]);
    await runBroadcasts(Date.now() + 9 * HOUR);
    expect(await broadcasts.read(id)).toMatchObject({ status: "sent", ab_promoted_at: null });
    expect((await notices()).map(({ title }) => title)).toContain("No variant of Newsletter was promoted");
  });

  it.each([
    [{ metric: "opens", after_hours: 6 }],
    [{ metric: "clicks", after_hours: 0 }],
    [{ metric: "clicks", after_hours: 169 }],
    [{ metric: "clicks", after_hours: 1, min_lift: 2 }],
  ])("is refused as %j", async (auto) => {
    const body = { name: "n", subject: "s", from_address: workspace.mailbox, ab_auto_promote: auto };
    expect((await broadcasts.api.post(broadcasts.path(), body)).status).toBe(422);
  });

  it("is not sent without a sample or with one variant", async () => {
    const contact_list_id = await aContactList(workspace, 10);
    const { id } = await broadcasts.create({ contact_list_id, ab_auto_promote: { metric: "clicks", after_hours: 1 } });
    const refused = await broadcasts.act(id, "send");
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("ab_auto_promote needs")]);
    await broadcasts.expectJson(
      await broadcasts.api.call("PATCH", broadcasts.path(id), { ab_auto_promote: null }),
      200,
    );
    expect((await broadcasts.act(id, "send")).status).toBe(200);
  });
});
