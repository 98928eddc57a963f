import { HtmlTextWriter } from "../../lib/html-to-text.ts";
import { readHtml } from "../../mail/messages/index.ts";
import { rewriteHtml, words } from "./rewrite-html.ts";

/** The markup that the editor of webmail writes, and the structure of messages that it quotes. */
const ELEMENTS = words(
  "a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strike strong sub sup table tbody td tfoot th thead tr u ul",
);

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
  rewriteHtml(html, { elements: ELEMENTS, attributesOf: safeAttributes });

/** Returns HTML as the plain text of the same message. */
export function writtenText(html: string): string {
  const writer = new HtmlTextWriter(MAX_TEXT);
  readHtml(html, writer);
  return writer.end();
}

/** The values that attributes may have, by element and attribute. */
const VALUES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: /^(?:https?:\/\/|mailto:)[^\0-\x20]/i },
  blockquote: { type: /^cite$/i },
  ol: { start: /^\d{1,6}$/ },
  td: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
  th: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
};
const DIRECTION = { dir: /^(?:ltr|rtl|auto)$/i };

function safeAttributes(name: string, attributes: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries({ ...VALUES[name], ...DIRECTION }).flatMap(([key, form]) => {
    const value = attributes[key]?.trim() ?? "";
    return form.test(value) ? [[key, value]] : [];
  });
}
