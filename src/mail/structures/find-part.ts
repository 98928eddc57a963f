import { plainStructure } from "./describe.ts";
import type { InnerMessage, MessageStructure, PartNode } from "./types.ts";

/**
 * Returns the part of a message with these numbers (RFC 3501 6.4.5), or null. The parts of a message that is a part are those of its body;
 * a message or part that is no multipart has itself as part 1.
 */
export function findPart({ root }: MessageStructure, path: readonly number[]): PartNode | null {
  let node: PartNode | null = null;
  let inside: PartNode = root;
  for (const number of path) {
    // Within a leaf there are no further parts.
    const message: InnerMessage | undefined = node ? messageOf(node) : undefined;
    if (node && !node.parts && !message) return null;
    inside = message?.root ?? node ?? inside;
    const isMultipart = inside.type.startsWith("multipart/");
    const found: PartNode | undefined = isMultipart ? inside.parts?.[number - 1] : number === 1 ? inside : undefined;
    if (!found) return null;
    node = found;
  }
  return node;
}

/**
 * Returns the message that a part is; an empty one with its content as text if its parts were not read, because RFC 3501 7.4.2 needs one.
 */
export function messageOf(node: PartNode): InnerMessage | undefined {
  if (node.message || node.type !== "message/rfc822") return node.message;
  const { envelope, root } = plainStructure(node.body, node.end);
  const { body: header, lines = 0, encoding = "7bit" } = node;
  return { envelope, headerEnd: node.body, root: { ...root, header, lines, encoding } };
}
