/** Opens pages and looks at them in each size and theme. */
import type { BrowserContext, Page } from "playwright-core";
import { recordProblems } from "../browser.ts";
import { isFull } from "../extent.ts";
import { leftOutOf } from "./left-out.ts";
import { type Look, pathOf } from "./pages.ts";
import { findFaults } from "./rules.ts";
import type { Viewer } from "./state.ts";

const SIZES = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const;

interface EveryPage {
  url: string;
  ids: Readonly<Record<string, string | undefined>>;
  contexts: Readonly<Record<Viewer, BrowserContext>>;
}

/** The window and the colours of a page. */
export interface Sight {
  width: number;
  height: number;
  colorScheme: "light" | "dark";
}

const ALL: readonly Sight[] = SIZES.flatMap((size) =>
  (["light", "dark"] as const).map((colorScheme) => ({ ...size, colorScheme })),
);

/** Every size in both themes; in `npm test`, whose rules depend little on colours, each size in one theme and each theme in one size. */
export const SIGHTS = isFull
  ? ALL
  : ALL.filter(({ width, colorScheme }) => (width === 1280) === (colorScheme === "light"));

/** Does more with a page in a sight, and returns faults. */
type See = (page: Page, state: Look, sight: Sight) => Promise<string[]>;

/** Looks at states, several at once, and returns the faults, each with the page, the state and the sights that have it. */
export async function lookAt(
  { url, ids, contexts }: EveryPage,
  states: readonly Look[],
  sights: readonly Sight[],
  see: See = async () => [],
): Promise<string[]> {
  const left = [...states];
  const faults: string[] = [];
  const inTab = async () => {
    const tabs = new Map<Viewer, Tab>();
    for (let state = left.shift(); state; state = left.shift()) {
      const tab = tabs.get(state.as) ?? (await openTab(contexts[state.as], url));
      tabs.set(state.as, tab);
      const found = await lookAtState(tab, { ...state, path: pathOf(state, ids) }, sights, see);
      for (const [fault, where] of found)
        faults.push(`${state.route} ${fault} (${state.name}: ${[...where].join(", ")})`);
    }
    for (const { page } of tabs.values()) await page.close();
  };
  await Promise.all(Array.from({ length: TABS }, inTab));
  return faults;
}

/** Pages that load at once: while one is looked at, another waits for its response. */
const TABS = 3;

interface Tab {
  page: Page;
  problems: string[];
}

async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  return { page, problems: recordProblems(page, url) };
}

/** Opens a state and returns the sights in which each fault is found. */
async function lookAtState(
  { page, problems }: Tab,
  state: Look & { path: string },
  sights: readonly Sight[],
  see: See,
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  const status = (await page.goto(state.path))?.status() ?? 0;
  if (status >= 400 !== (state.isRefused ?? false)) found.set(`responds with ${status}`, new Set());
  await state.act?.(page);
  const { pathname } = new URL(page.url());
  if (pathname !== state.path.replace(/\?.*/, "")) found.set(`leads to ${pathname}`, new Set());
  for (const sight of sights) {
    const { width, height, colorScheme } = sight;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height });
    const faults = [...(await see(page, state, sight)), ...(await findFaults(page, leftOutOf(state.route)))];
    if (isFull) faults.push(...(await findFaultsOpened(page, state.route)));
    for (const fault of faults) found.set(fault, (found.get(fault) ?? new Set()).add(`${width} ${colorScheme}`));
  }
  for (const problem of problems.splice(0)) found.set(problem, new Set());
  return found;
}

/** Opens each form and menu that is behind a button of the page, one after the other, and returns the faults that are found then. */
async function findFaultsOpened(page: Page, route: string): Promise<string[]> {
  const faults: string[] = [];
  // The header is the same on all pages.
  const openers = page.locator(
    `main summary.button, main [popovertarget]${route === "/app" ? ", header [popovertarget]" : ""}`,
  );
  for (const opener of await openers.all()) {
    if (!(await opener.isVisible())) continue;
    const label = (await opener.getAttribute("aria-label")) ?? (await opener.textContent()) ?? "";
    await opener.click();
    faults.push(...(await findFaults(page, leftOutOf(route))).map((fault) => `${fault} (behind ${label.trim()})`));
    await page.keyboard.press("Escape");
  }
  // A picture of the next sight shows no focus.
  await page.evaluate("document.activeElement.blur()");
  return faults;
}
