/** Elements that begin and end a line. */
const BLOCKS = new Set(
  "address article blockquote center dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul".split(
    " ",
  ),
);
/** Elements with an empty line around them. */
const SPACED = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6"]);
/** Marks before a line for its quotes and lists: each line has those of its depth, so the depth is bounded. */
const MAX_DEPTH = 20;

interface OpenList {
  /** Number of the next item, or null for a list with bullets. */
  next: number | null;
}

/**
 * Writes HTML as plain text, from the elements and texts that a parser finds: quotes begin with `> `, items with `- ` or their
 * number, and an address follows the text of its link. Ends after `maxCharacters` characters.
 */
export class HtmlTextWriter {
  readonly #maxCharacters: number;
  readonly #lines: string[] = [];
  readonly #lists: OpenList[] = [];
  /** Links that are open, each with the number of its line, and of the pieces of that line before it. */
  readonly #links: { href: string; line: number; from: number }[] = [];
  /** The pieces of the line: a text that grows by itself would be copied at each look at it. */
  #line: string[] = [];
  #lineNumber = 0;
  #length = 0;
  #marker = "";
  #quotes = 0;
  #pre = 0;
  /** True when an empty line comes before the next text. */
  #isSpaced = false;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "br") this.#push(this.#line.join(""));
    if (name === "img") this.text(attributes.alt ?? "");
    if (name === "a") this.#openLink(attributes.href ?? "");
    if ((name === "td" || name === "th") && this.#line.length > 0) this.#line.push(" ");
    if (!BLOCKS.has(name)) return;
    this.#endLine();
    if (SPACED.has(name)) this.#isSpaced = this.#lines.length > 0;
    if (name === "blockquote") this.#quotes += 1;
    if (name === "pre") this.#pre += 1;
    if (name === "hr") this.#push("---");
    if (name === "ul" || name === "ol")
      this.#lists.push({ next: name === "ol" ? Number(attributes.start ?? "1") || 1 : null });
    if (name === "li") this.#marker = this.#nextMarker();
  }

  close(name: string): void {
    if (name === "a") this.#endLink();
    if (!BLOCKS.has(name)) return;
    this.#endLine();
    if (name === "li" && this.#marker !== "") this.#push("");
    if (SPACED.has(name)) this.#isSpaced = true;
    if (name === "blockquote") this.#quotes = Math.max(0, this.#quotes - 1);
    if (name === "pre") this.#pre = Math.max(0, this.#pre - 1);
    if (name === "ul" || name === "ol") this.#lists.pop();
  }

  text(text: string): void {
    if (this.#length >= this.#maxCharacters) return;
    const plain = text.replaceAll("\u200b", "");
    if (this.#pre > 0) {
      this.#addLines(plain.split("\n"));
      return;
    }
    const short = plain.replace(/[ \t\r\n\f]+/g, " ");
    const isAfterSpace = this.#line.at(-1)?.endsWith(" ") ?? true;
    const piece = isAfterSpace && short.startsWith(" ") ? short.slice(1) : short;
    if (piece !== "") this.#line.push(piece);
  }

  #addLines([first = "", ...others]: readonly string[]): void {
    this.#line.push(first);
    for (const line of others) {
      this.#push(this.#line.join(""));
      this.#line.push(line);
    }
  }

  /** Returns the text, without empty lines at its end. */
  end(): string {
    this.#endLine();
    while (this.#lines.at(-1) === "") this.#lines.pop();
    return this.#lines.join("\n").slice(0, this.#maxCharacters);
  }

  #nextMarker(): string {
    const list = this.#lists.at(-1);
    if (!list || list.next === null) return "- ";
    list.next += 1;
    return `${list.next - 1}. `;
  }

  #openLink(href: string): void {
    this.#links.push({ href, line: this.#lineNumber, from: this.#line.length });
  }

  #endLink(): void {
    const link = this.#links.pop();
    if (!link || link.href === "") return;
    // The whole line is of the link when it began on an earlier one.
    const from = link.line === this.#lineNumber ? link.from : 0;
    const text = this.#line.slice(from).join("").trim();
    const bare = (address: string) => address.replace(/^(?:mailto:|https?:\/\/)/i, "").replace(/\/$/, "");
    if (text !== "" && bare(text) !== bare(link.href)) this.#line.push(` <${link.href.replace(/^mailto:/i, "")}>`);
  }

  /** Ends a line that has text. */
  #endLine(): void {
    const text = this.#line.join("");
    if (text.trim() !== "") this.#push(text);
    this.#startLine();
  }

  #startLine(): void {
    this.#line = [];
    this.#lineNumber += 1;
  }

  #push(text: string): void {
    this.#startLine();
    if (this.#length >= this.#maxCharacters) return;
    const quotes = ">".repeat(Math.min(this.#quotes, MAX_DEPTH));
    const depth = Math.min(this.#lists.length, MAX_DEPTH);
    const indent = "  ".repeat(Math.max(0, depth - 1));
    const marker = this.#marker || (depth > 0 ? "  " : "");
    this.#marker = "";
    if (this.#isSpaced && text !== "") this.#add(quotes);
    this.#isSpaced = false;
    const content = `${indent}${marker}${text.replaceAll("\u00a0", " ")}`.trimEnd();
    this.#add(quotes === "" || content === "" ? quotes + content : `${quotes} ${content}`);
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
  }
}
