/** Target size of one bound parameter in bytes (D1's limit: 2,000,000), with room for one item beyond it. */
export const CHUNK_BYTES = 1_800_000;

/** Joins JSON texts into JSON arrays that each fit into a bound parameter. Returns at least one, possibly empty. */
export const jsonChunks = (items: readonly string[]): string[] => jsonGroups(items).map(({ json }) => json);

/** The same, with the number of texts in each array. */
export function jsonGroups(items: readonly string[]): { json: string; count: number }[] {
  const groups: string[][] = [[]];
  let size = 0;
  for (const item of items) {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const bytes = 3 * item.length;
    if (size > 0 && size + bytes > CHUNK_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(item);
    size += bytes;
  }
  return groups.map((group) => ({ json: `[${group.join()}]`, count: group.length }));
}
