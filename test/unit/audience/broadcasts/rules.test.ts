import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFanOut, parseFanOut, serializeFanOut } from "../../../../src/audience/broadcasts/fan-out.ts";
import { clampSamplePct, statusAfter, statuses, transitions } from "../../../../src/audience/broadcasts/rules.ts";
import { apportion, RankList, rankOf, splitAudience, variantOf } from "../../../../src/audience/broadcasts/split.ts";

describe("transitions of a broadcast", () => {
  /** The table of docs/contract/broadcasts.md#broadcast-statuses, written out again. */
  const expected: Record<string, Record<string, string>> = {
    draft: { edit: "draft", schedule: "scheduled", unschedule: "draft", send: "sending" },
    scheduled: {
      ...{ edit: "scheduled", schedule: "scheduled", unschedule: "draft" },
      ...{ send: "sending", cancel: "cancelled" },
    },
    sending: { cancel: "cancelled", pause: "sending", resume: "sending", complete: "sent" },
    sent: { promote: "sending" },
    cancelled: {},
  };
  const events = [...new Set(transitions.map(({ on }) => on))];

  for (const from of statuses) {
    for (const on of events) {
      const to = expected[from]?.[on] ?? null;
      it(`${from}, ${on}: ${to ?? "refused"}`, () => expect(statusAfter(from, on)).toBe(to));
    }
  }
});

it.each([
  [1, 5],
  [5, 5],
  [6, 6],
  [90, 90],
  [91, 90],
  [99, 90],
])("a sample of %i percent is %i percent", (given, clamped) => expect(clampSamplePct(given)).toBe(clamped));

describe("apportion", () => {
  it.each([
    [10, [1, 1], [5, 5]],
    [11, [1, 1], [6, 5]],
    [10, [1, 1, 1], [4, 3, 3]],
    [100, [20, 80], [20, 80]],
    [1, [5, 95], [0, 1]],
    [1, [50, 50], [1, 0]],
    [7, [2, 1], [5, 2]],
    [0, [3, 4], [0, 0]],
  ])("divides %i by %j into %j", (total, weights, parts) => expect(apportion(total, weights)).toEqual(parts));

  it("gives every part its share rounded down or up, and the parts sum to the total", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), weights, (total, given) => {
        const parts = apportion(total, given);
        const sum = given.reduce((all, weight) => all + weight, 0);
        expect(parts.reduce((all, part) => all + part, 0)).toBe(total);
        for (const [index, weight] of given.entries())
          expect(Math.abs((parts[index] ?? -1) - (total * weight) / sum)).toBeLessThan(1);
      }),
    );
  });
});

describe("the split of an audience", () => {
  const ranksOf = (broadcast: string, count: number) => {
    const ranks = new RankList();
    for (let i = 0; i < count; i++) ranks.add(rankOf(broadcast, `contact-${i}`));
    return ranks.sort();
  };

  it("puts every contact into one variant or the remainder, in exact sizes, whatever the order of reading", () => {
    const variants = fc
      .array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 })
      .map((weights) => weights.map((weight, index) => ({ n: index + 1, weight })));
    const pct = fc.option(fc.integer({ min: 5, max: 90 }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), pct, variants, fc.uuid(), (count, samplePct, given, id) => {
        const ranks = ranksOf(id, count);
        const split = splitAudience(ranks, samplePct, given);
        expect(split.isSample).toBe(samplePct !== null && given.length >= 2);
        const found = [...ranks].map((rank) => variantOf(split, rank));
        const sizes = split.variants.map(({ variant }) => found.filter((one) => one === variant).length);
        expect(sizes).toEqual(split.variants.map(({ size }) => size));
        const mailed = split.isSample ? Math.floor((count * (samplePct ?? 0)) / 100 + 0.5) : count;
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(mailed);
        expect(found.filter((one) => one === null)).toHaveLength(count - mailed);
        const weights = given.length > 0 ? given.map(({ weight }) => weight) : [1];
        expect(sizes).toEqual(apportion(mailed, weights));
      }),
      { numRuns: 200 },
    );
  });

  it("orders contacts evenly: each tenth of the hashes has about a tenth of 10,000 contacts", () => {
    const tenths = new Array<number>(10).fill(0);
    for (const hash of ranksOf("a broadcast", 10_000)) {
      const tenth = Math.floor((hash / 2 ** 53) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it("differs between broadcasts, and is the same for each reading of one", () => {
    const order = (broadcast: string) =>
      Array.from({ length: 50 }, (_, i) => `contact-${i}`).toSorted(
        (a, b) => rankOf(broadcast, a) - rankOf(broadcast, b),
      );
    expect(order("one")).not.toEqual(order("two"));
    expect(order("one")).toEqual(order("one"));
  });

  it("is stored with the names that an earlier version reads, and read again as it was", () => {
    const sender = { mailboxId: "m", domainId: "d", domain: "example.org", email: "a@example.org", name: null };
    const started = newFanOut([1], 9, { sender, topic: null });
    const split = {
      ...splitAudience(
        [1, 2, 3],
        50,
        [1, 2].map((n) => ({ n, weight: 1 })),
      ),
      eligible: 3,
    };
    for (const fanOut of [started, { ...started, split, phase: { kind: "remainder" as const, variant: 2 } }]) {
      const stored = serializeFanOut(fanOut);
      expect(parseFanOut(stored)).toEqual(fanOut);
      const { split: found, wave } = JSON.parse(stored) as { split: { arms: object[] } | null; wave: object };
      expect([found?.arms, wave]).toEqual([fanOut.split?.variants, fanOut.phase]);
    }
  });

  it("keeps contacts of equal rank in one variant, whose size counts them", () => {
    const variants = [1, 2, 3].map((n) => ({ n, weight: 1 }));
    const ranks = [1, 2, 2, 2, 5, 6];
    const split = splitAudience(ranks, null, variants);
    expect(split.variants).toEqual([
      { variant: 1, size: 4, upTo: 2 },
      { variant: 2, size: 0, upTo: 2 },
      { variant: 3, size: 2, upTo: 6 },
    ]);
    expect(ranks.map((rank) => variantOf(split, rank))).toEqual([1, 1, 1, 1, 3, 3]);
  });

  it("holds the ranks of 2,000,000 contacts in 16 bytes each at most", () => {
    const ranks = new RankList();
    for (let i = 0; i < 2_000_000; i++) ranks.add(2_000_000 - i);
    const sorted = ranks.sort();
    expect([sorted.length, sorted[0], sorted.at(-1)]).toEqual([2_000_000, 1, 2_000_000]);
    expect(sorted.buffer.byteLength).toBeLessThanOrEqual(16 * 2_000_000);
  });
});
