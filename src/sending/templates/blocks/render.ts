import type { Language } from "../../../lib/personal-text.ts";
import { escapeHtml } from "../../../lib/placeholders.ts";
import { textColorOn } from "../../../lib/text-color.ts";
import { type Block, type BlockType, BUTTON_COLOR, columnsOf, isColor, isSafeUrl, languageOf } from "./blocks.ts";
import { joinTagLines, splitCode } from "./code.ts";

const FONT = "font:16px/1.5 system-ui,sans-serif;color:#1c2024";
/** Mail programs read few stylesheets, so each element has its style. Some do not inherit a font into a table. */
const STYLE = {
  page: `max-width:600px;margin:0 auto;padding:16px;${FONT}`,
  heading: "font-size:24px;line-height:1.25;margin:24px 0 12px",
  text: "margin:0 0 16px",
  button: "display:inline-block;padding:10px 20px;border-radius:4px",
  image: "display:block;max-width:100%;height:auto;margin:0 0 16px",
  divider: "border:0;border-top:1px solid #7a838d;margin:24px 0",
  table: "width:100%;border-collapse:collapse",
  columns: [`padding:0 8px 0 0;${FONT}`, `padding:0 0 0 8px;${FONT}`],
} as const;

/**
 * Renders blocks as HTML and plain text in a language: placeholders and tags stay in both, and conditions and parts become Liquid. All
 * other text is escaped, and a URL that `isSafeUrl` refuses is left out. Returns null for both when there is no block. Pure.
 */
export function renderBlocks(
  blocks: readonly Block[],
  language: Language = languageOf(blocks),
): { html: string | null; text: string | null } {
  if (blocks.length === 0) return { html: null, text: null };
  // A line break ends a name, so no placeholder can begin in one block and end in the next.
  const html = blocks.map((block) => conditional(block, `${HTML[block.type](block, language)}\n`)).join("");
  const text = blocks.flatMap((block) => {
    const written = toText(block, language);
    return written === "" ? [] : [{ block, written }];
  });
  return {
    html: `<div style="${STYLE.page}">\n${html}</div>\n`,
    text:
      text
        .map(({ block, written }, index) => conditional(block, written + (index < text.length - 1 ? "\n\n" : "\n")))
        .join("") || "\n",
  };
}

/** Returns what is written when the condition of a block is met, with the line breaks that end it. */
function conditional({ showIf, equals }: Block, written: string): string {
  if (!showIf) return written;
  // The values of an email are texts where they were imported, else also numbers and booleans.
  const literal = equals && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(equals) ? ` or ${showIf} == ${equals}` : "";
  const condition = equals ? `${showIf} == "${equals}"${literal}` : `${showIf} != blank`;
  return `{% if ${condition} %}${written}{% endif %}`;
}

const HTML: Readonly<Record<BlockType, (block: Block, language: Language) => string>> = {
  heading: ({ text }, language) => `<h1 style="${STYLE.heading}">${escaped(text, language)}</h1>`,
  text: ({ text }, language) => {
    const start = `<p style="${STYLE.text}">`;
    // Tags are always within a paragraph, so what they leave out or repeat ends as many as it begins.
    const toBreaks = (html: string) =>
      html.replace(/\n+/g, (breaks) => (breaks.length > 1 ? `</p>\n${start}` : "<br>\n"));
    return `${start}${escaped(joinTagLines(text.trim(), language), language, toBreaks)}</p>`;
  },
  button: (block, language) => {
    const color = isColor(block.color) ? block.color : BUTTON_COLOR;
    const href = isSafeUrl(block) ? ` href="${escaped(block.url, language)}"` : "";
    return `<p style="${STYLE.text}"><a${href} style="${STYLE.button};background:${color};color:${textColorOn(color)};text-decoration:none">${escaped(block.text, language)}</a></p>`;
  },
  image: (block, language) => {
    const src = isSafeUrl(block) ? ` src="${escaped(block.url, language)}"` : "";
    return `<img${src} alt="${escaped(block.text, language)}" style="${STYLE.image}">`;
  },
  columns: (block, language) => {
    const cells = columnsOf(block).map(
      (column, index) =>
        `<td width="50%" valign="top" style="${STYLE.columns[index]}">\n${column.type === "text" && column.text.trim() === "" ? "" : HTML[column.type](column, language)}\n</td>`,
    );
    return `<table role="presentation" style="${STYLE.table}"><tr>\n${cells.join("\n")}\n</tr></table>`;
  },
  divider: () => `<hr style="${STYLE.divider}">`,
  spacer: ({ text }) => {
    const height = Number.parseInt(text, 10) || 0;
    return `<div style="height:${height}px;font-size:1px;line-height:${height}px">&nbsp;</div>`;
  },
  part: ({ text }) => renderTag(text),
};

function toText(block: Block, language: Language): string {
  const { type, text } = block;
  if (type === "divider") return "-".repeat(40);
  if (type === "spacer") return "";
  if (type === "part") return renderTag(text);
  if (type === "columns")
    return columnsOf(block)
      .map((column) => toText(column, language))
      .filter((column) => column !== "")
      .join("\n\n");
  const written = literal(joinTagLines(text.trim(), language), language);
  return type === "button" && isSafeUrl(block) ? `${written}\n${literal(block.url, language)}` : written;
}

/** Returns the tag that renders another template. A text of Liquid has no escapes; its quotes are those that the name does not have. */
const renderTag = (name: string) => `{% render ${name.includes('"') ? `'${name}'` : `"${name}"`} %}`;

/** Returns a plain text whose braces beside placeholders and tags are no Liquid. */
function literal(text: string, language: Language): string {
  if (language === "placeholders") return text;
  return splitCode(text, language)
    .map(({ source, code }) => code ?? source.replace(/\{+/g, '{{ "$&" }}'))
    .join("");
}

/** A section that Liquid writes as it is. */
const RAW = /^(\{%-?\s*raw\s*-?%\})([\s\S]*)(\{%[^%]*%\})$/;

/**
 * Escapes a text but its placeholders and tags. Other braces become entities, so that none joins them to a placeholder. Liquid is read
 * before HTML. `toBreaks`: writes the line breaks of what was escaped.
 */
function escaped(text: string, language: Language, toBreaks = (html: string) => html): string {
  return splitCode(text, language)
    .map(({ source, code }) => {
      if (code === null) return toBreaks(escapeBraces(escapeHtml(source)));
      if (language === "placeholders") return escapeHtml(code);
      return code.replace(RAW, (_, start, content, end) => `${start}${toBreaks(escapeHtml(content))}${end}`);
    })
    .join("");
}

const escapeBraces = (text: string) => text.replaceAll("{", "&#123;").replaceAll("}", "&#125;");
