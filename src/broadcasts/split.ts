/**
 * Splits an audience into the variants of a sample, or of the whole list (decisions 6, Audience, sample and variants).
 * Pure: the same ids give the same split.
 */

/** Position of a contact in the order of an audience: its hash, and its id for equal hashes. */
export type Rank = readonly [hash: number, contactId: string];

/** The contacts of one variant: those after the arm before it, up to a rank. `variant` 0 is the broadcast's own content. */
export interface Arm {
  variant: number;
  size: number;
  /** Rank of its last contact; null when it has none. */
  upTo: Rank | null;
}

/** The contacts that are mailed first. The remainder comes after the last arm. */
export interface Split {
  /** True when the arms are a sample: the remainder waits for the promotion of a variant. */
  isSample: boolean;
  arms: Arm[];
}

export interface WeightedVariant {
  n: number;
  weight: number;
}

/** Returns the rank of a contact in the audience of a broadcast. */
export function rankOf(broadcastId: string, contactId: string): Rank {
  return [hash53(`${broadcastId} ${contactId}`), contactId];
}

/** Compares ranks, for sorting. */
export function compareRanks(a: Rank, b: Rank): number {
  return a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
}

/**
 * Splits an audience, whose ranks are sorted. A percentage with fewer than two variants mails the whole list, as no
 * percentage does. Sizes are exact by the largest remainder.
 */
export function splitAudience(
  ranks: readonly Rank[],
  samplePct: number | null,
  variants: readonly WeightedVariant[],
): Split {
  const isSample = samplePct !== null && variants.length >= 2;
  const [mailed = 0] = isSample ? apportion(ranks.length, [samplePct, 100 - samplePct]) : [ranks.length];
  const weighted = variants.length > 0 ? variants : [{ n: 0, weight: 1 }];
  const sizes = apportion(
    mailed,
    weighted.map(({ weight }) => weight),
  );
  let end = 0;
  const arms = weighted.map(({ n }, index): Arm => {
    const size = sizes[index] ?? 0;
    end += size;
    return { variant: n, size, upTo: ranks[end - 1] ?? null };
  });
  return { isSample, arms };
}

/** Returns the variant of a contact in the first wave, or null when it belongs to the remainder. */
export function variantOf({ arms }: Split, rank: Rank): number | null {
  const arm = arms.find(({ size, upTo }) => size > 0 && upTo !== null && compareRanks(rank, upTo) <= 0);
  return arm?.variant ?? null;
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

/** Returns a hash of 53 bits of a text (cyrb53, public domain). Not cryptographic: it only orders contacts evenly. */
function hash53(text: string): number {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ unit, 2654435761);
    h2 = Math.imul(h2 ^ unit, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}
