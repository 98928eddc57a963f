/** Limits of segments (docs/contract/segments.md#limits). Pure. */

export const limits = {
  nameCharacters: 200,
  /** People that one call evaluates. */
  peoplePerCall: 5_000,
  /** People that one statement reads. */
  peoplePerPage: 500,
  /** Contacts that a count shows at once. */
  sample: 10,
} as const;

/** How long a finished count is shown before a call starts another, in milliseconds. */
const COUNT_KEPT_MS = 60_000;
/** A count that began so long ago and has not ended is started again, in milliseconds. */
const COUNT_LOST_MS = 3_600_000;

/** Returns whether a call shows this count instead of starting another. `at` of a count that runs is its beginning. Times in ms. */
export function isShown({ status, at }: { status: "counting" | "done"; at: number }, now: number): boolean {
  return now - at < (status === "counting" ? COUNT_LOST_MS : COUNT_KEPT_MS);
}

/** Returns why segments that contain each other (`inner`, by id) are refused, or null: a cycle, or a chain of more than `depth`. */
export function nestingIssue(inner: ReadonlyMap<string, readonly string[]>, depth: number): string | null {
  const depths = new Map<string, number>();
  const open = new Set<string>();
  /** Returns the length of the longest chain from a segment on; Infinity when it comes back to one of the chain. */
  const depthOf = (id: string): number => {
    if (open.has(id)) return Number.POSITIVE_INFINITY;
    const known = depths.get(id);
    if (known !== undefined) return known;
    open.add(id);
    const found = 1 + Math.max(0, ...(inner.get(id) ?? []).map(depthOf));
    open.delete(id);
    depths.set(id, found);
    return found;
  };
  const longest = Math.max(0, ...[...inner.keys()].map(depthOf));
  if (longest === Number.POSITIVE_INFINITY) return "a segment must not contain itself, also not through another";
  return longest > depth ? `segments contain each other over ${longest} levels; the limit is ${depth}` : null;
}
