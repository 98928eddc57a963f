import { removedElements } from "../../lib/written-markup.ts";
import { type HtmlHandler, readHtml } from "../../mail/texts/html.ts";
import { htmlToText } from "../../mail/texts/text.ts";

/** The markup that stays when HTML is written anew. */
export interface MarkupRules {
  elements: ReadonlySet<string>;
  /** Characters of the result beyond which writing ends: a longer result is not complete. Default: no limit. */
  maxCharacters?: number;
  /** Returns the attributes of a listed element, with values that need no check any more. */
  attributesOf(name: string, attributes: Readonly<Record<string, string>>): [string, string][];
}

/** Returns the words of a text. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const VOID = words("br col hr img wbr");

/** Elements that may be open at once; deeper ones are left out, and their text stays. */
const MAX_DEPTH = 200;

/** Passes until the markup must be stable. Two are the rule; text alone is returned beyond. */
const MAX_PASSES = 6;

/** Writes HTML anew: only the elements and attributes of the rules, and escaped text. Doing so again does not change the result. */
export function rewriteHtml(html: string, rules: MarkupRules): string {
  // Elements that are left out can change which end tags the parser implies, so the result is read until it no longer changes.
  let before = html;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const after = rewriteOnce(before, rules);
    if (after === before || after.length > (rules.maxCharacters ?? Number.POSITIVE_INFINITY)) return after;
    before = after;
  }
  return escapeText(htmlToText(html, html.length));
}

function rewriteOnce(html: string, rules: MarkupRules): string {
  const writer = new SafeWriter(rules);
  readHtml(html, writer);
  return writer.end();
}

class SafeWriter implements HtmlHandler {
  readonly #rules: MarkupRules;
  readonly #maxCharacters: number;
  readonly #pieces: string[] = [];
  #length = 0;
  readonly #open: string[] = [];
  /** The removed element whose content is being skipped, and how many of its kind are open. */
  #removed: { name: string; depth: number } | null = null;

  constructor(rules: MarkupRules) {
    this.#rules = rules;
    this.#maxCharacters = rules.maxCharacters ?? Number.POSITIVE_INFINITY;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#removed) {
      if (name === this.#removed.name) this.#removed.depth += 1;
      return;
    }
    if (removedElements.has(name)) {
      this.#removed = { name, depth: 1 };
      return;
    }
    if (!this.#rules.elements.has(name) || this.#open.length >= MAX_DEPTH) return;
    const safe = this.#rules.attributesOf(name, attributes);
    this.#add(`<${name}${safe.map(([key, value]) => ` ${key}="${escapeText(value)}"`).join("")}>`);
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
    for (const inner of this.#open.splice(at).reverse()) this.#add(`</${inner}>`);
  }

  text(text: string): void {
    if (!this.#removed) this.#add(escapeText(text));
  }

  #add(piece: string): void {
    if (this.#length > this.#maxCharacters) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  end(): string {
    for (const name of this.#open.splice(0).reverse()) this.#add(`</${name}>`);
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
