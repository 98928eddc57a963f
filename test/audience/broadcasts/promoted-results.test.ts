/** The results of an A/B test after its promotion: the sample keeps its verdict, and the remainder stands apart. */
import { expect, it } from "vitest";
import type { BroadcastAnalyticsOut } from "../../../src/audience/broadcasts/index.ts";
import { HOUR_MS } from "../../../src/lib/time.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, runBroadcasts } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

/** Sends the sample of a test of 60 contacts, 15 for A and 15 for B, of which so many then clicked. Returns the ids. */
async function aSentSample([ofA, ofB]: readonly [number, number], changes: Record<string, unknown> = {}) {
  const contact_list_id = await aContactList(workspace, 60);
  const { id } = await broadcasts.create({ contact_list_id, ab_test_pct: 50, ...changes });
  const [a, b] = [await broadcasts.addVariant(id, "A"), await broadcasts.addVariant(id, "B")];
  expect((await broadcasts.act(id, "send")).status).toBe(200);
  await runBroadcasts();
  await addClicks(a.id, ofA);
  await addClicks(b.id, ofB);
  return { id, a: a.id, b: b.id };
}

const addClicks = (variant: string, clicks: number) =>
  database.run(
    "UPDATE broadcast_counts SET clicked = clicked + ?2 WHERE variant = (SELECT n FROM broadcast_variants WHERE id = ?1)",
    [variant, clicks],
  );

const results = async (id: string) =>
  broadcasts.expectJson<BroadcastAnalyticsOut>(await broadcasts.api.get(`/v1/analytics/broadcasts/${id}`), 200);

const promote = async (id: string, variant: string) => {
  expect((await broadcasts.act(id, `promote/${variant}`)).status).toBe(200);
  await runBroadcasts();
  expect((await broadcasts.read(id)).status).toBe("sent");
};

const shown = async (id: string) => {
  const page = await (await aSession(workspace)).get(`/app/analytics/broadcasts/${id}`);
  return (await page.text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
};

it("a promotion leaves the sample and its verdict as they were, and the contacts after it stand apart", async () => {
  const { id, b } = await aSentSample([0, 9]);
  const before = await results(id);
  expect(before).toMatchObject({ promoted_at: null, remainder: null });
  expect(before.comparisons).toMatchObject([{ difference: -0.6, is_significant: true }]);
  await promote(id, b);
  const { variants, comparisons, promoted_at, remainder } = await results(id);
  expect({ variants, comparisons }).toEqual({ variants: before.variants, comparisons: before.comparisons });
  expect(promoted_at).toBe((await broadcasts.read(id)).ab_promoted_at);
  expect(remainder).toMatchObject({ variant_id: b, label: "B", queued: 30, delivered: 30, clicked: 0, click_rate: 0 });
  expect(await shown(id)).toContain("B is better");
});

it("clicks in the sample after the promotion change no verdict, and count with the remainder and the variants", async () => {
  const { id, a, b } = await aSentSample([0, 9]);
  await promote(id, b);
  const { comparisons } = await results(id);
  await addClicks(a, 14);
  await addClicks(b, 3);
  const later = await results(id);
  expect(later.comparisons).toEqual(comparisons);
  expect(later.variants.map(({ clicked }) => clicked)).toEqual([0, 9]);
  expect(later.remainder).toMatchObject({ variant_id: b, clicked: 3, click_rate: 0.1 });
  expect((await broadcasts.variants(id)).map(({ clicked_count }) => clicked_count)).toEqual([14, 12]);
});

it("an automatic promotion is compared by the figures that it was decided by", async () => {
  const { id, b } = await aSentSample([0, 9], { ab_auto_promote: { metric: "clicks", after_hours: 1 } });
  const { comparisons } = await results(id);
  await runBroadcasts(Date.now() + 1.1 * HOUR_MS);
  expect(await results(id)).toMatchObject({ winner_variant_id: b, comparisons, remainder: { delivered: 30 } });
});

it("a variant that was promoted without a clear lead has none afterwards, whatever the remainder clicks", async () => {
  const { id, a } = await aSentSample([2, 3]);
  await promote(id, a);
  await addClicks(a, 30);
  expect((await results(id)).comparisons).toMatchObject([{ is_significant: false }]);
  const page = await shown(id);
  expect(page).toContain("No clear winner");
  expect(page).not.toContain("yet");
});

it("a test whose sample was not stored at its promotion is not compared, and says so", async () => {
  const { id, b } = await aSentSample([0, 9]);
  await promote(id, b);
  await database.run("UPDATE broadcasts SET fan_out = json_remove(fan_out, '$.sample') WHERE id = ?1", [id]);
  const { variants, comparisons, remainder } = await results(id);
  expect({ comparisons, remainder }).toEqual({ comparisons: [], remainder: null });
  expect(variants.map(({ delivered }) => delivered)).toEqual([15, 45]);
  expect(await shown(id)).toContain("cannot be compared");
});
