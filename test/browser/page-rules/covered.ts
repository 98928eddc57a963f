import { CONTROLS, isPainted, isSeen, isTop, nameOf, visiblePart } from "./boxes.ts";

/** Returns the controls that are not what a person presses at their centre, when they are scrolled to the middle of the window. */
export function findCovered(isLeftOut: (element: Element) => boolean): string[] {
  const top = [...document.querySelectorAll("*")].findLast(isTop);
  const faults: string[] = [];
  for (const control of document.querySelectorAll<HTMLElement>(CONTROLS)) {
    if (isLeftOut(control) || !isPainted(control) || (top && !top.contains(control)) || control.closest("[inert]"))
      continue;
    control.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const line = largest([...control.getClientRects()]);
    const rect = line && visiblePart(control, line);
    if (!rect || !isSeen(rect)) continue;
    const hit = document.elementFromPoint((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
    if (!hit || !isPressed(control, hit))
      faults.push(`${nameOf(control)} is covered by ${hit ? nameOf(hit) : "nothing"}`);
  }
  scrollTo({ top: 0, left: 0, behavior: "instant" });
  return faults;
}

/** A press on the label of a field reaches the field. */
const isPressed = (control: HTMLElement, hit: Element) =>
  control.contains(hit) || [...((control as HTMLInputElement).labels ?? [])].some((label) => label.contains(hit));

/** A link of several lines has a box for each, between which its centre may be. */
const largest = (rects: readonly DOMRect[]) => rects.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
