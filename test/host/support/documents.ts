/** The documents of the repository, and the commands in them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "../../..");

/** A document: its path from the root and its text. */
export interface Document {
  file: string;
  text: string;
}

/**
 * A block of code. Its mark is the comment before it: `<!-- runs: 201, 0 -->` has what each command of the block ends with, an HTTP
 * status of curl or an exit code; `<!-- not run: reason -->` has why a test cannot run it.
 */
export interface Block {
  document: string;
  line: number;
  text: string;
  mark: string | null;
}

/** Returns the files that git knows or would add. */
export function listFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  return listed
    .toString()
    .split("\n")
    .filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
}

/** Returns all documents, in the order of their paths. */
export function readDocuments(): Document[] {
  const files = listFiles().filter((file) => file.endsWith(".md"));
  return files.sort().map((file) => ({ file, text: readFileSync(path.join(ROOT, file), "utf8") }));
}

const INDENTED = /^ {4,7}\S/;
const MARK = /^ *<!-- ((?:runs|not run): .+) -->$/;

/** Returns the indented blocks of code, with their marks. Fenced blocks are of other languages, and have tests of their own. */
export function readBlocks({ file, text }: Document): Block[] {
  const blocks: Block[] = [];
  let fence = false;
  let last: Block | null = null;
  let mark: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^ *```/.test(line)) fence = !fence;
    const isCode = !fence && (last ? /^ {4}/.test(line) : INDENTED.test(line));
    if (isCode && last) last.text += `\n${line.trim()}`;
    else if (isCode) {
      last = { document: file, line: index + 1, text: line.trim(), mark };
      blocks.push(last);
    }
    if (isCode) mark = null;
    else if (line.trim() !== "") {
      last = null;
      mark = MARK.exec(line)?.[1] ?? null;
    } else last = null;
  }
  return blocks;
}

const COMMAND =
  /^export |^(?:[A-Z_]+=(?:<[^>]*>|\S)* )*(?:curl|npm|npx|node|git|openssl|saslpasswd2|chown|certbot|apt-get)\b/;

/** Returns the commands of a block, each in one line. None when the block is not of a shell. */
export function commandsOf({ text }: Block): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of text.replace(/ *\\\n/g, " ").split("\n")) {
    open += open === "" ? line : ` ${line}`;
    const hasOpenQuote = (open.match(/'/g) ?? []).length % 2 === 1;
    if (hasOpenQuote) continue;
    if (COMMAND.test(open)) commands.push(open);
    open = "";
  }
  return commands;
}

/** Returns the commands of a tool that a text names, in prose and in blocks, each up to the end of its code. */
export function namedCommands({ text }: Document, start: RegExp): string[] {
  const joined = text.replace(/ *\\\n */g, " ");
  return [...joined.matchAll(new RegExp(`${start.source}[^\`\\n|;&]*`, "g"))].map(([found]) => found.trim());
}

/** Returns the anchors of the headings of a document, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/ /g, "-"),
    ),
  );
}

/** Returns the operations of the API that a document names, such as `POST /v1/emails/`. */
export function namedOperations({ file, text }: Document): { file: string; operation: string }[] {
  const found = text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^`\s]*)/g);
  return [...found].map(([, operation = ""]) => ({ file, operation }));
}
