import { escapeHtml, parsePlaceholders } from "../../../lib/placeholders.ts";
import { type Block, type BlockType, isSafeUrl } from "./blocks.ts";

/** Mail programs read few stylesheets, so each element has its style. */
const STYLE = {
  page: "max-width:600px;margin:0 auto;padding:16px;font:16px/1.5 system-ui,sans-serif;color:#1c2024",
  heading: "font-size:24px;line-height:1.25;margin:24px 0 12px",
  text: "margin:0 0 16px",
  button:
    "display:inline-block;padding:10px 20px;border-radius:4px;background:#1f5fbf;color:#ffffff;text-decoration:none",
  image: "display:block;max-width:100%;height:auto;margin:0 0 16px",
  divider: "border:0;border-top:1px solid #7a838d;margin:24px 0",
} as const;

/**
 * Renders blocks as HTML and plain text, in which placeholders stay. All other text is escaped, and a URL that `isSafeUrl`
 * refuses is left out. Returns null for both when there is no block. Pure.
 */
export function renderBlocks(blocks: readonly Block[]): { html: string | null; text: string | null } {
  if (blocks.length === 0) return { html: null, text: null };
  // A line break ends a name, so no placeholder can begin in one block and end in the next.
  const html = blocks.map((block) => HTML[block.type](block)).join("\n");
  const text = blocks.map(toText).filter((part) => part !== "");
  return { html: `<div style="${STYLE.page}">\n${html}\n</div>\n`, text: `${text.join("\n\n")}\n` };
}

const HTML: Readonly<Record<BlockType, (block: Block) => string>> = {
  heading: ({ text }) => `<h1 style="${STYLE.heading}">${escaped(text)}</h1>`,
  text: ({ text }) =>
    text
      .trim()
      .split(/\n{2,}/)
      .map((paragraph) => `<p style="${STYLE.text}">${escaped(paragraph).replaceAll("\n", "<br>\n")}</p>`)
      .join("\n"),
  button: (block) => {
    const href = isSafeUrl(block) ? ` href="${escaped(block.url)}"` : "";
    return `<p style="${STYLE.text}"><a${href} style="${STYLE.button}">${escaped(block.text)}</a></p>`;
  },
  image: (block) => {
    const src = isSafeUrl(block) ? ` src="${escaped(block.url)}"` : "";
    return `<img${src} alt="${escaped(block.text)}" style="${STYLE.image}">`;
  },
  divider: () => `<hr style="${STYLE.divider}">`,
};

function toText(block: Block): string {
  const { type, text } = block;
  if (type === "divider") return "-".repeat(40);
  return type === "button" && isSafeUrl(block) ? `${text.trim()}\n${block.url}` : text.trim();
}

/** Escapes a text but its placeholders. Other braces become entities, so that none joins them to a placeholder. */
function escaped(text: string): string {
  return parsePlaceholders(text)
    .map((part) => (typeof part === "string" ? escapeBraces(escapeHtml(part)) : `{{${escapeHtml(part.name)}}}`))
    .join("");
}

const escapeBraces = (text: string) => text.replaceAll("{", "&#123;").replaceAll("}", "&#125;");
