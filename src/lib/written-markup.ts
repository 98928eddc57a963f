/** The markup of messages that people write, which the server keeps and the editor of webmail makes. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Elements that the editor writes, and the structure of messages that it quotes. */
export const writtenElements = words(
  "a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strike strong sub sup table tbody td tfoot th thead tr u ul",
);

/** Elements that are removed with their content: code, other documents, and text that browsers parse by other rules. */
export const removedElements = words(
  "script style title textarea select option noscript noembed noframes xmp plaintext listing iframe frameset object applet svg math template audio video canvas",
);

const VALUES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: { href: /^(?:https?:\/\/|mailto:)[^\0-\x20]/i },
  blockquote: { type: /^cite$/i },
  ol: { start: /^\d{1,6}$/ },
  td: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
  th: { colspan: /^\d{1,3}$/, rowspan: /^\d{1,3}$/ },
};
const DIRECTION = { dir: /^(?:ltr|rtl|auto)$/i };

/** Returns the attributes of an element that stay, each with its value. `read` returns the one of the source, or null. */
export function writtenAttributes(name: string, read: (key: string) => string | null): [string, string][] {
  return Object.entries({ ...VALUES[name], ...DIRECTION }).flatMap(([key, form]) => {
    const value = read(key)?.trim() ?? "";
    return form.test(value) ? [[key, value]] : [];
  });
}
