/** Target size of one bound parameter in bytes (D1's limit: 2,000,000), with room for one item beyond it. */
export const CHUNK_BYTES = 1_800_000;

/** Joins JSON texts into JSON arrays that each fit into a bound parameter. Returns at least one, possibly empty. */
export function jsonChunks(items: readonly string[]): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let size = 0;
  for (const item of items) {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (chunk.length > 0 && size + 3 * item.length > CHUNK_BYTES) {
      chunks.push(`[${chunk.join()}]`);
      chunk = [];
      size = 0;
    }
    chunk.push(item);
    size += 3 * item.length;
  }
  return [...chunks, `[${chunk.join()}]`];
}
