import { escapeHtml } from "../../lib/placeholders.ts";

/**
 * The parts of code that have a colour, of curl, JSON, TypeScript and Python alike. A quote of the shell around JSON is no string, so that the JSON
 * in it has its colours.
 */
const PARTS = new RegExp(
  [
    String.raw`(?<comment>(?<=^|\s)(?:#|//).*)`,
    String.raw`(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:)|\b[A-Za-z_][\w-]*(?=: ))`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?![{[])[^'\n]*'|${"`"}[^${"`"}]*${"`"}|https?://[^\s"'<>]+)`,
    String.raw`(?<option>(?<=\s)--?[A-Za-z][\w-]*)`,
    String.raw`(?<number>\b\d[\d.]*\b)`,
    String.raw`(?<word>\b(?:as|await|catch|const|curl|else|false|for|from|function|if|import|new|null|of|printf|return|throw|true|try|False|None|True)\b)`,
  ].join("|"),
  "gm",
);

/** Returns code as HTML whose parts are in elements of the classes `comment`, `key`, `string`, `option`, `number` and `word`. */
export function toColours(code: string): string {
  let html = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(PARTS)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
