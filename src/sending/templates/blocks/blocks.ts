import type { Language } from "../../../lib/personal-text.ts";
import { hasTag, withoutTags } from "./code.ts";

/** Blocks of a template: their kinds, limits and stored form. Pure. */

export const BLOCK_TYPES = ["heading", "text", "button", "image", "columns", "divider", "spacer", "part"] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/**
 * One block. The text of an image is its alternative text, that of a spacer its height in px, and that of a part the name of another
 * template. A divider has no text.
 */
export interface Block {
  type: BlockType;
  text: string;
  /** Of a button or an image. */
  url: string;
  /** Of columns: text and image of the right one. `text` and `url` are those of the left one. */
  rightText?: string;
  rightUrl?: string;
  /** Of a button, as `#` and six hexadecimal digits. Absent: the usual one. */
  color?: string;
  /** The value that shows the block when an email has it, as a path: `order.total`. Absent: it is always shown. */
  showIf?: string;
  /** The text that `showIf` has to equal. Absent: anything but an empty text, an empty list and false. */
  equals?: string;
}

/** Members of a block beside its type. */
export const BLOCK_FIELDS = ["text", "url", "rightText", "rightUrl", "color", "showIf", "equals"] as const;

/** Greatest number of blocks of a template, lengths of text and URL of a block in UTF-16 units, and height of a spacer in px. */
export const blockLimits = { blocks: 100, text: 10_000, url: 2_000, name: 200, height: 200 } as const;

/** A URL begins with its scheme, so that no value of a placeholder can choose another one, such as `javascript:`. */
const LINK = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu;
const IMAGE = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** Returns whether a block may lead to its URL, or show the image there. Tags may have spaces, and follow the scheme. */
export const isSafeUrl = ({ type, url }: Pick<Block, "type" | "url">) =>
  (type === "button" ? LINK : IMAGE).test(withoutTags(url));

/** Colour of a button that has none. */
export const BUTTON_COLOR = "#1f5fbf";

export const isColor = (text: string | undefined): text is string => /^#[0-9a-f]{6}$/i.test(text ?? "");

/** Members of a block that an email shows, and in which placeholders and tags are rendered. */
export const TEXT_FIELDS = ["text", "url", "rightText", "rightUrl"] as const;

/** Returns the language of a template of blocks: conditions, parts and tags need Liquid, whatever was chosen. */
export const languageOf = (blocks: readonly Block[], chosen: Language = "placeholders"): Language =>
  blocks.some((block) => block.type === "part" || block.showIf || TEXT_FIELDS.some((name) => hasTag(block[name] ?? "")))
    ? "liquid"
    : chosen;

/** Returns the columns of a block: each is an image when it has a URL, else a text. */
export const columnsOf = ({ text, url, rightText = "", rightUrl = "" }: Block): Block[] =>
  [
    { text, url },
    { text: rightText, url: rightUrl },
  ].map((column) => ({ type: column.url === "" ? "text" : "image", ...column }));

const isType = (type: unknown): type is BlockType => BLOCK_TYPES.some((known) => known === type);

/** Returns a block whose optional members are absent when they are empty. */
export function toBlock(type: BlockType, fields: Partial<Record<(typeof BLOCK_FIELDS)[number], string>>): Block {
  const { text = "", url = "", ...others } = fields;
  return { type, text, url, ...Object.fromEntries(Object.entries(others).filter(([, value]) => value)) };
}

/** Returns `blocks_json` of blocks. */
export const toBlocksJson = (blocks: readonly Block[]) => ({ version: 1, blocks: [...blocks] });

/** Returns the blocks in `blocks_json` of a template. Null: it has none, or they are those of another editor. */
export function readBlocks(json: Readonly<Record<string, unknown>> | null): Block[] | null {
  if (json?.version !== 1 || !Array.isArray(json.blocks) || json.blocks.length > blockLimits.blocks) return null;
  const blocks = json.blocks.map(readBlock);
  return blocks.every((block) => block !== null) ? blocks : null;
}

function readBlock(value: unknown): Block | null {
  if (typeof value !== "object" || value === null) return null;
  const members = value as Partial<Record<keyof Block, unknown>>;
  const { type, text, url } = members;
  if (!isType(type) || typeof text !== "string" || typeof url !== "string") return null;
  const fields = BLOCK_FIELDS.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]]));
  if (!fields.every(([, field]) => typeof field === "string")) return null;
  return toBlock(type, Object.fromEntries(fields));
}
