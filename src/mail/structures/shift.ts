import type { InnerMessage, MessageStructure, PartNode } from "./types.ts";

/** Returns the structure of a message within another one, whose first byte is at `by`. */
export function toInnerMessage({ envelope, root }: Omit<MessageStructure, "version">, by: number): InnerMessage {
  return { envelope, headerEnd: root.body + by, root: shiftNode(root, by) };
}

/** Returns a part whose places are `by` bytes further. */
function shiftNode(node: PartNode, by: number): PartNode {
  return {
    ...node,
    header: node.header + by,
    body: node.body + by,
    end: node.end + by,
    ...(node.parts ? { parts: node.parts.map((part) => shiftNode(part, by)) } : {}),
    ...(node.message ? { message: toInnerMessage(node.message, by) } : {}),
  };
}
