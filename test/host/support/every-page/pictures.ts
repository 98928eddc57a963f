/** Pictures of pages for looking at: one of each page in each sight, and contact sheets with three pages each. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { sharedBrowser } from "../browser.ts";
import type { Sight } from "./look-at.ts";
import type { Look } from "./pages.ts";

/** Greatest height of a picture, in CSS pixels. */
const MAX_HEIGHT = 1_600;
const PAGES_PER_SHEET = 3;

/** Returns functions that save the pictures in a folder, which is emptied first. */
export async function picturesIn(folder: string) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return {
    /** Saves a picture of the page as it is shown. */
    async save(page: Page, state: Look, sight: Sight): Promise<void> {
      const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
      const clip = { x: 0, y: 0, width: sight.width, height: Math.min(height, MAX_HEIGHT) };
      const file = path.join(folder, fileOf(state, sight));
      await page.screenshot({ path: file, fullPage: true, clip });
    },

    /** Writes the contact sheets of states whose pictures are saved. */
    async writeSheets(states: readonly Look[], sights: readonly Sight[]): Promise<void> {
      const page = await (await sharedBrowser()).newPage({ viewport: { width: 2_000, height: 800 } });
      for (let from = 0; from < states.length; from += PAGES_PER_SHEET) {
        const name = `sheet-${String(from / PAGES_PER_SHEET + 1).padStart(2, "0")}`;
        const html = path.join(folder, `${name}.html`);
        await writeFile(html, toSheet(states.slice(from, from + PAGES_PER_SHEET), sights));
        await page.goto(pathToFileURL(html).href);
        await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
        await rm(html);
      }
      await page.close();
    },
  };
}

/** Returns the name of a picture, such as `app-emails-email_id-bounced-1280-light.png`. */
const fileOf = ({ route, name }: Look, { width, colorScheme }: Sight) =>
  `${`${route} ${name}`.replace(/[^a-z0-9_]+/gi, "-").replace(/^-/, "")}-${width}-${colorScheme}.png`;

const toSheet = (states: readonly Look[], sights: readonly Sight[]) =>
  `<!doctype html><meta charset="utf-8"><body style="margin:8px;font:20px sans-serif">${states
    .map((state) => {
      const images = sights.map(
        (sight) => `<img src="${fileOf(state, sight)}" style="flex:${sight.width} 1 0;min-width:0;border:1px solid">`,
      );
      return `<h2 style="font-size:20px">${state.route} (${state.name})</h2><div style="display:flex;gap:8px;align-items:start">${images.join("")}</div>`;
    })
    .join("")}`;
