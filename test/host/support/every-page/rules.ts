/** The rules of test/browser/page-rules/, applied to a page in Chromium. */
import path from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { ROOT } from "../../../../dev/layout.ts";

/** Selectors, by rule, of what the rule does not apply to. */
export type LeftOut = Readonly<Record<string, readonly string[]>>;

let script: Promise<string> | null = null;

/** Returns the faults that the rules find on a page as it is shown, as `rule: text`. */
export async function findFaults(page: Page, leftOut: LeftOut = {}): Promise<string[]> {
  script ??= bundleRules();
  await page.evaluate(await script);
  return (await page.evaluate(`findFaults(${JSON.stringify(leftOut)})`)) as string[];
}

async function bundleRules(): Promise<string> {
  const entryPoints = [path.join(ROOT, "test/browser/page-rules/index.ts")];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: "iife", target: "es2024" });
  return outputFiles[0]?.text ?? "";
}
