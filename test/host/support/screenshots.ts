/** Pictures of pages in light and dark, in wide and narrow windows. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
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

/** Returns the looks in which the next page is tested. */
export const nextLooks = (): readonly Look[] => (isFull ? LOOKS : LOOKS.slice(pictures % 2).slice(0, 1));

/** Greatest height of a picture, in CSS pixels. */
const MAX_HEIGHT = 2_400;
const folder = process.env.SCREENSHOTS;
let pictures = 0;

/** Shows the page in a look. Transitions are off: a colour on its way would be seen, and its contrast measured. */
export async function show(page: Page, { colorScheme, width }: Look, height = width < 600 ? 640 : 800): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height });
}

/** Returns a name for the next picture, such as `0012-new-webhook`. Names sort in the order of the pictures of a test file. */
export function pictureName(title: string): string {
  pictures += 1;
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${process.pid}-${String(pictures).padStart(4, "0")}-${words.slice(0, 60)}`;
}

/** Saves a picture of the whole page, at most 2,400 px high, where SCREENSHOTS names a folder. */
export async function saveWhole(page: Page, name: string): Promise<void> {
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  const clip = { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height: Math.min(height, MAX_HEIGHT) };
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true, clip });
}
