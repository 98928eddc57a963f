import { Parser } from "htmlparser2";

/** Functions that are called while HTML is read. Element and attribute names are in lower case, text is decoded. */
export interface HtmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

/** Elements whose text is not shown. */
const HIDDEN = new Set(["script", "style", "head", "title", "noscript", "template", "svg", "math"]);

/** Reads HTML as `readHtml` does, without what is not shown. */
export function readShown(html: string, handler: HtmlHandler): void {
  let hidden = 0;
  readHtml(html, {
    open: (name, attributes) => {
      if (HIDDEN.has(name)) hidden += 1;
      else if (hidden === 0) handler.open(name, attributes);
    },
    close: (name) => {
      if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
      else if (hidden === 0) handler.close(name);
    },
    text: (text) => {
      if (hidden === 0) handler.text(text);
    },
  });
}

/** Elements that may be open at once. The parser's work for a tag grows with their number. */
const MAX_OPEN = 500;

class TooDeepError extends Error {}

/** Reads HTML in one pass. What follows an element that is nested deeper than 500 levels is not read. */
export function readHtml(html: string, handler: HtmlHandler): void {
  let depth = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      if (depth > MAX_OPEN) throw new TooDeepError();
      handler.open(name, attributes);
    },
    onclosetag: (name) => {
      depth -= 1;
      handler.close(name);
    },
    ontext: (text) => handler.text(text),
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
  }
}
