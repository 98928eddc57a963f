import { removedElements, writtenAttributes, writtenElements } from "../src/lib/written-markup.ts";

/** Formatting by styles, which other editors write, and the element that stays of it. */
const STYLES: readonly [RegExp, string][] = [
  [/font-weight:\s*(?:bold|[6-9]\d\d)/i, "b"],
  [/font-style:\s*italic/i, "i"],
  [/text-decoration[^:;]*:[^;]*underline/i, "u"],
];

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
  if (removedElements.has(source.localName)) return;
  const inner = elementsOf(source).reduce((target, made) => target.appendChild(made), parent);
  for (const child of source.childNodes) append(inner, child);
}

/** Returns the elements that stay of one, from the outermost to the innermost. */
function elementsOf(source: Element): Element[] {
  const style = source.getAttribute("data-style") ?? "";
  const styled = STYLES.flatMap(([pattern, name]) => (pattern.test(style) ? [document.createElement(name)] : []));
  const isKept = writtenElements.has(source.localName) && !isWrapper(source, style);
  return isKept ? [copy(source), ...styled] : styled;
}

/** Returns true for the element around a text of Google Docs: bold that is not. */
const isWrapper = ({ localName }: Element, style: string) =>
  localName === "b" && /font-weight:\s*(?:normal|400)/i.test(style);

function copy(source: Element): Element {
  const made = document.createElement(source.localName);
  for (const [key, value] of writtenAttributes(source.localName, (name) => source.getAttribute(name)))
    made.setAttribute(key, value);
  return made;
}
