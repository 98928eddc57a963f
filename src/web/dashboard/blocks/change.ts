import { BLOCK_TYPES, type Block, type BlockType, toBlock } from "../../../sending/templates/index.ts";
import { fieldOf } from "./content.ts";

/** A change of blocks that a button of the form makes. */
export interface BlocksChange {
  blocks: Block[];
  /** The element that has the focus afterwards: the name of a field, or the value of a button. */
  focus: string;
  /** The text that screen readers say. */
  said: string;
}

/**
 * Returns the change of blocks that the button of a submitted form asks for: `add:<type>` adds one at the end and `add:<type>:<n>` before
 * block n, `up:<n>`, `down:<n>` and `remove:<n>` change one. Undefined: no blocks, or another button. `color`: that of new buttons.
 */
export function changeOf(
  blocks: readonly Block[] | null | undefined,
  fields: URLSearchParams | undefined,
  color?: string,
): BlocksChange | undefined {
  const [verb, argument = "", before] = (fields?.get("action") ?? "").split(":");
  const added = BLOCK_TYPES.find((type) => type === argument);
  if (blocks && verb === "add" && added) return addBlock(blocks, added, before, color);
  const index = Number(argument);
  const block = blocks?.[index];
  if (!blocks || !block) return undefined;
  const others = blocks.filter((_, other) => other !== index);
  if (verb === "remove") {
    const focus = others.length === 0 ? `add:${BLOCK_TYPES[0]}` : `remove:${Math.min(index, others.length - 1)}`;
    return { blocks: others, focus, said: `Block ${index + 1}, ${block.type}, is removed.` };
  }
  if (verb !== "up" && verb !== "down") return undefined;
  const to = verb === "up" ? index - 1 : index + 1;
  if (to < 0 || to > others.length) return undefined;
  const isAtEnd = to === (verb === "up" ? 0 : others.length);
  // A button at the end of its way is disabled and can have no focus.
  const focus = `${isAtEnd ? (verb === "up" ? "down" : "up") : verb}:${to}`;
  const said = `The ${block.type} is block ${to + 1} of ${blocks.length} now.`;
  return { blocks: others.toSpliced(to, 0, block), focus, said };
}

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
