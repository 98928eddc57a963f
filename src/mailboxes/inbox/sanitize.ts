import { type HtmlHandler, htmlToText, readHtml } from "../../mail/messages/index.ts";
import { filterStyle } from "./filter-style.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const ELEMENTS = words(
  "a abbr address article b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr",
);

/** Elements that are removed with their content: code, other documents, and text that browsers parse by other rules. */
const REMOVED = words(
  "script style title textarea select option noscript noembed noframes xmp plaintext listing iframe frameset object applet svg math template audio video canvas",
);

const VOID = words("br col hr img wbr");

const EVERYWHERE = words(
  "dir lang title align valign bgcolor width height border cellpadding cellspacing colspan rowspan nowrap",
);
const OF_ELEMENT: Readonly<Record<string, ReadonlySet<string>>> = {
  font: words("color face size"),
  img: words("alt"),
  ol: words("start type"),
  li: words("value"),
  time: words("datetime"),
};

/** Elements that may be open at once; deeper ones are left out, and their text stays. */
const MAX_DEPTH = 200;

/** Passes until the markup must be stable. Two are the rule; text alone is shown beyond. */
const MAX_PASSES = 6;

/**
 * Returns HTML of a received message that runs no script, submits nothing and, unless `withImages` is true, loads nothing from
 * another host when it is shown. The markup is written anew: only listed elements, attributes and CSS properties, and text
 * in which every special character is escaped. Content-IDs (`cid:`) of images stay for the client to resolve. Sanitising
 * the result again does not change it.
 */
export function sanitize(html: string, withImages: boolean): string {
  // Elements that are left out can change which end tags the parser implies, so the result is read until it no longer changes.
  let before = html;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const after = sanitizeOnce(before, withImages);
    if (after === before) return after;
    before = after;
  }
  return escapeText(htmlToText(html, html.length));
}

function sanitizeOnce(html: string, withImages: boolean): string {
  const writer = new SafeWriter(withImages);
  readHtml(html, writer);
  return writer.end();
}

class SafeWriter implements HtmlHandler {
  readonly #withImages: boolean;
  readonly #pieces: string[] = [];
  readonly #open: string[] = [];
  /** The removed element whose content is being skipped, and how many of its kind are open. */
  #removed: { name: string; depth: number } | null = null;

  constructor(withImages: boolean) {
    this.#withImages = withImages;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#removed) {
      if (name === this.#removed.name) this.#removed.depth += 1;
      return;
    }
    if (REMOVED.has(name)) {
      this.#removed = { name, depth: 1 };
      return;
    }
    if (!ELEMENTS.has(name) || this.#open.length >= MAX_DEPTH) return;
    const safe = safeAttributes(name, attributes, this.#withImages);
    this.#pieces.push(`<${name}${safe.map(([key, value]) => ` ${key}="${escapeText(value)}"`).join("")}>`);
    if (!VOID.has(name)) this.#open.push(name);
  }

  close(name: string): void {
    if (this.#removed) {
      if (name === this.#removed.name) this.#removed.depth -= 1;
      if (this.#removed.depth === 0) this.#removed = null;
      return;
    }
    const at = this.#open.lastIndexOf(name);
    if (at < 0) return;
    for (const inner of this.#open.splice(at).reverse()) this.#pieces.push(`</${inner}>`);
  }

  text(text: string): void {
    if (!this.#removed) this.#pieces.push(escapeText(text));
  }

  end(): string {
    for (const name of this.#open.splice(0).reverse()) this.#pieces.push(`</${name}>`);
    return this.#pieces.join("");
  }
}

/** Escapes what ends a text or an attribute value. NUL is not allowed in HTML. */
function escapeText(text: string): string {
  return text
    .replaceAll("\0", "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function safeAttributes(name: string, attributes: Record<string, string>, withImages: boolean): [string, string][] {
  const listed = Object.entries(attributes).filter(
    ([attribute]) => EVERYWHERE.has(attribute) || OF_ELEMENT[name]?.has(attribute),
  );
  const style = filterStyle(attributes.style ?? "");
  return [
    ...listed,
    ...(style === "" ? [] : [["style", style] as [string, string]]),
    ...(name === "a" ? linkAttributes(attributes.href) : []),
    ...(name === "img" ? imageAttributes(attributes.src, withImages) : []),
  ];
}

/** A link opens elsewhere and tells its target nothing. A relative link has no meaning in a message. */
function linkAttributes(href = ""): [string, string][] {
  const url = href.trim();
  if (!/^(?:https?:\/\/|mailto:|tel:)[^\0-\x20]/i.test(url)) return [];
  return [
    ["href", url],
    ["rel", "noopener noreferrer nofollow"],
    ["target", "_blank"],
  ];
}

/** Image data that no browser runs as a document. */
const DATA_IMAGE = /^data:image\/(?:png|gif|jpe?g|webp);base64,[A-Za-z0-9+/=\s]*$/i;

function imageAttributes(src = "", withImages: boolean): [string, string][] {
  const url = src.trim();
  const isShown = /^cid:/i.test(url) || DATA_IMAGE.test(url) || (withImages && /^https?:\/\/[^\0-\x20]/i.test(url));
  return isShown ? [["src", url]] : [];
}
