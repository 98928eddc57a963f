import { allBoxes, type Box, isTop } from "./boxes.ts";

/** Most pixels by which two boxes may meet. */
const TOLERANCE = 1;

/**
 * Returns the pairs of texts and controls that overlap. What stays in the window is compared with the page behind it only where the page cannot be
 * scrolled out from below it: in the upper half at the top of the page, and in the lower half at its end.
 */
export function findOverlapping(isLeftOut: (element: Element) => boolean): string[] {
  scrollTo({ top: 0, behavior: "instant" });
  const atTop = pairsOf(isLeftOut, (y) => y < innerHeight / 2);
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  const atEnd = pairsOf(isLeftOut, (y) => y > innerHeight / 2 && y < innerHeight);
  scrollTo({ top: 0, behavior: "instant" });
  return [...new Set([...atTop, ...atEnd])];
}

function pairsOf(isLeftOut: (element: Element) => boolean, isFinal: (y: number) => boolean): string[] {
  const boxes = allBoxes()
    .filter(({ element }) => !isLeftOut(element))
    .sort((a, b) => a.rect.top - b.rect.top);
  const pairs: string[] = [];
  for (const [index, box] of boxes.entries())
    for (let next = index + 1; next < boxes.length; next++) {
      const other = boxes[next];
      if (!other || other.rect.top > box.rect.bottom) break;
      const isOfOne =
        box.layer === other.layer || (isFinal(other.rect.top) && !isTop(box.layer) && !isTop(other.layer));
      if (isOfOne && meet(box, other)) pairs.push(`${box.name} overlaps ${other.name}`);
    }
  return pairs;
}

/** A text in a control, and the lines of one element, belong together. */
function meet(a: Box, b: Box): boolean {
  const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
  const height = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
  const isNested = (outer: Box, { element }: Box) =>
    outer.element === element || (!outer.isText && outer.element.contains(element));
  return width > TOLERANCE && height > TOLERANCE && !isNested(a, b) && !isNested(b, a);
}
