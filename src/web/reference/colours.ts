/** The parts of code that have a colour, in every language. A quote of the shell around JSON is no string, so that the JSON has colours. */
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

/** Quotes stay, since no code is in an attribute: a page with all operations on emails has thousands of them. */
const escapeCode = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Returns code as HTML whose parts are in elements of the classes `comment`, `key`, `string`, `option`, `number` and `word`. */
export function toColours(code: string): string {
  let html = "";
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(PARTS)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    html += `${escapeCode(code.slice(end, index))}<i class="${kind}">${escapeCode(text)}</i>`;
    end = index + text.length;
  }
  return html + escapeCode(code.slice(end));
}
