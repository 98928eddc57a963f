import { Override } from "./overrides.ts";

/** Bytes and record sets of a file. */
const MAX_BYTES = 64 * 1024;
const MAX_SETS = 200;

/** A file that cannot be read; its message begins with the line. */
export class ZoneFileError extends Error {}

/**
 * Reads a master file (RFC 1035 5) as record sets: `$ORIGIN`, `$TTL`, parentheses, comments, quoted strings, and a name that is left
 * out. The TTL and the class are read over, and so is SOA. Throws ZoneFileError.
 */
export function readZoneFile(text: string): Override[] {
  if (text.length > MAX_BYTES)
    throw new ZoneFileError(`the file has ${text.length} characters; the limit is ${MAX_BYTES}`);
  const sets = new Map<string, { name: string; type: string; values: string[] }>();
  let origin = "";
  let owner = "";
  for (const { line, isIndented, tokens } of entriesOf(text)) {
    const [first] = tokens;
    if (first?.text === "$ORIGIN") origin = absolute(tokens[1]?.text ?? "", origin);
    if (first === undefined || first.text.startsWith("$")) continue;
    if (!isIndented) owner = absolute(first.text, origin);
    const { type, data } = fieldsOf(isIndented ? tokens : tokens.slice(1));
    if (type === "SOA") continue;
    const set = sets.get(`${type} ${owner}`) ?? { name: owner, type, values: [] };
    set.values.push(dataOf(type, data, origin));
    sets.set(`${type} ${owner}`, set);
    const parsed = Override.safeParse(set);
    if (!parsed.success) throw new ZoneFileError(`line ${line}: ${parsed.error.issues[0]?.message ?? "not valid"}`);
  }
  if (sets.size > MAX_SETS) throw new ZoneFileError(`the file has ${sets.size} record sets; the limit is ${MAX_SETS}`);
  return [...sets.values()].map((set) => Override.parse(set));
}

interface Token {
  text: string;
  isQuoted: boolean;
}

interface Entry {
  line: number;
  isIndented: boolean;
  tokens: Token[];
}

/** A quoted string, a comment, a parenthesis, the end of a line, or a word. */
const TOKEN = /"((?:[^"\\\n]|\\[^\n])*)"|;[^\n]*|[()]|\n|(?:[^\s"();\\]|\\[^\n])+|[^\S\n]+|"/g;

/** Splits a file into its entries: one line each, or several within parentheses. */
function entriesOf(text: string): Entry[] {
  const entries: Entry[] = [];
  let entry: Entry = { line: 1, isIndented: /^[^\S\n]/.test(text), tokens: [] };
  let line = 1;
  let depth = 0;
  const lines = text.replaceAll("\r\n", "\n");
  for (const match of `${lines}\n`.matchAll(TOKEN)) {
    const [token, quoted] = match;
    if (token === '"') throw new ZoneFileError(`line ${line}: a quoted string has no end`);
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (token === "\n") {
      line += 1;
      if (depth > 0) continue;
      entries.push(entry);
      const next = lines[match.index + 1] ?? "";
      entry = { line, isIndented: next === " " || next === "\t", tokens: [] };
    } else if (quoted !== undefined) entry.tokens.push({ text: unescaped(quoted), isQuoted: true });
    else if (token.trim() !== "" && !token.startsWith(";"))
      entry.tokens.push({ text: unescaped(token), isQuoted: false });
  }
  if (depth !== 0) throw new ZoneFileError(`line ${line}: the parentheses do not match`);
  return entries;
}

/** Replaces `\DDD` and `\X` (RFC 1035 5.1). */
const unescaped = (text: string) =>
  text.replace(/\\(\d{3}|.)/gs, (_, code: string) => (/^\d{3}$/.test(code) ? String.fromCharCode(Number(code)) : code));

/** Returns the type of a record and its data, without TTL and class, which may stand in either order. */
function fieldsOf(tokens: readonly Token[]): { type: string; data: readonly Token[] } {
  const at = tokens.findIndex(({ text }) => !/^(\d+|IN)$/i.test(text));
  return { type: (tokens[at]?.text ?? "").toUpperCase(), data: tokens.slice(at + 1) };
}

function dataOf(type: string, data: readonly Token[], origin: string): string {
  const [first, second] = data;
  if (type === "TXT") return data.map(({ text }) => text).join("");
  if (type === "MX") return `${first?.text} ${absolute(second?.text ?? "", origin)}`;
  return type === "CNAME" || type === "NS" ? absolute(first?.text ?? "", origin) : (first?.text ?? "");
}

/** Returns a name without a final dot; one that has none is below the origin. */
function absolute(name: string, origin: string): string {
  if (name === "@") return origin;
  if (name.endsWith(".")) return name.slice(0, -1).toLowerCase();
  return (origin === "" ? name : `${name}.${origin}`).toLowerCase();
}
