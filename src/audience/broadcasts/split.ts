import { hash53 } from "../../lib/hash53.ts";

/** Splits an audience into variants (docs/contract/broadcasts.md#sample-and-variants). Pure: the same ids give the same split. */

/** The contacts of one variant: those after the variant before it, up to a hash. `variant` 0 is the broadcast's own content. */
interface VariantShare {
  variant: number;
  size: number;
  /** Hash of its last contact; null when it has none. */
  upTo: number | null;
}

/** The contacts that are mailed first. The remainder comes after the last variant. */
export interface Split {
  /** True when the shares are a sample: the remainder waits for the promotion of a variant. */
  isSample: boolean;
  variants: VariantShare[];
}

export interface WeightedVariant {
  n: number;
  weight: number;
}

/** Returns the position of a contact in the order of the audience of a broadcast: a hash of 53 bits. */
export const rankOf = (broadcastId: string, contactId: string): number => hash53(`${broadcastId} ${contactId}`);

/** The ranks of an audience. Takes 8 bytes for each, twice of that at most, and 3 times while it grows. */
export class RankList {
  #ranks = new Float64Array(1_024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(rank: number): void {
    if (this.#size === this.#ranks.length) {
      const larger = new Float64Array(2 * this.#size);
      larger.set(this.#ranks);
      this.#ranks = larger;
    }
    this.#ranks[this.#size++] = rank;
  }

  /** Returns the ranks in ascending order. */
  sort(): Float64Array {
    return this.#ranks.subarray(0, this.#size).sort();
  }
}

/** How many contacts of an audience are mailed first: in all, and by variant in the order of the variants. */
export interface Sizes {
  isSample: boolean;
  mailed: number;
  byVariant: number[];
}

/**
 * Returns the sizes of the shares of an audience of `eligible` contacts. A percentage with fewer than two variants mails the whole
 * list, as no percentage does. Sizes are exact by the largest remainder.
 */
export function sizesOf(
  eligible: number,
  samplePct: number | null,
  variants: readonly Pick<WeightedVariant, "weight">[],
): Sizes {
  const isSample = samplePct !== null && variants.length >= 2;
  const [mailed = 0] = isSample ? apportion(eligible, [samplePct, 100 - samplePct]) : [eligible];
  const weights = variants.map(({ weight }) => weight);
  return { isSample, mailed, byVariant: weights.length > 0 ? apportion(mailed, weights) : [] };
}

/** Greatest percentage of a sample that is less than the whole list. Smaller ones than the least are raised to it. */
export const sampleRange = { min: 5, max: 90 } as const;

/**
 * Returns why a sample leaves a variant without a contact, with the smallest percentage that leaves none, or null. A percentage of an
 * audience that is smaller than its variants does not exist.
 */
export function sampleIssue(
  eligible: number,
  pct: number,
  variants: readonly { label: string; weight: number }[],
): string | null {
  const emptyAt = (tried: number) => sizesOf(eligible, tried, variants).byVariant.indexOf(0);
  const empty = emptyAt(pct);
  if (empty < 0) return null;
  const audience = `${eligible.toLocaleString("en")} ${eligible === 1 ? "contact" : "contacts"}`;
  const problem = `Of ${audience}, a sample of ${pct} % has none for the variant ${variants[empty]?.label}`;
  for (let tried: number = sampleRange.min; tried <= sampleRange.max; tried++)
    if (emptyAt(tried) < 0) return `${problem}; the smallest ab_test_pct that works is ${tried}`;
  return `${problem}, and no ab_test_pct works; mail the whole list, or use fewer variants`;
}

/** Returns a number of contacts from which on a sample has one for each variant: `sampleIssue` is null for it and all larger ones. */
export function enoughEligible(pct: number, variants: readonly Pick<WeightedVariant, "weight">[]): number {
  const weights = variants.map(({ weight }) => weight);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const enoughMailed = Math.ceil(sum / Math.min(...weights));
  return Math.ceil((enoughMailed * 100) / pct);
}

/**
 * Splits an audience, whose ranks are sorted, into shares of the sizes of `sizesOf`. Contacts of equal rank, of which a million have one pair with
 * a chance of 1 in 18,000, stay together.
 */
export function splitAudience(
  ranks: ArrayLike<number>,
  samplePct: number | null,
  variants: readonly WeightedVariant[],
): Split {
  const weighted = variants.length > 0 ? variants : [{ n: 0, weight: 1 }];
  const { isSample, byVariant: sizes } = sizesOf(ranks.length, samplePct, weighted);
  let [end, wanted] = [0, 0];
  const shares = weighted.map(({ n }, index): VariantShare => {
    const start = end;
    wanted += sizes[index] ?? 0;
    end = Math.max(end, wanted);
    while (end > start && end < ranks.length && ranks[end] === ranks[end - 1]) end += 1;
    return { variant: n, size: end - start, upTo: ranks[end - 1] ?? null };
  });
  return { isSample, variants: shares };
}

/** Returns the variant of a contact in the first phase, or null when it belongs to the remainder. */
export function variantOf({ variants }: Split, rank: number): number | null {
  return variants.find(({ size, upTo }) => size > 0 && upTo !== null && rank <= upTo)?.variant ?? null;
}

/** Divides a total by weights: each part is its share rounded down or up, and the parts sum to the total. */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const shares = weights.map((weight, index) => {
    const product = total * weight;
    return { index, size: Math.floor(product / sum), rest: product % sum };
  });
  const missing = total - shares.reduce((all, { size }) => all + size, 0);
  const byRest = shares.toSorted((a, b) => b.rest - a.rest || a.index - b.index);
  const raised = new Set(byRest.slice(0, missing).map(({ index }) => index));
  return shares.map(({ index, size }) => size + (raised.has(index) ? 1 : 0));
}
