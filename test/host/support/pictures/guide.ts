/** Walks the steps of a guide in docs/guides/ in a browser, and takes its pictures. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT } from "../../../../dev/layout.ts";

const FOLDER = path.join(ROOT, "docs/guides");
/** Wide enough for the menu, in CSS pixels. */
const WINDOW = { width: 1_000, height: 640 };

/** True when the pictures of the documents are written (`npm run pictures`). Otherwise they must exist. */
const isWriting = process.env.PICTURES === "1";

/** Writes a picture of the window to a file, or throws when there is none and none is written. */
export async function takePicture(page: Page, file: string): Promise<void> {
  if (isWriting) {
    // Times and frames are rewritten and loaded by then.
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: file });
  } else if (!existsSync(file)) throw new Error(`${path.relative(ROOT, file)} is missing: npm run pictures`);
}

/**
 * One guide. Every step names what is pressed, followed or filled in as the page does, and the guide must name it in bold:
 * `**Check records**`.
 */
export class Guide {
  readonly text: string;
  readonly #walked = new Set<string>();
  page: Page;

  constructor(name: string, page: Page) {
    this.text = readFileSync(path.join(FOLDER, `${name}.md`), "utf8");
    this.page = page;
  }

  /** Presses a button. */
  async press(label: string): Promise<void> {
    this.#walk(label);
    await this.page.getByRole("button", { name: label, exact: true }).click();
    await this.page.waitForLoadState();
  }

  /** Follows a link of the content or of the menu. */
  async follow(label: string): Promise<void> {
    this.#walk(label);
    const links = this.page.getByRole("link", { name: label, exact: true });
    await links.filter({ visible: true }).first().click();
    await this.page.waitForLoadState();
  }

  /** Opens a folded part of the page, such as one of the menu, unless it is open. */
  async unfold(label: string): Promise<void> {
    this.#walk(label);
    const folded = this.page.locator("details:not([open]) > summary").filter({ hasText: label });
    if ((await folded.count()) > 0) await folded.first().click();
  }

  /** Fills in a field, or chooses an option, files or a box by its label. */
  async fill(label: string, value: string | { name: string; text: string }): Promise<void> {
    this.#walk(label);
    const fields = this.page.locator("input, select, textarea");
    const labelled = (exact: boolean) => this.page.locator("main").getByLabel(label, { exact }).and(fields);
    const field = labelled((await labelled(true).count()) > 0).first();
    const kind = await field.evaluate((element) => `${element.tagName} ${element.getAttribute("type")}`);
    if (typeof value !== "string")
      await field.setInputFiles({ name: value.name, mimeType: "text/csv", buffer: Buffer.from(value.text) });
    else if (kind.startsWith("SELECT")) await field.selectOption({ label: value });
    else if (kind === "INPUT checkbox") await field.check();
    else await field.fill(value);
  }

  /** Waits until the content shows a text, which the guide need not name. Reloads the page when `reloads`. */
  async see(text: string | RegExp, reloads = false): Promise<void> {
    const found = this.page.locator("main").getByText(text).first();
    for (let reload = 0; reloads && reload < 40 && !(await found.isVisible()); reload += 1) {
      await this.page.waitForTimeout(250);
      await this.page.reload();
    }
    await found.waitFor();
  }

  /** Takes a picture that the guide shows: `images/<name>.png`. */
  async picture(name: string, size = WINDOW): Promise<void> {
    const file = `images/${name}.png`;
    if (!this.text.includes(`](${file})`)) throw new Error(`the guide does not show ${file}`);
    await this.page.setViewportSize(size);
    await takePicture(this.page, path.join(FOLDER, file));
  }

  /** Returns what the guide names in bold and no step has used. */
  unwalked(): string[] {
    return [...this.text.matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, label = ""]) =>
      this.#walked.has(label) ? [] : [label],
    );
  }

  #walk(label: string): void {
    if (!this.text.includes(`**${label}**`)) throw new Error(`the guide does not name **${label}**`);
    this.#walked.add(label);
  }
}

/** Walks a guide from the home page, but for the first one, and checks that every step it names was one. */
export async function walkGuide(page: Page, name: string, steps: (guide: Guide) => Promise<unknown>): Promise<void> {
  const guide = new Guide(name, page);
  if (name !== "first-email") await page.goto("/app");
  await steps(guide);
  expect(guide.unwalked()).toEqual([]);
}

/** Opens a workspace by the menu of the header: that of the first start, or the example shop. */
export async function openWorkspace(page: Page, name: string): Promise<void> {
  await page.goto("/app");
  if ((await page.title()).endsWith(` · ${name}`)) return;
  await page.locator("button.switcher").click();
  await page.getByRole("button", { name: `Open ${name}` }).click();
  await page.waitForURL("**/app");
}
