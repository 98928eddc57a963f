import type { Language } from "../../../lib/personal-text.ts";
import { parsePlaceholders } from "../../../lib/placeholders.ts";

/** Splits texts of blocks into what readers see and what is rendered: placeholders, and in Liquid also tags. Pure. */

/** A part of a text. `code`: the placeholder, tag or raw section as it is written into an email; null: text for readers. */
export interface Piece {
  source: string;
  code: string | null;
}

/** A tag ends where Liquid ends it; one without an end reaches to the end of the text, so that it is refused. */
const TAG = String.raw`\{%[\s\S]*?(?:%\}|$)`;
const RAW = String.raw`\{%-?\s*raw\s*-?%\}[\s\S]*?(?:\{%-?\s*endraw\s*-?%\}|$)`;
const OUTPUT = String.raw`\{\{[^{}]*\}\}`;
const CODE = { liquid: new RegExp(`${RAW}|${TAG}|${OUTPUT}`, "g"), placeholders: new RegExp(OUTPUT, "g") };
const TAGS = new RegExp(TAG, "g");

/** Returns whether a text has a Liquid tag. */
export const hasTag = (text: string): boolean => text.includes("{%");

/** Returns a text with a letter in place of each tag. */
export const withoutTags = (text: string): string => text.replace(TAGS, "x");

/** Returns the parts of a text in order. Liquid has tags and raw sections, and placeholders are the same in both languages. */
export function splitCode(text: string, language: Language): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  const addText = (end: number) => {
    if (end > start) pieces.push({ source: text.slice(start, end), code: null });
  };
  for (const { 0: source, index } of text.matchAll(CODE[language])) {
    const code = codeOf(source);
    if (code === null) continue;
    addText(index);
    pieces.push({ source, code });
    start = index + source.length;
  }
  addText(text.length);
  return pieces;
}

function codeOf(source: string): string | null {
  if (source.startsWith("{%")) return source;
  const [part] = parsePlaceholders(source);
  return typeof part === "object" ? `{{${part.name}}}` : null;
}

/** Returns a text of the same length that Liquid reads as the email has it: braces of readers are no code. */
export const toLiquid = (text: string): string =>
  splitCode(text, "liquid")
    .map(({ source, code }) => (code === null ? source.replace(/[{}]/g, ".") : source))
    .join("");

/** A line with nothing but tags that write nothing, and the line breaks behind it. */
const SILENT_LINE =
  /(?<![^\n])((?:[ \t]*\{%-?\s*(?:if|unless|elsif|else|endif|endunless|case|when|endcase|for|endfor|assign|capture|endcapture|comment|endcomment|break|continue)\b(?:(?!%\})[^\n])*%\})+)[ \t]*\n+/g;

/** Returns a text of paragraphs whose lines of tags alone make no empty lines in an email. */
export const joinTagLines = (text: string, language: Language): string =>
  language === "liquid" ? text.replace(SILENT_LINE, "$1") : text;
