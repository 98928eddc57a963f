import { MessageScanner } from "../messages/scan.ts";
import type { PartNode } from "../structures/types.ts";
import { type ContentType, type Fields, parseContentType, readFields } from "../texts/fields.ts";

/** Bytes that are read from the beginning. */
const MAX_BYTES = 1024 * 1024;

/** A part that is not a multipart. An enclosed message is one part. */
export interface Part extends ContentType {
  fields: Fields;
  body: Uint8Array;
  /** `report-type` of the innermost multipart/report that contains it (RFC 6522), in lower case; null outside of one. */
  reportType: string | null;
}

export interface SplitMessage extends ContentType {
  /** Fields of the message itself. */
  fields: Fields;
  parts: readonly Part[];
}

/** Splits a message into its parts (RFC 2046), as mailboxes read it: views, neither decoded nor copied. Those beyond limits are left out. */
export function splitMessage(raw: Uint8Array): SplitMessage {
  const whole = raw.subarray(0, MAX_BYTES);
  const { fields, structure } = new MessageScanner({ whole }).end();
  const content = parseContentType(fields.get("content-type"), "text/plain");
  return { ...content, fields, parts: partsOf(whole, structure.root, null) };
}

function partsOf(raw: Uint8Array, node: PartNode, outer: string | null): Part[] {
  const { fields } = readFields(raw, node.header, node.body);
  const content = parseContentType(fields.get("content-type"), node.type);
  const isReport = content.type === "multipart/report";
  const reportType = isReport ? (content.parameters.get("report-type") ?? "").toLowerCase() : outer;
  if (node.parts) return node.parts.flatMap((part) => partsOf(raw, part, reportType));
  return [{ ...content, fields, body: raw.subarray(node.body, node.end), reportType }];
}
