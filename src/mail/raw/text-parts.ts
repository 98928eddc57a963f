import { decodePart } from "../texts/text.ts";
import type { RawPart } from "./part-list.ts";

/** Returns the parts that a reader shows first: the first plain text and the first HTML that are no attachments. */
export function textParts(parts: readonly RawPart[]): { text: RawPart | null; html: RawPart | null } {
  const first = (type: string) => parts.find((part) => part.type === type && !part.isAttachment) ?? null;
  return { text: first("text/plain"), html: first("text/html") };
}

/** Returns the text of a part from its bytes in the message. */
export function readTextPart(part: RawPart, bytes: Uint8Array): string {
  return decodePart(bytes, { ...part, isHtml: part.type === "text/html" });
}
