/** Octets of one bound parameter (D1 limits: 2,000,000), with room for a single item that passes the mark. */
const SLICE_OCTETS = 1_800_000;

/** JSON texts as JSON arrays, each small enough for a bound parameter. At least one, which may be empty. */
export function jsonChunks(items: readonly string[]): string[] {
  const slices: string[] = [];
  let some: string[] = [];
  let size = 0;
  for (const item of items) {
    // Characters of a text times three bound its octets from above.
    if (some.length > 0 && size + 3 * item.length > SLICE_OCTETS) {
      slices.push(`[${some.join()}]`);
      some = [];
      size = 0;
    }
    some.push(item);
    size += 3 * item.length;
  }
  return [...slices, `[${some.join()}]`];
}
