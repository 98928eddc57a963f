import { HtmlTextWriter } from "../../lib/html-to-text.ts";
import { tryOr } from "../../lib/try-or.ts";
import { charsetOf, ownDecoder } from "./charsets.ts";
import { hidden, readHtml } from "./html.ts";

/** Charsets that are tried as UTF-8: text without one, and with one that senders write whatever the text is. */
const PLAIN = new Set(["", "us-ascii", "ascii", "ansi_x3.4-1968", "utf-8", "utf8"]);

/** Decodes text of a charset: an unknown one as UTF-8, and bytes that do not fit UTF-8 or ASCII as windows-1252, so that none is lost. */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const label = charsetOf(charset ?? "");
  const own = ownDecoder(label);
  if (own) return own(bytes);
  const plain = PLAIN.has(label) ? decodeUtf8(bytes) : null;
  if (plain !== null) return plain;
  const named = PLAIN.has(label) ? null : tryOr(() => new TextDecoder(label).decode(bytes), null);
  return named ?? decodeUtf8(bytes) ?? new TextDecoder("windows-1252").decode(bytes);
}

/** Returns text of UTF-8, without a character that its end cuts off, or null for other bytes. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  try {
    const text = decoder.decode(bytes, { stream: true });
    return text + endOf(decoder, text);
  } catch {
    return null;
  }
}

/** Returns the end of a text that is UTF-8 beyond ASCII. Throws for ASCII before bytes that begin a character by chance. */
function endOf(decoder: TextDecoder, text: string): string {
  try {
    return decoder.decode();
  } catch (error) {
    if (/^[\x00-\x7f]*$/.test(text)) throw error;
    return "";
  }
}

/** Decodes HTML. Without a charset, and when it is not the UTF-8 that it should be, the one that the HTML names counts (HTML 13.2.3.2). */
export function decodeHtml(bytes: Uint8Array, charset: string | null): string {
  const label = charsetOf(charset ?? "");
  const named = PLAIN.has(label) ? charsetOfHtml(bytes) : null;
  if (named === null) return decodeText(bytes, label);
  const isAscii = bytes.every((byte) => byte < 0x80);
  // Bytes beyond ASCII are not UTF-8 by chance. Charsets with escapes, such as ISO-2022-JP, are ASCII.
  return (isAscii ? null : decodeUtf8(bytes)) ?? decodeText(bytes, named);
}

/** Bytes in which HTML names its charset. The standard says 1,024; mailers put styles before it. */
const META_BYTES = 4_096;
const META = /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9._:+-]{1,40})/i;

function charsetOfHtml(bytes: Uint8Array): string | null {
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, META_BYTES));
  const named = charsetOf(META.exec(start)?.[1] ?? "");
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
