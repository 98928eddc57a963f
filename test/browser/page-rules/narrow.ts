import { linesOf, paintedTexts, shorten } from "./boxes.ts";

/** Fewest characters that a line of words has room for. */
const CHARACTERS = 12;
/** Width of a character, in its font size, on the average of a text. */
const CHARACTER_WIDTH = 0.5;

/** Returns the texts that are broken into lines because their column is narrower than 12 characters. */
export function findNarrow(isLeftOut: (element: Element) => boolean): string[] {
  const texts = paintedTexts().filter(({ parent }) => !isLeftOut(parent));
  return texts.flatMap(({ node, parent }) => {
    const size = Number.parseFloat(getComputedStyle(parent).fontSize);
    const [first, ...others] = linesOf(node);
    if (!first || !others.some(({ top }) => Math.abs(top - first.top) > size / 2)) return [];
    const width = columnWidth(parent);
    if (width <= 1 || width >= CHARACTERS * CHARACTER_WIDTH * size) return [];
    return [`${shorten(node.data)} stands in a column of ${Math.round(width)} px`];
  });
}

/** Returns the width of the block around a text, without its padding. */
function columnWidth(element: Element): number {
  let block = element;
  while (block.parentElement && ["inline", "contents"].includes(getComputedStyle(block).display))
    block = block.parentElement;
  const { paddingLeft, paddingRight } = getComputedStyle(block);
  return block.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}
