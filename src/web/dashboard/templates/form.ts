import { unprocessable } from "../../../lib/errors.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
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

/** The fields of the form of a template, as they were filled in. */
export interface TemplateForm {
  name: string;
  subject: string;
  /** Language of subject, HTML and text, as it was chosen: some blocks need Liquid. */
  language: Language;
  html_body: string;
  text_body: string;
  /** Null: the template is HTML. The HTML and text of blocks are made of them. */
  blocks: Block[] | null;
  /** Of what the form began from. Empty: a new template. */
  version: string;
}

/** Returns an empty form: of HTML (null), or of blocks that it begins with. */
export const emptyForm = (blocks: Block[] | null): TemplateForm => ({
  name: "",
  subject: "",
  language: "placeholders" as const,
  html_body: "",
  text_body: "",
  blocks,
  version: "",
});

/** Returns the form of a stored template. */
export function toForm(template: TemplateOut): TemplateForm {
  const form = {
    name: template.name,
    subject: template.subject ?? "",
    language: template.language,
    html_body: template.html_body ?? "",
    text_body: template.text_body ?? "",
    blocks: readBlocks(template.blocks_json),
    version: "",
  };
  return { ...form, version: versionOf(valuesOf(form)) };
}

/** Returns what the form shows and changes, by label. */
export function valuesOf({ name, subject, language, html_body, text_body, blocks }: TemplateForm): FormValues {
  const content = blocks
    ?.map((block) =>
      [`${block.type}:`, ...BLOCK_FIELDS.map((field) => block[field] ?? "")].filter((part) => part !== "").join(" "),
    )
    .join("\n");
  return {
    Name: name,
    Subject: subject,
    Language: language,
    ...(content === undefined ? { HTML: html_body, Text: text_body } : { Blocks: content }),
  };
}

/** Reads the submitted form. */
export function toTemplateForm(fields: URLSearchParams): TemplateForm {
  const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
  const blocks: Block[] = [];
  for (
    let type = toType(fields, 0);
    type && blocks.length <= blockLimits.blocks;
    type = toType(fields, blocks.length)
  ) {
    blocks.push(toBlock(type, readBlockFields(field, blocks.length)));
  }
  return {
    name: field("name"),
    subject: field("subject"),
    html_body: field("html_body"),
    text_body: field("text_body"),
    language: languages.find((language) => language === fields.get("language")) ?? "placeholders",
    blocks: fields.get("editor") === "blocks" ? blocks : null,
    version: field("version"),
  };
}

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

/** Returns the body of the API call that saves the form. Throws 422 that names the fields of blocks that are wrong. */
export function toRequest(form: TemplateForm) {
  const request = { name: form.name, subject: form.subject || null };
  const language = form.blocks === null ? form.language : languageOf(form.blocks, form.language);
  if (form.blocks === null)
    return { ...request, language, html_body: form.html_body || null, text_body: form.text_body || null };
  const { html, text } = renderBlocks(checkBlocks(form.blocks, language), language);
  return { ...request, language, html_body: html, text_body: text, blocks_json: toBlocksJson(form.blocks) };
}

function checkBlocks(blocks: readonly Block[], language: Language): readonly Block[] {
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

interface Preview {
  language: Language;
  html: string | null;
  text: string | null;
  /** The first mistake in the Liquid of a block. Absent: there is none. */
  mistake?: string;
}

/** Returns the content that the preview of a form shows. It loads nothing, so images are their alternative texts. */
export function toPreview(form: TemplateForm): Preview {
  if (form.blocks === null)
    return { language: form.language, html: form.html_body || null, text: form.text_body || null };
  const language = languageOf(form.blocks, form.language);
  // A part without a name yet would be a mistake in place of all blocks.
  const blocks = form.blocks.filter(({ type, text }) => type !== "part" || text.trim() !== "");
  const [mistake] = language === "liquid" ? form.blocks.flatMap(mistakesOf) : [];
  if (mistake !== undefined) return { language, html: null, text: null, mistake };
  return { language, ...renderBlocks(blocks.map(withoutImages), language) };
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

/** A change of blocks that a button of the form makes. */
export interface BlocksChange {
  blocks: Block[];
  /** The element that has the focus afterwards: the name of a field, or the value of a button. */
  focus: string;
  /** The text that screen readers say. */
  said: string;
}

/**
 * Returns the blocks after a button was pressed: `add:<type>` adds one at the end and `add:<type>:<n>` before block n, `up:<n>`,
 * `down:<n>` and `remove:<n>` change one. Null: another button. `color`: that of new buttons.
 */
export function changeBlocks(blocks: readonly Block[], action: string, color?: string): BlocksChange | null {
  const [verb, argument = "", before] = action.split(":");
  const added = BLOCK_TYPES.find((type) => type === argument);
  if (verb === "add" && added) return addBlock(blocks, added, before, color);
  const index = Number(argument);
  const block = blocks[index];
  if (!block) return null;
  const others = blocks.filter((_, other) => other !== index);
  if (verb === "remove") {
    const focus = others.length === 0 ? `add:${BLOCK_TYPES[0]}` : `remove:${Math.min(index, others.length - 1)}`;
    return { blocks: others, focus, said: `Block ${index + 1}, ${block.type}, is removed.` };
  }
  if (verb !== "up" && verb !== "down") return null;
  const to = verb === "up" ? index - 1 : index + 1;
  if (to < 0 || to > others.length) return null;
  const isAtEnd = to === (verb === "up" ? 0 : others.length);
  // A button at the end of its way is disabled and can have no focus.
  const focus = `${isAtEnd ? (verb === "up" ? "down" : "up") : verb}:${to}`;
  const said = `The ${block.type} is block ${to + 1} of ${blocks.length} now.`;
  return { blocks: others.toSpliced(to, 0, block), focus, said };
}

/** Height of a new spacer. */
const SPACER_PX = "32";

function addBlock(blocks: readonly Block[], type: BlockType, before: string | undefined, color = ""): BlocksChange {
  const wanted = before === undefined ? blocks.length : Number(before);
  const index = Number.isInteger(wanted) ? Math.min(Math.max(0, wanted), blocks.length) : blocks.length;
  const focus = type === "divider" ? `remove:${index}` : fieldOf(index, "text");
  const said = `A ${type} is block ${index + 1} of ${blocks.length + 1} now.`;
  const text = type === "spacer" ? SPACER_PX : "";
  return {
    blocks: blocks.toSpliced(index, 0, toBlock(type, { text, color: type === "button" ? color : "" })),
    focus,
    said,
  };
}
