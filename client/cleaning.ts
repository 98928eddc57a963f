/** Elements that stay in a text; the server keeps the same (src/mailboxes/inbox/written-html.ts). Others leave their content. */
const ELEMENTS = new Set(
  "a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strike strong sub sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);
/** Elements that are left out with their content. */
const REMOVED = new Set(
  "applet audio canvas frameset head iframe math noscript object script select style svg template textarea title video".split(
    " ",
  ),
);
/** Attributes that stay, by the name of their element. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  blockquote: ["type"],
  ol: ["start"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan"],
};
/** Formatting by styles, which other editors write, and the element that stays of it. */
const STYLES: readonly [RegExp, string][] = [
  [/font-weight:\s*(?:bold|[6-9]\d\d)/i, "b"],
  [/font-style:\s*italic/i, "i"],
  [/text-decoration[^:;]*:[^;]*underline/i, "u"],
];

const isLink = (href: string) => /^(?:https?:\/\/|mailto:)/i.test(href.trim());

/**
 * Returns HTML that was pasted, or that a message quotes, as elements of this page: formatting, links, lists, quotes and tables. It
 * is read in a template, where no script runs and nothing is loaded, and only what is listed is made anew.
 */
export function cleanHtml(html: string): DocumentFragment {
  const template = document.createElement("template");
  // Under another name: the browser would report each style to the console, since the policy of the page allows none.
  template.innerHTML = html.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle(?=\s*=)/gi, " data-style"));
  const clean = document.createDocumentFragment();
  for (const node of template.content.childNodes) append(clean, node);
  return clean;
}

function append(parent: Node, node: Node): void {
  if (node.nodeType === Node.TEXT_NODE) parent.appendChild(document.createTextNode(node.nodeValue ?? ""));
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const source = node as Element;
  if (REMOVED.has(source.localName)) return;
  const inner = elementsOf(source).reduce((target, made) => target.appendChild(made), parent);
  for (const child of source.childNodes) append(inner, child);
}

/** Returns the elements that stay of one, from the outermost to the innermost. */
function elementsOf(source: Element): Element[] {
  const style = source.getAttribute("data-style") ?? "";
  const styled = STYLES.flatMap(([pattern, name]) => (pattern.test(style) ? [document.createElement(name)] : []));
  const isKept = ELEMENTS.has(source.localName) && !isWrapper(source, style);
  return isKept ? [copy(source), ...styled] : styled;
}

/** Returns true for the element around a text of Google Docs: bold that is not. */
const isWrapper = ({ localName }: Element, style: string) =>
  localName === "b" && /font-weight:\s*(?:normal|400)/i.test(style);

function copy(source: Element): Element {
  const made = document.createElement(source.localName);
  for (const name of ["dir", ...(ATTRIBUTES[source.localName] ?? [])]) {
    const value = source.getAttribute(name);
    if (value !== null && (name !== "href" || isLink(value))) made.setAttribute(name, value);
  }
  return made;
}
