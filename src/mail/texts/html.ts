import { Parser } from "htmlparser2";

/** Functions that are called while HTML is read. Element and attribute names are in lower case, text is decoded. */
export interface HtmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text(text: string): void;
}

/** Elements that may be open at once. The parser's work for a tag grows with their number. */
const MAX_OPEN = 500;

class TooDeepError extends Error {}

/** Elements whose content no reader sees. */
export const hidden: ReadonlySet<string> = new Set("script style head title noscript template svg math".split(" "));

/** Reads HTML in one pass, without `skipped` elements. What follows an element that is nested deeper than 500 levels is not read. */
export function readHtml(html: string, handler: HtmlHandler, skipped: ReadonlySet<string> = new Set()): void {
  let [depth, inSkipped] = [0, 0];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      if (depth > MAX_OPEN) throw new TooDeepError();
      if (skipped.has(name)) inSkipped += 1;
      if (inSkipped === 0) handler.open(name, attributes);
    },
    onclosetag: (name) => {
      depth -= 1;
      if (inSkipped === 0) handler.close(name);
      else if (skipped.has(name)) inSkipped -= 1;
    },
    ontext: (text) => {
      if (inSkipped === 0) handler.text(text);
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
  }
}
