import { binaryStringToBytes, concat, toBase64, toBinaryString, utf8 } from "../../lib/bytes.ts";
import { tryOr } from "../../lib/try-or.ts";
import { decodeTransferEncoding } from "../reports/text.ts";
import type { RawContent } from "./compose.ts";
import { parseFields } from "./fields.ts";
import { textParts } from "./text-parts.ts";

/** Characters of a line of base64 (RFC 2045 6.8). */
const BASE64_LINE = 76;
const ENCODING = "Content-Transfer-Encoding: base64\r\n";

/**
 * Replaces the HTML of a submitted message by what `replace` returns for it, encoded as base64. Everything else stays as it is. Returns
 * null when there is no HTML in UTF-8 or ASCII, when it is signed or encrypted, and when `replace` does not change it.
 */
export async function replaceHtml(
  { head, parts }: Pick<RawContent, "head" | "parts">,
  body: Uint8Array,
  replace: (html: string) => Promise<string>,
): Promise<{ head: string; body: Uint8Array } | null> {
  const { html: part } = textParts(parts);
  if (!part || part.isSealed || part.size === 0 || !/^(?:utf-?8|us-ascii|)$/i.test(part.charset.trim())) return null;
  const html = decodeUtf8(decodeTransferEncoding(body.subarray(part.at, part.at + part.size), part.encoding));
  const replaced = html === null ? null : await replace(html);
  if (replaced === null || replaced === html) return null;
  const content = binaryStringToBytes(toBase64Lines(utf8(replaced)));
  const after = body.subarray(part.at + part.size);
  if (part.fieldsAt < 0)
    return { head: withEncoding(head), body: concat([content, binaryStringToBytes("\r\n"), after]) };
  // The empty line between the fields and the content is kept.
  const fields = toBinaryString(body.subarray(part.fieldsAt, part.at - 2));
  const rewritten = binaryStringToBytes(`${withEncoding(fields)}\r\n`);
  return { head, body: concat([body.subarray(0, part.fieldsAt), rewritten, content, after]) };
}

function withEncoding(fields: string): string {
  const others = parseFields(fields, true).filter(({ name }) => name.toLowerCase() !== "content-transfer-encoding");
  return others.map(({ raw }) => raw).join("") + ENCODING;
}

const decodeUtf8 = (bytes: Uint8Array): string | null =>
  tryOr(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), null);

const toBase64Lines = (bytes: Uint8Array): string =>
  (toBase64(bytes).match(new RegExp(`.{1,${BASE64_LINE}}`, "g")) ?? []).join("\r\n");
