import { expect, it } from "vitest";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { analytics } from "./support.ts";

interface Analytics {
  confidence: number;
  opens_reliable: boolean;
  variants: {
    variant_id: string | null;
    label: string | null;
    delivered: number;
    clicked: number;
    click_rate: number | null;
  }[];
  comparisons: { difference: number; low: number; high: number; is_significant: boolean }[];
}

const content = { subject: "A subject", text_body: "A text." };

async function aBroadcast(
  of: TestWorkspace,
  counts: readonly { delivered: number; clicked: number }[],
): Promise<string> {
  const create = async (path: string, body: object) => {
    return (await of.create(path, body)).id;
  };
  const id = await create("/v1/broadcasts/", { name: "A test", from_address: of.mailbox, ...content });
  for (const [index, { delivered, clicked }] of counts.entries()) {
    const label = "ABCDE"[index] ?? "";
    await create(`/v1/broadcasts/${id}/variants`, { label, ...content, weight: 1 });
    await run(
      `INSERT INTO broadcast_counts (broadcast, variant, workspace, queued, attempted, delivered, clicked)
       SELECT v.broadcast, v.n, v.workspace, ?3, ?3, ?3, ?4 FROM broadcast_variants v JOIN broadcasts b ON b.n = v.broadcast
        WHERE b.id = ?1 AND v.label = ?2`,
      id,
      label,
      delivered,
      clicked,
    );
  }
  return id;
}

it("two variants have Newcombe's interval of the difference of clicks over delivered", async () => {
  const workspace = await aWorkspace();
  const id = await aBroadcast(workspace, [
    { delivered: 70, clicked: 56 },
    { delivered: 80, clicked: 48 },
  ]);
  const found = await analytics<Analytics>(workspace, `broadcasts/${id}`);
  expect(found).toMatchObject({ broadcast_id: id, status: "draft", confidence: 0.95, opens_reliable: false });
  expect(found.variants).toMatchObject([
    { label: "A", delivered: 70, clicked: 56, click_rate: 0.8 },
    { label: "B", delivered: 80, clicked: 48, click_rate: 0.6 },
  ]);
  const [comparison] = found.comparisons;
  expect(comparison).toMatchObject({ difference: 0.2, is_significant: true });
  // Newcombe 1998, table II, method 10.
  expect([comparison?.low, comparison?.high].map((value) => value?.toFixed(4))).toEqual(["0.0524", "0.3339"]);
});

it("intervals of three variants are wider, and none is compared that has no delivered email", async () => {
  const workspace = await aWorkspace();
  const pair = [
    { delivered: 70, clicked: 56 },
    { delivered: 80, clicked: 48 },
  ];
  const two = await analytics<Analytics>(workspace, `broadcasts/${await aBroadcast(workspace, pair)}`);
  const arms = [...pair, { delivered: 50, clicked: 20 }, { delivered: 0, clicked: 0 }];
  const three = await analytics<Analytics>(workspace, `broadcasts/${await aBroadcast(workspace, arms)}`);
  expect(three.comparisons).toHaveLength(3);
  expect(three.comparisons[0]?.low).toBeLessThan(two.comparisons[0]?.low ?? 0);
  expect(three.comparisons[0]?.high).toBeGreaterThan(two.comparisons[0]?.high ?? 1);
  expect(three.variants[3]).toMatchObject({ label: "D", click_rate: null });
});

it("a broadcast without variants has its own counts, and no comparison", async () => {
  const workspace = await aWorkspace();
  const found = await analytics<Analytics>(workspace, `broadcasts/${await aBroadcast(workspace, [])}`);
  expect(found.variants).toMatchObject([{ variant_id: null, label: null, delivered: 0, click_rate: null }]);
  expect(found.comparisons).toEqual([]);
});

it("a broadcast of another workspace, an unknown and a malformed id are the same 404", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const foreign = await aBroadcast(other, []);
  for (const id of [foreign, crypto.randomUUID(), "no-id"]) {
    const response = await workspace.get(`/v1/analytics/broadcasts/${id}`);
    expect([response.status, await response.json()]).toEqual([404, { detail: "Broadcast not found" }]);
  }
});
