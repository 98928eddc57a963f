import { readHtml } from "./html.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Decodes text of a charset. Unknown charsets, and bytes that do not fit UTF-8 or ASCII, are read as windows-1252, so that every
 * byte becomes a character.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const label = (charset ?? "").trim().toLowerCase().slice(0, 40);
  try {
    if (label === "" || label === "us-ascii" || label === "ascii" || label === "utf-8" || label === "utf8")
      return utf8.decode(bytes);
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const HIDDEN = new Set(["script", "style", "head", "title", "noscript", "template", "svg", "math"]);
const BREAKS = new Set(["br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "blockquote"]);

/** Returns the text of HTML, for search and previews. At most `maxCharacters` characters. */
export function htmlToText(html: string, maxCharacters: number): string {
  const pieces: string[] = [];
  let [length, hidden] = [0, 0];
  const add = (text: string) => {
    if (hidden > 0 || length >= maxCharacters) return;
    pieces.push(text);
    length += text.length;
  };
  readHtml(html, {
    open: (name) => {
      if (HIDDEN.has(name)) hidden += 1;
      else if (BREAKS.has(name)) add("\n");
    },
    close: (name) => {
      if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
    },
    text: add,
  });
  return pieces.join("").slice(0, maxCharacters);
}
