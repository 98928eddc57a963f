import { decodeField } from "./parse.ts";

const MAX_FIELDS = 500;

/** Returns the fields of a header in their order, decoded, at most 500. */
export function readHeader(bytes: Uint8Array): { name: string; value: string }[] {
  const text = new TextDecoder().decode(bytes).replace(/\r?\n(?=[ \t])/g, "");
  return text.split(/\r\n|\n|\r/, MAX_FIELDS).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon > 0 ? [{ name: line.slice(0, colon).trim(), value: decodeField(line.slice(colon + 1)) }] : [];
  });
}
