import { escapeHtml, parsePlaceholders } from "../../../lib/placeholders.ts";

/** Blocks of a template: their kinds, limits and issues. Pure. */

export const BLOCK_TYPES = ["heading", "text", "button", "image", "divider"] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** One block. The text of an image is its alternative text; only buttons and images have a URL, and a divider has neither. */
export interface Block {
  type: BlockType;
  text: string;
  url: string;
}

/** Greatest number of blocks of a template, and lengths of text and URL of a block in UTF-16 units. */
export const blockLimits = { blocks: 100, text: 10_000, url: 2_000 } as const;

/** A URL begins with its scheme, so that no value of a placeholder can choose another one, such as `javascript:`. */
const LINK = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu;
const IMAGE = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** Returns whether a block may lead to its URL, or show the image there. */
export const isSafeUrl = ({ type, url }: Block) => (type === "image" ? IMAGE : LINK).test(url);

/** Returns which field of a block is wrong and why, or null. */
export function blockIssue(block: Block): { field: "text" | "url"; message: string } | null {
  const { type, text, url } = block;
  if (type === "divider") return null;
  if (text.trim() === "" && type !== "image") return { field: "text", message: `The ${type} has no text` };
  if (text.length > blockLimits.text)
    return { field: "text", message: `The text has ${text.length} characters; the limit is ${blockLimits.text}` };
  if (hasEscapedName(text)) return { field: "text", message: ESCAPED_NAME };
  if (type !== "button" && type !== "image") return null;
  if (url.length > blockLimits.url)
    return { field: "url", message: `The URL has ${url.length} characters; the limit is ${blockLimits.url}` };
  if (hasEscapedName(url)) return { field: "url", message: ESCAPED_NAME };
  const schemes = type === "image" ? "https:// or http://" : "https://, http:// or mailto:";
  return isSafeUrl(block) ? null : { field: "url", message: `The URL must begin with ${schemes} and have no spaces` };
}

const ESCAPED_NAME = "The name of a placeholder must not contain &, <, > or quotes";

/** Returns whether a placeholder has another name in HTML, where it is escaped, than in plain text. */
const hasEscapedName = (text: string) =>
  parsePlaceholders(text).some((part) => typeof part !== "string" && escapeHtml(part.name) !== part.name);

const isType = (type: unknown): type is BlockType => BLOCK_TYPES.some((known) => known === type);

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
  const { type, text, url } = value as Partial<Record<keyof Block, unknown>>;
  if (!isType(type) || typeof text !== "string" || typeof url !== "string") return null;
  return { type, text, url };
}
