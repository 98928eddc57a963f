import { escapeHtml } from "./placeholders.ts";

/** Marks of quoted lines that count; deeper quotes are shown at this depth. */
const MAX_QUOTES = 10;

/** Returns a text as HTML: a `div` for each line, and a `blockquote` for lines that begin with `>`. Pure. */
export function textToHtml(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  const setDepth = (next: number) => {
    for (; depth < next; depth++) pieces.push('<blockquote type="cite">');
    for (; depth > next; depth--) pieces.push("</blockquote>");
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const marks = /^(?:> ?)*/.exec(line)?.[0] ?? "";
    setDepth(Math.min(marks.replaceAll(" ", "").length, MAX_QUOTES));
    pieces.push(`<div>${escapeHtml(line.slice(marks.length)) || "<br>"}</div>`);
  }
  setDepth(0);
  return pieces.join("");
}
