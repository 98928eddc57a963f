import type { MessageStructure, PartNode } from "./types.ts";

/**
 * Returns the part of a message with these numbers (RFC 3501 6.4.5), or null. The parts of a message that is a part are those of its body;
 * a message or part that is no multipart has itself as part 1.
 */
export function findPart({ root }: MessageStructure, path: readonly number[]): PartNode | null {
  let node: PartNode | null = null;
  let inside: PartNode = root;
  for (const number of path) {
    // Within a leaf there are no further parts.
    if (node && !node.parts && !node.message) return null;
    if (node?.message) inside = node.message.root;
    else if (node) inside = node;
    const isMultipart = inside.type.startsWith("multipart/");
    const found: PartNode | undefined = isMultipart ? inside.parts?.[number - 1] : number === 1 ? inside : undefined;
    if (!found) return null;
    node = found;
  }
  return node;
}
