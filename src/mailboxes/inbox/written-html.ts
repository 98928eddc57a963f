import { writtenAttributes, writtenElements } from "../../lib/written-markup.ts";
import { rewriteHtml } from "./rewrite-html.ts";

/** Greatest HTML of a written message, in characters, before and after it is sanitised: half a second of CPU. */
export const MAX_WRITTEN_HTML = 1_000_000;

/**
 * Returns HTML that a person has written, as it is stored and sent: formatting, links to web pages and addresses, lists, quotes and
 * tables. Scripts, event handlers, styles, images and all other markup are left out; their text stays. Returns null when it is
 * longer than MAX_WRITTEN_HTML, also after special characters of it were escaped.
 */
export function sanitizeWritten(html: string): string | null {
  if (html.length > MAX_WRITTEN_HTML) return null;
  const safe = rewriteHtml(html, {
    elements: writtenElements,
    attributesOf: (name, attributes) => writtenAttributes(name, (key) => attributes[key] ?? null),
    maxCharacters: MAX_WRITTEN_HTML,
  });
  return safe.length > MAX_WRITTEN_HTML ? null : safe;
}
