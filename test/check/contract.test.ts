/** The contract (docs/contract) says what the code does, and the comments cite what it has. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { anchorsOf, listFiles, ROOT, readDocuments } from "../host/support/documents.ts";

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const folder = "docs/contract";
const pages = readDocuments().filter(({ file }) => file.startsWith(`${folder}/`));

/** The last migration of each kind that a release has: those up to it are never changed, their comments neither. */
const { migrations: released } = JSON.parse(read("migrations/released.json")) as {
  migrations: Record<"main" | "mail", string>;
};

function isAfterOutage(file: string): boolean {
  const [, kind, name = ""] = /^migrations\/(main|mail)\/(.*)/.exec(file) ?? [];
  return kind !== undefined && name <= released[kind as "main" | "mail"];
}

const sources = listFiles().filter(
  (file) => /\.(tsx?|mjs|sql|toml|css)$/.test(file) && !isAfterOutage(file) && !/generated\/|\.d\.ts$/.test(file),
);

/** Returns the comments of a source, without the addresses of web pages. */
function commentsOf(file: string): string[] {
  const text = read(file).replace(/https?:\/\/\S+/g, "");
  const pattern = { sql: /--.*/g, toml: /#.*/g }[path.extname(file).slice(1)] ?? /\/\*[\s\S]*?\*\/|\/\/.*/g;
  return text.match(pattern) ?? [];
}

describe("the contract", () => {
  it("has the tables of the code", async () => {
    const args = ["dev/setup.mjs", "dev/contract.ts", "--check"];
    await expect(promisify(execFile)(process.execPath, args, { cwd: ROOT })).resolves.toBeTruthy();
  });

  it("lists every page", () => {
    const listed = [...read(path.join(folder, "README.md")).matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => name);
    expect(listed).toHaveLength(pages.length - 1);
    expect(pages.map(({ file }) => path.basename(file)).filter((name) => !listed.includes(name))).toEqual([
      "README.md",
    ]);
  });
});

describe("the comments", () => {
  it("cite headings of the contract that exist", () => {
    const anchors = new Map(pages.map(({ file, text }) => [file, anchorsOf(text)]));
    const cited = sources.flatMap((file) =>
      [...read(file).matchAll(/(docs\/contract\/[\w.-]*\w)(?:#([\w-]+))?/g)].map(([, page = "", heading = ""]) => {
        return { file, page, heading };
      }),
    );
    expect(cited.length).toBeGreaterThan(100);
    const unknown = cited.filter(({ page, heading }) => !anchors.get(page)?.has(heading));
    expect(unknown.map(({ file, page, heading }) => `${file}: ${page}#${heading}`)).toEqual([]);
  });

  it("cite no document that the repository does not have, and no test name does", () => {
    const foreign = /(?<![\w-])spec\b|\((?:safety )?goal \d|\(design\b|\bdesign section/i;
    const anywhere = /\bdecisions? \d|\bspecification/i;
    const citing = sources.flatMap((file) => {
      const texts = [...commentsOf(file).filter((text) => foreign.test(text)), ...linesWith(file, anywhere)];
      return texts.map((text) => `${file}: ${text}`);
    });
    expect(citing).toEqual([]);
  });
});

/** Returns the lines of a file that match, but for this file, which has the words. */
function linesWith(file: string, pattern: RegExp): string[] {
  if (file === "test/check/contract.test.ts") return [];
  return read(file)
    .split("\n")
    .filter((line) => pattern.test(line.replace(/https?:\/\/\S+/g, "")));
}
