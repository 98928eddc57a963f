/** Looks of pages: light and dark, in wide and narrow windows. */
import type { Page } from "playwright-core";
import { isFull } from "./extent.ts";

export interface Look {
  colorScheme: "light" | "dark";
  /** Of the window, in CSS pixels. */
  width: number;
}

/** Two looks that between them have each colour scheme and each width. */
const TWO_LOOKS: readonly Look[] = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
];
const EVERY_LOOK: readonly Look[] = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1280, 320].map((width) => ({ colorScheme, width })),
);
/** The looks in which each page is tested: quickly one of two, by turns. */
const LOOKS = isFull ? EVERY_LOOK : TWO_LOOKS;

let looks = 0;

/** Returns the looks in which the next page is tested. */
export const nextLooks = (): readonly Look[] => (isFull ? LOOKS : LOOKS.slice(looks++ % 2).slice(0, 1));

/** Shows the page in a look. Transitions are off: a colour on its way would be seen, and its contrast measured. */
export async function show(page: Page, { colorScheme, width }: Look, height = width < 600 ? 640 : 800): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height });
}
