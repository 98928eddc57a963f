import { HtmlTextWriter } from "../../lib/html-to-text.ts";
import { writtenAttributes, writtenElements } from "../../lib/written-markup.ts";
import { readHtml } from "../../mail/messages/index.ts";
import { rewriteHtml } from "./rewrite-html.ts";

/**
 * Greatest text of a written message, in characters. It keeps HTML of 3 MB, the most that a form has, and its text within the limit
 * of both, although a quote of many levels repeats its marks on each line.
 */
const MAX_TEXT = 1_500_000;

/**
 * Returns HTML that a person has written, as it is stored and sent: formatting, links to web pages and addresses, lists, quotes and
 * tables. Scripts, event handlers, styles, images and all other markup are left out; their text stays.
 */
export const sanitizeWritten = (html: string): string =>
  rewriteHtml(html, {
    elements: writtenElements,
    attributesOf: (name, attributes) => writtenAttributes(name, (key) => attributes[key] ?? null),
  });

/** Returns HTML as the plain text of the same message. */
export function writtenText(html: string): string {
  const writer = new HtmlTextWriter(MAX_TEXT);
  readHtml(html, writer);
  return writer.end();
}
