import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { toHtml } from "./guide-html.ts";
import { ROOT } from "./layout.ts";

/** Folders of docs/ whose documents the API reference shows, by the name in their URLs. */
const FOLDERS = { guides: "guides", rules: "contract" } as const;

/**
 * Returns the documents that the API reference shows, as JSON (`GuideText` of src/web/reference/guides.ts). Pictures and comments are
 * left out. A link to another shown document leads to its page, and the text of a link to any other file stays without the link.
 */
export async function guideTexts(): Promise<string> {
  const files = (await Promise.all(Object.entries(FOLDERS).map(([kind, folder]) => readFolder(kind, folder)))).flat();
  const pages = new Map(files.map(({ file, url }) => [file, url]));
  return JSON.stringify(
    files.map(({ kind, slug, file, text }) => {
      const markdown = toPageText(file, text, pages);
      return { kind, slug, markdown, html: toHtml(markdown) };
    }),
  );
}

/** Compares names: the first guide is read first, the others are in alphabetical order. */
const byUse = (a: string, b: string) => Number(b === "first-email") - Number(a === "first-email") || (a < b ? -1 : 1);

async function readFolder(kind: string, folder: string) {
  const names = await readdir(path.join(ROOT, "docs", folder));
  const slugs = names.filter((name) => name.endsWith(".md") && name !== "README.md").map((name) => name.slice(0, -3));
  return Promise.all(
    slugs.sort(byUse).map(async (slug) => {
      const file = path.join(ROOT, "docs", folder, `${slug}.md`);
      return { kind, slug, file, url: `/docs/${kind}/${slug}`, text: await readFile(file, "utf8") };
    }),
  );
}

function toPageText(file: string, text: string, pages: ReadonlyMap<string, string>): string {
  const toLink = (whole: string, label: string, target: string) => {
    if (/^(https?:|#)/.test(target)) return whole;
    const [name = "", heading] = target.split("#");
    const page = pages.get(path.resolve(path.dirname(file), name));
    if (page === undefined) return label;
    return `[${label}](${page}${heading === undefined ? "" : `#${heading}`})`;
  };
  return text
    .replace(/<!--[\s\S]*?-->\n*/g, "")
    .replace(/^ *!\[[^\]]*\]\([^)]*\)\n+/gm, "")
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, toLink);
}
