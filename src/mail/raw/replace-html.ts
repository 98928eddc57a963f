import { isUtf8 } from "node:buffer";
import { binaryStringToBytes, concat, toBinaryString, utf8 } from "../../lib/bytes.ts";
import { encodeBase64 } from "../mime/base64.ts";
import { decodeWhole } from "../mime/body-decoder.ts";
import { decodeHtml, decodeKnown } from "../texts/text.ts";
import type { RawContent } from "./compose.ts";
import { fieldValue, parseFields } from "./fields.ts";
import { textParts } from "./text-parts.ts";

/** The encodings that `decodeWhole` decodes, and those that change nothing (RFC 2045 6.1). */
const KNOWN_ENCODING = /^(?:[78]bit|binary)?$|base64|quoted-printable/;

/**
 * Replaces the HTML of a submitted message by what `replace` returns for it, in UTF-8 and base64. Everything else stays as it is, but a
 * message without MIME-Version gets it (RFC 2045 4). Returns null when there is no HTML in a known charset, when it is signed or
 * encrypted, and when `replace` does not change it.
 */
export async function replaceHtml(
  { head, parts }: Pick<RawContent, "head" | "parts">,
  body: Uint8Array,
  replace: (html: string) => Promise<string>,
): Promise<{ head: string; body: Uint8Array } | null> {
  const { html: part } = textParts(parts);
  if (!part || part.isSealed || part.size === 0 || !KNOWN_ENCODING.test(part.encoding)) return null;
  const encoded = body.subarray(part.at, part.at + part.size);
  if (part.encoding === "base64" && isContinued(encoded)) return null;
  const html = decodeExactly(decodeWhole(encoded, part.encoding), part.charset);
  const replaced = html === null ? null : await replace(html);
  if (replaced === null || replaced === html) return null;
  const content = encodeBase64(utf8(replaced));
  const after = body.subarray(part.at + part.size);
  if (part.fieldsAt < 0)
    return { head: withVersion(withEncoding(head)), body: concat([content, binaryStringToBytes("\r\n"), after]) };
  // The empty line between the fields and the content is kept.
  const fields = toBinaryString(body.subarray(part.fieldsAt, part.at - 2));
  const rewritten = binaryStringToBytes(`${withEncoding(fields)}\r\n`);
  return { head: withVersion(head), body: concat([body.subarray(0, part.fieldsAt), rewritten, content, after]) };
}

/** Returns null for bytes that are not all of their charset, or name none: their readers may take them for other characters. */
function decodeExactly(bytes: Uint8Array, charset: string): string | null {
  const isExact = isUtf8(bytes) || decodeKnown(bytes, charset)?.includes("\ufffd") === false;
  return isExact ? decodeHtml(bytes, charset) : null;
}

/** Returns whether base64 goes on after its end, as in two texts one after the other. Mail programs differ in what they show of it. */
function isContinued(base64: Uint8Array): boolean {
  const end = base64.indexOf(0x3d);
  return end >= 0 && /[a-z0-9+/]/i.test(toBinaryString(base64.subarray(end)));
}

function withEncoding(fields: string): string {
  const kept = parseFields(fields, true).map(({ name, raw }) => {
    if (/^content-type$/i.test(name)) return "Content-Type: text/html; charset=utf-8\r\n";
    return /^content-(?:transfer-encoding|md5)$/i.test(name) ? "" : raw;
  });
  return `${kept.join("")}Content-Transfer-Encoding: base64\r\n`;
}

const withVersion = (head: string): string =>
  fieldValue(parseFields(head), "mime-version") === null ? `${head}MIME-Version: 1.0\r\n` : head;
