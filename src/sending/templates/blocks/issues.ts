import { LiquidTextError, parseLiquid } from "../../../lib/liquid/text.ts";
import type { Language } from "../../../lib/personal-text.ts";
import { escapeHtml, parsePlaceholders } from "../../../lib/placeholders.ts";
import { type Block, blockLimits, columnsOf, isColor, isSafeUrl, TEXT_FIELDS } from "./blocks.ts";
import { toLiquid } from "./code.ts";
import { renderBlocks } from "./render.ts";

/** A field of a block that is wrong, and why. */
export interface BlockIssue {
  field: Exclude<keyof Block, "type">;
  message: string;
}

/** Returns which field of a block is wrong in a template of this language, or null. Pure. */
export const blockIssue = (block: Block, language: Language = "placeholders"): BlockIssue | null =>
  contentIssue(block, language) ?? conditionIssue(block) ?? (language === "liquid" ? liquidIssue(block) : null);

function contentIssue(block: Block, language: Language): BlockIssue | null {
  const { type, text } = block;
  if (type === "divider") return null;
  if (type === "spacer") return heightIssue(text);
  if (type === "part") return partIssue(text);
  if (type === "columns") return columnsIssue(block, language);
  if (text.trim() === "" && type !== "image") return { field: "text", message: `The ${type} has no text` };
  if (block.color !== undefined && !isColor(block.color))
    return { field: "color", message: "The colour must be # and six hexadecimal digits" };
  return textIssue(text, language) ?? (type === "button" || type === "image" ? urlIssue(block, language) : null);
}

function heightIssue(text: string): BlockIssue | null {
  const height = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (height >= 1 && height <= blockLimits.height) return null;
  return { field: "text", message: `The height must be a number from 1 to ${blockLimits.height}` };
}

function partIssue(text: string): BlockIssue | null {
  if (text.trim() === "") return { field: "text", message: "The part has no name" };
  if (Array.from(text).length > blockLimits.name)
    return { field: "text", message: `The name has more than ${blockLimits.name} characters` };
  return /[{}\p{Cc}]/u.test(text) || (text.includes('"') && text.includes("'"))
    ? { field: "text", message: "The name must not contain braces or line breaks, nor both kinds of quotes" }
    : null;
}

function columnsIssue(block: Block, language: Language): BlockIssue | null {
  if (columnsOf(block).every(({ text, url }) => text.trim() === "" && url === ""))
    return { field: "text", message: "The columns have no text and no image" };
  for (const [index, column] of columnsOf(block).entries()) {
    const issue = textIssue(column.text, language) ?? (column.type === "image" ? urlIssue(column, language) : null);
    if (issue === null) continue;
    const right = issue.field === "url" ? "rightUrl" : "rightText";
    return index === 0 ? issue : { ...issue, field: right };
  }
  return null;
}

function textIssue(text: string, language: Language): BlockIssue | null {
  if (text.length > blockLimits.text)
    return { field: "text", message: `The text has ${text.length} characters; the limit is ${blockLimits.text}` };
  return hasEscapedName(text, language) ? { field: "text", message: ESCAPED_NAME } : null;
}

function urlIssue(block: Block, language: Language): BlockIssue | null {
  const { type, url } = block;
  if (url.length > blockLimits.url)
    return { field: "url", message: `The URL has ${url.length} characters; the limit is ${blockLimits.url}` };
  if (hasEscapedName(url, language)) return { field: "url", message: ESCAPED_NAME };
  const schemes = type === "image" ? "https:// or http://" : "https://, http:// or mailto:";
  return isSafeUrl(block) ? null : { field: "url", message: `The URL must begin with ${schemes} and have no spaces` };
}

const ESCAPED_NAME = "The name of a placeholder must not contain &, <, > or quotes";

/** Returns whether a placeholder has another name in HTML, where it is escaped, than in plain text. Liquid is read before HTML. */
const hasEscapedName = (text: string, language: Language) =>
  language === "placeholders" &&
  parsePlaceholders(text).some((part) => typeof part !== "string" && escapeHtml(part.name) !== part.name);

const PATH = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/;
/** Words that Liquid reads as values or operators. */
const WORDS = ["and", "or", "not", "contains", "true", "false", "nil", "null", "empty", "blank"];

function conditionIssue({ showIf, equals = "" }: Block): BlockIssue | null {
  if (!showIf) return equals === "" ? null : { field: "showIf", message: "The condition has no value to compare" };
  if (!PATH.test(showIf) || showIf.length > blockLimits.name || WORDS.includes(showIf))
    return { field: "showIf", message: "The value must be a name such as plan, or a path such as order.total" };
  if (equals.length > blockLimits.name)
    return { field: "equals", message: `The text has more than ${blockLimits.name} characters` };
  return /["{}\p{Cc}]/u.test(equals)
    ? { field: "equals", message: "The text must not contain quotation marks, braces or line breaks" }
    : null;
}

/**
 * Returns the issue of the Liquid in a block, with its line and column in the field. Each field is a text of its own, so a tag that spans
 * fields or blocks is refused.
 */
export function liquidIssue(block: Block): BlockIssue | null {
  if (block.type === "part") return renderIssue(block);
  for (const field of TEXT_FIELDS) {
    try {
      parseLiquid(toLiquid(block[field] ?? ""), "text");
    } catch (error) {
      if (error instanceof LiquidTextError) return { field, message: error.message };
      throw error;
    }
  }
  return null;
}

/** Returns the issue of a part whose tag would render another name, or none. */
function renderIssue(block: Block): BlockIssue | null {
  const { html, text } = renderBlocks([block], "liquid");
  try {
    const parts = [parseLiquid(html ?? "", "html"), parseLiquid(text ?? "", "text")].map((parsed) => parsed.parts);
    return parts.every((names) => names.join("\n") === block.text)
      ? null
      : { field: "text", message: "The name is not valid" };
  } catch (error) {
    if (error instanceof LiquidTextError) return { field: "text", message: error.issue.message };
    throw error;
  }
}
