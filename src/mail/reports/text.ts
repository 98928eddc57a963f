import { decodeWhole } from "../mime/body-decoder.ts";
import { decodeHtml, decodeText, htmlToText } from "../texts/text.ts";
import type { Part } from "./split-message.ts";

/** Bytes of a part that are decoded; lines, and characters of a line, that are read of its text. */
const MAX_ENCODED = 192 * 1024;
const MAX_LINES = 3000;
const MAX_LINE = 1000;

/** Decodes a part's body from base64 or quoted-printable (RFC 2045 6). Reads the first 192 KiB. Never throws. */
export function decodeBody(part: Pick<Part, "fields" | "body">): Uint8Array {
  return decodeWhole(part.body.subarray(0, MAX_ENCODED), part.fields.get("content-transfer-encoding") ?? "");
}

/** Returns the lines of a part's text. Removes the tags of HTML. */
export function decodeLines(part: Part): string[] {
  const isHtml = part.type === "text/html";
  const decoded = (isHtml ? decodeHtml : decodeText)(decodeBody(part), part.parameters.get("charset") ?? null);
  const text = isHtml ? htmlToText(decoded.replace(/[\r\n]+/g, " "), decoded.length) : decoded;
  return text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE).replaceAll("\u00a0", " ").replaceAll("\u2019", "'").trimEnd());
}
