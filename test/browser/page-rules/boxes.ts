/** The visible texts and controls of a page, as rectangles of the window. */

export interface Box {
  element: Element;
  isText: boolean;
  /** Text of the line, or the name of the control. */
  name: string;
  rect: DOMRect;
  /** The nearest ancestor that the page scrolls behind, or the root element. */
  layer: Element;
}

/** Elements that a person presses or fills in. */
export const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
/** Controls that have a box of their own; a link in a line is its text. */
const BOXED = "button, input:not([type=hidden]), select, textarea, .button, iframe";
/** Elements whose text nodes are not painted where they are, or not at all. */
const UNPAINTED = "script, style, noscript, template, title, select, datalist, textarea, iframe";
/** Smallest side of what a person can see, in pixels: texts for screen readers only are smaller. */
const SEEN = 3;

/** Returns true when an element is painted: it is not only there for screen readers, which a `clip-path` cuts away. */
export function isPainted(element: Element): boolean {
  for (let at: Element | null = element; at; at = at.parentElement)
    if (getComputedStyle(at).clipPath === "inset(50%)") return false;
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
}

/** Returns true when both sides can be seen, and a part of it is right of and below the origin of the page. */
export const isSeen = (rect: DOMRect) =>
  rect.width >= SEEN && rect.height >= SEEN && rect.right + scrollX > 0 && rect.bottom + scrollY > 0;

/** Returns the text nodes that are painted and have letters or digits. */
export function paintedTexts(): { node: Text; parent: Element }[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: { node: Text; parent: Element }[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    const parent = node.parentElement;
    if (parent && /[\p{L}\p{N}]/u.test(node.data) && !parent.closest(UNPAINTED) && isPainted(parent))
      found.push({ node, parent });
  }
  return found;
}

/** Returns the rectangles of the lines of a text. */
export function linesOf(node: Text): DOMRect[] {
  const range = document.createRange();
  range.selectNodeContents(node);
  return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
}

/**
 * Returns the boxes of all texts and controls, each cut by the ancestors that hide what sticks out. Those of a text are the middle of its lines,
 * since the boxes of letters are higher than the letters.
 */
export function allBoxes(): Box[] {
  const clips = new Map<Element, DOMRect | null>();
  const texts = paintedTexts().flatMap(({ node, parent }) => {
    const half = Number.parseFloat(getComputedStyle(parent).fontSize) * 0.35;
    return linesOf(node).map((line) => {
      const middle = (line.top + line.bottom) / 2;
      const rect = new DOMRect(line.left + 1, middle - half, Math.max(0, line.width - 2), 2 * half);
      return { element: parent, isText: true, name: shorten(node.data), rect: cut(rect, clipOf(parent, clips)) };
    });
  });
  const controls = [...document.querySelectorAll(BOXED)].filter(isPainted).map((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const rect = new DOMRect(left + 1, top + 1, Math.max(0, width - 2), Math.max(0, height - 2));
    const clip = element.parentElement && clipOf(element.parentElement, clips);
    return { element, isText: false, name: nameOf(element), rect: cut(rect, clip) };
  });
  return [...texts, ...controls]
    .filter(({ rect }) => isSeen(rect))
    .map((box) => ({ ...box, layer: layerOf(box.element) }));
}

/** Returns a short name of an element for a report: its text or label, and its tag with its classes. */
export function nameOf(element: Element): string {
  const text = element.getAttribute("aria-label") ?? (element.textContent || element.getAttribute("name")) ?? "";
  return `${shorten(text)} <${[element.tagName.toLowerCase(), ...element.classList].join(".")}>`.trim();
}

/** Returns the first words of a text, on one line. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** Returns the nearest ancestor that stays in the window or lies above the page, or the root element. */
function layerOf(element: Element): Element {
  for (let at: Element | null = element; at; at = at.parentElement)
    if (isTop(at) || ["fixed", "sticky"].includes(getComputedStyle(at).position)) return at;
  return document.documentElement;
}

/** Returns true for an open dialog or popover, which lies above the page on purpose. */
export const isTop = (element: Element) => element.matches(":modal, :popover-open, dialog[open]");

/** Returns the part of a rectangle of an element that its ancestors do not hide. */
export function visiblePart(element: Element, rect: DOMRect): DOMRect {
  return cut(rect, element.parentElement && clipOf(element.parentElement, new Map()));
}

/** Returns the part of the window in which the children of an element are painted; null: everywhere. */
function clipOf(element: Element, clips: Map<Element, DOMRect | null>): DOMRect | null {
  if (isRoot(element)) return null;
  const known = clips.get(element);
  if (known !== undefined) return known;
  const { position, overflowX, overflowY } = getComputedStyle(element);
  const above = position === "fixed" || isTop(element) ? null : container(element, position);
  const outer = above && clipOf(above, clips);
  const hides = overflowX !== "visible" || overflowY !== "visible";
  const clip = hides ? cut(element.getBoundingClientRect(), outer) : outer;
  clips.set(element, clip);
  return clip;
}

/** Returns the ancestor by which an element is placed and cut. */
function container(element: Element, position: string): Element | null {
  let above = element.parentElement;
  while (position === "absolute" && above && getComputedStyle(above).position === "static") above = above.parentElement;
  return above;
}

/** The root and the body cut nothing: the window scrolls. */
const isRoot = (element: Element) => element === document.documentElement || element === document.body;

function cut(rect: DOMRect, clip: DOMRect | null): DOMRect {
  if (!clip) return rect;
  const [left, top] = [Math.max(rect.left, clip.left), Math.max(rect.top, clip.top)];
  const [right, bottom] = [Math.min(rect.right, clip.right), Math.min(rect.bottom, clip.bottom)];
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
}
