import { Marked } from "marked";
import { toColours } from "../src/web/reference/colours.ts";
import { headingId } from "../src/web/reference/heading-id.ts";

/** Raw HTML of a document is dropped: the documents have none but comments. */
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    // In a list marked leaves the indentation of the first line.
    code: ({ text }) => `<pre><code>${toColours(text.trimStart())}</code></pre>\n`,
    html: () => "",
  },
});

/**
 * Returns the HTML of a document of this repository without its title. Code and tables scroll sideways in boxes of their own, which
 * the keyboard reaches.
 */
export function toHtml(markdown: string): string {
  const body = markdown.replace(/^# .*\n/, "");
  let boxes = 0;
  const open = (kind: string, label: string) =>
    `<section class="${kind}" aria-label="${label} ${++boxes}" tabindex="0"`;
  return marked
    .parse(body, { async: false })
    .replace(/<pre>/g, () => `${open("code-box", "Example")} data-copy="" data-what="the example"><pre>`)
    .replaceAll("</pre>", "</pre></section>")
    .replace(/<table>/g, () => `${open("table", "Table")}><table>`)
    .replaceAll("</table>", "</table></section>");
}
