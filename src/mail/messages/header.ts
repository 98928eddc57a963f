import { toBinaryString } from "../../lib/bytes.ts";
import { charsetOfHeader, decodeHeader } from "../texts/decode-header.ts";
import { decodeField } from "./parse.ts";
import { bounds } from "./rules.ts";

/** The fields of a header in their order, decoded. */
export interface HeaderList {
  fields: { name: string; value: string }[];
  /** True when there are more fields than these. */
  isCut: boolean;
}

const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];

/** Returns the fields of a header, at most `bounds.listedFields`. Raw text is in UTF-8, the charset of the text, or windows-1252. */
export function readHeader(bytes: Uint8Array): HeaderList {
  const charset = charsetOfHeader(bytes);
  const fields: HeaderList["fields"] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = endOfField(bytes, at);
    const field = toBinaryString(bytes.subarray(at, end));
    const line = decodeHeader(field, charset).replace(/(?:\r\n|\r|\n)(?=[ \t])/g, "");
    at = end;
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    if (fields.length === bounds.listedFields) return { fields, isCut: true };
    fields.push({ name: line.slice(0, colon).trim(), value: decodeField(line.slice(colon + 1)) });
  }
  return { fields, isCut: false };
}

/** Returns the first byte after a field and its folded lines (RFC 5322 2.2.3). */
function endOfField(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== LF && !(bytes[at] === CR && bytes[at + 1] !== LF)) continue;
    if (bytes[at + 1] !== SPACE && bytes[at + 1] !== TAB) return at + 1;
  }
  return bytes.length;
}
