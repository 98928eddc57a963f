import { decodeText, decodeTransferEncoding } from "../reports/text.ts";
import type { RawPart } from "./part-list.ts";

/** Returns the parts that a reader shows first: the first plain text and the first HTML that are no attachments. */
export function textParts(parts: readonly RawPart[]): { text: RawPart | null; html: RawPart | null } {
  const first = (type: string) => parts.find((part) => part.type === type && !part.isAttachment) ?? null;
  return { text: first("text/plain"), html: first("text/html") };
}

/** Returns the text of a part from its bytes in the message. */
export function readTextPart(part: RawPart, bytes: Uint8Array): string {
  return decodeText(decodeTransferEncoding(bytes, part.encoding), part.charset);
}
