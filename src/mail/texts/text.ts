import { isUtf8 } from "node:buffer";
import { toBinaryString } from "../../lib/bytes.ts";
import { HtmlTextWriter } from "../../lib/html-to-text.ts";
import { tryOr } from "../../lib/try-or.ts";
import { decodeWhole } from "../mime/body-decoder.ts";
import { charsetOf, ownDecoder } from "./charsets.ts";
import { hidden, readHtml } from "./html.ts";

/** Labels that say nothing: senders write them whatever the text is. */
const UNNAMED = new Set(["", "us-ascii", "ascii", "ansi_x3.4-1968"]);
const UTF_8 = new Set(["utf-8", "utf8"]);

/** Returns whether a label names a charset other than UTF-8 and ASCII. */
export const isNamed = (label: string): boolean => !UNNAMED.has(label) && !UTF_8.has(label);

/**
 * Decodes text of a charset (RFC 2045 5.2, 6.1). What its charset does not have becomes U+FFFD. Text without a known charset is UTF-8,
 * ISO-2022-JP by its escapes, or windows-1252. This is the one decoder of mail, so that no two readers see different texts.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const known = decodeKnown(bytes, charset);
  if (known !== null) return known;
  if (isIso2022Jp(bytes)) return new TextDecoder("iso-2022-jp").decode(bytes);
  return readUtf8(bytes) ?? new TextDecoder("windows-1252").decode(bytes);
}

/** Decodes text as `decodeText` does, or returns null without a known charset. */
export function decodeKnown(bytes: Uint8Array, charset: string | null): string | null {
  const label = charsetOf(charset ?? "");
  if (UNNAMED.has(label)) return null;
  return ownDecoder(label)?.(bytes) ?? tryOr(() => new TextDecoder(label).decode(bytes), null);
}

/** Returns text of UTF-8, also with broken characters when others beyond ASCII are as many, which are none by chance. Else null. */
function readUtf8(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes);
  if (!text.includes("\ufffd") || isUtf8(bytes)) return text;
  let [whole, broken] = [0, 0];
  for (const character of text) {
    if (character === "\ufffd") broken += 1;
    else if (character > "\x7f") whole += 1;
  }
  return whole >= broken ? text : null;
}

/** Looks for the escape to JIS X 0208 (RFC 1468) near the beginning: Japanese systems often omit the charset. */
const isIso2022Jp = (bytes: Uint8Array) => /\x1b\$[@B]/.test(toBinaryString(bytes.subarray(0, 16_384)));

/** Decodes HTML. Without a charset, and when it is not the UTF-8 that it should be, the one that the HTML names counts (HTML 13.2.3.2). */
export function decodeHtml(bytes: Uint8Array, charset: string | null): string {
  const label = charsetOf(charset ?? "");
  const named = isNamed(label) ? null : charsetOfHtml(bytes);
  if (named === null) return decodeText(bytes, label);
  const isAscii = bytes.every((byte) => byte < 0x80);
  // Bytes beyond ASCII are not UTF-8 by chance. Charsets with escapes, such as ISO-2022-JP, are ASCII.
  return (isAscii ? null : readUtf8(bytes)) ?? decodeText(bytes, named);
}

/** Decodes the body of a text: its Content-Transfer-Encoding, then its charset. */
export function decodePart(
  body: Uint8Array,
  { encoding, charset, isHtml }: { encoding: string; charset: string | null; isHtml: boolean },
): string {
  return (isHtml ? decodeHtml : decodeText)(decodeWhole(body, encoding), charset);
}

/** Bytes in which HTML names its charset. The standard says 1,024; mailers put styles before it. */
const META_BYTES = 4_096;
const META = /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9._:+-]{1,40})/i;

function charsetOfHtml(bytes: Uint8Array): string | null {
  const named = charsetOf(META.exec(toBinaryString(bytes.subarray(0, META_BYTES)))?.[1] ?? "");
  // The names are readable, so the text is no UTF-16.
  return named === "" || named.startsWith("utf-16") ? null : named;
}

/** Joins the texts of parts that follow each other, each on lines of its own. */
export function joinTexts(texts: readonly string[]): string {
  return texts.reduce((joined, text) => (joined === "" || joined.endsWith("\n") ? joined : `${joined}\n`) + text, "");
}

const BREAKS = new Set(["br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "blockquote"]);

/** Returns the text of HTML, for search and previews. At most `maxCharacters` characters. */
export function htmlToText(html: string, maxCharacters: number): string {
  const pieces: string[] = [];
  let length = 0;
  const add = (text: string) => {
    if (length >= maxCharacters) return;
    pieces.push(text);
    length += text.length;
  };
  const addBreak = (name: string) => {
    if (BREAKS.has(name)) add("\n");
  };
  readHtml(html, { open: addBreak, close: (name) => name !== "br" && addBreak(name), text: add }, hidden);
  return pieces.join("").slice(0, maxCharacters);
}

/** Longest HTML of which a text part is made, and longest text, in characters. Both fit into a message; deep quotes repeat their marks. */
const [MAX_HTML, MAX_TEXT] = [1_000_000, 1_500_000];

/** Returns HTML as the plain text of the same message, up to `maxCharacters`. */
export function plainText(html: string, maxCharacters = MAX_TEXT): string {
  const writer = new HtmlTextWriter(maxCharacters);
  readHtml(html, writer, hidden);
  return writer.end();
}

/** Returns the text part of a message with this HTML (RFC 2046 5.1.4). Null: the HTML has no text, or more than a million characters. */
export const textAlternative = (html: string): string | null =>
  html.length > MAX_HTML ? null : plainText(html) || null;
