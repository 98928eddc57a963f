import { unprocessable } from "../../../lib/errors.ts";
import type { FormValues } from "../../../lib/form-version.ts";
import { type Language, languages } from "../../../lib/personal-text.ts";
import {
  BLOCK_FIELDS,
  BLOCK_TYPES,
  type Block,
  type BlockType,
  blockIssue,
  blockLimits,
  columnsOf,
  languageOf,
  liquidIssue,
  readBlocks,
  renderBlocks,
  type TemplateOut,
  toBlock,
  toBlocksJson,
} from "../../../sending/templates/index.ts";
import type { PreviewedContent } from "../sample-values.ts";

/** A content in the form of a template, a broadcast or the step of an automation. */
export interface WrittenContent {
  /** As it was chosen: some blocks need Liquid. */
  language: Language;
  html_body: string;
  text_body: string;
  /** Null: HTML and text are written. Those of blocks are made of them. */
  blocks: Block[] | null;
}

/** A content as it is stored. */
export type StoredContent = Pick<TemplateOut, "language" | "html_body" | "text_body" | "blocks_json">;

/** Returns whether a content is still to be written. */
export const isBlank = (stored: StoredContent | null) =>
  !stored?.html_body && !stored?.text_body && readBlocks(stored?.blocks_json ?? null) === null;

/** Returns a stored content as a form has it. */
export const toContent = ({ language, html_body, text_body, blocks_json }: StoredContent): WrittenContent => ({
  language,
  html_body: html_body ?? "",
  text_body: text_body ?? "",
  blocks: readBlocks(blocks_json),
});

/** Reads the content of a submitted form. */
export function readContent(fields: URLSearchParams): WrittenContent {
  const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
  const blocks: Block[] = [];
  while (blocks.length <= blockLimits.blocks) {
    const type = toType(fields, blocks.length);
    if (!type) break;
    blocks.push(toBlock(type, readBlockFields(field, blocks.length)));
  }
  return {
    language: languages.find((language) => language === fields.get("language")) ?? "placeholders",
    html_body: field("html_body"),
    text_body: field("text_body"),
    blocks: fields.get("editor") === "blocks" ? blocks : null,
  };
}

/** Returns what a form shows and changes of a content, by label. Blocks are one text. */
export const contentValues = ({ language, html_body, text_body, blocks }: WrittenContent): FormValues => ({
  Language: language,
  ...(blocks === null ? { HTML: html_body, Text: text_body } : { Blocks: blocks.map(describe).join("\n") }),
});

const describe = (block: Block) =>
  [`${block.type}:`, ...BLOCK_FIELDS.map((field) => block[field] ?? "")].filter((part) => part !== "").join(" ");

/** Returns the fields of a block. Its texts keep their spaces, since a line break in them means a paragraph. */
function readBlockFields(field: (name: string) => string, index: number) {
  const values = BLOCK_FIELDS.map((name) => [name, field(fieldOf(index, name))] as const);
  return Object.fromEntries(
    values.map(([name, value]) => [name, name === "text" || name === "rightText" ? value : value.trim()]),
  );
}

/** Returns the name of a field of a block. */
export const fieldOf = (index: number, field: keyof Block) => `b.${index}.${field}`;

const toType = (fields: URLSearchParams, index: number): BlockType | undefined =>
  BLOCK_TYPES.find((type) => type === fields.get(fieldOf(index, "type")));

/** Returns the content of a form as a request has it. HTML in place of stored blocks deletes them. Throws 422 at wrong blocks. */
export function toTexts({ blocks, ...content }: WrittenContent, stored: readonly Block[] | null = null) {
  if (blocks !== null) {
    const { language, html, text } = render(checkBlocks(blocks, content.language), content.language);
    return { language, html_body: html, text_body: text, blocks_json: toBlocksJson(blocks) };
  }
  const texts = {
    language: content.language,
    html_body: content.html_body || null,
    text_body: content.text_body || null,
  };
  return stored === null ? texts : { ...texts, blocks_json: null };
}

/** Returns HTML and text of blocks, and their language. */
export function render(blocks: readonly Block[], chosen: Language) {
  const language = languageOf(blocks, chosen);
  return { language, ...renderBlocks(blocks, language) };
}

function checkBlocks(blocks: readonly Block[], chosen: Language): readonly Block[] {
  const language = languageOf(blocks, chosen);
  const errors = blocks.flatMap((block, index) => {
    const error = blockIssue(block, language);
    if (error === null) return [];
    return [{ loc: ["body", fieldOf(index, error.field)], msg: inBlock(index, error), type: "value_error" }];
  });
  if (blocks.length > blockLimits.blocks)
    errors.push({ loc: ["body", "blocks"], msg: `At most ${blockLimits.blocks} blocks`, type: "value_error" });
  if (errors.length > 0) throw unprocessable(errors);
  return blocks;
}

const inBlock = (index: number, { message }: { message: string }) => `Block ${index + 1}: ${message}`;

/** Returns what the preview of a form shows, or the first mistake in the Liquid of a block. It loads no images, but has their texts. */
export function toPreview(content: WrittenContent): PreviewedContent | string {
  const { blocks, language: chosen, html_body, text_body } = content;
  if (blocks === null) return { language: chosen, html: html_body || null, text: text_body || null };
  // A part without a name yet would be a mistake in place of all blocks.
  const shown = blocks.filter(({ type, text }) => type !== "part" || text.trim() !== "");
  const language = languageOf(blocks, chosen);
  const [mistake] = language === "liquid" ? blocks.flatMap(mistakesOf) : [];
  return mistake ?? { language, ...renderBlocks(shown.map(withoutImages), language) };
}

function mistakesOf(block: Block, index: number): string[] {
  const issue = block.type === "part" ? null : liquidIssue(block);
  return issue ? [inBlock(index, issue)] : [];
}

const imageText = (text: string) => `[${text || "Image"}]`;

function withoutImages(block: Block): Block {
  if (block.type === "image") return { ...block, type: "text", text: imageText(block.text) };
  if (block.type !== "columns") return block;
  const [text = "", rightText = ""] = columnsOf(block).map((column) =>
    column.type === "image" ? imageText(column.text) : column.text,
  );
  return { ...block, text, url: "", rightText, rightUrl: "" };
}
