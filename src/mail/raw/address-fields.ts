import { type Address, parseAddress } from "../../lib/addresses.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";

/** A mailbox of a header field. */
export interface FieldMailbox {
  address: Address;
  name: string | null;
}

/** Mailboxes of one field that are read. */
const MAX_MAILBOXES = 1_000;

/** Reads the mailboxes of an address list (RFC 5322 3.4), also in groups. Leaves out what is no valid address. */
export function parseMailboxes(value: string): FieldMailbox[] {
  return splitList(value)
    .entries.slice(0, MAX_MAILBOXES)
    .flatMap((entry) => readMailbox(entry) ?? []);
}

/** Reads a From field that has exactly one mailbox. Null: none, several, a group, or text that could be taken for different addresses. */
export function parseOnlyMailbox(value: string): FieldMailbox | null {
  const { entries, hasGroup } = splitList(value);
  const [only] = entries;
  return only !== undefined && entries.length === 1 && !hasGroup ? readMailbox(only) : null;
}

/** Splits a list at commas and semicolons that are neither quoted, in a comment nor in angle brackets. */
function splitList(value: string): { entries: string[]; hasGroup: boolean } {
  const entries: string[] = [];
  let hasGroup = false;
  let entry = "";
  let context: '"' | "<" | "(" | null = null;
  let depth = 0;
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? "";
    if (character === "\\" && (context === '"' || context === "(")) {
      entry += character + (value[++at] ?? "");
      continue;
    }
    if (context === "(") {
      depth += character === "(" ? 1 : character === ")" ? -1 : 0;
      if (depth === 0) context = null;
    } else if (context !== null) {
      if (character === (context === "<" ? ">" : '"')) context = null;
    } else if (character === '"' || character === "<" || character === "(") {
      context = character;
      depth = 1;
    } else if (character === ":") {
      hasGroup = true;
      entry = "";
      continue;
    } else if (character === "," || character === ";") {
      hasGroup ||= character === ";";
      entries.push(entry);
      entry = "";
      continue;
    }
    entry += character;
  }
  return { entries: [...entries, entry].map((text) => text.trim()).filter((text) => text !== ""), hasGroup };
}

// An escaped sign opens nothing, or each of many would be read to the end of the text.
const QUOTED = /(?<!\\)"(?:[^"\\]|\\.)*"/g;
const COMMENT = /(?<!\\)\((?:[^()\\]|\\.)*\)/g;

function readMailbox(entry: string): FieldMailbox | null {
  const quoted: string[] = [];
  const hidden = entry.replace(QUOTED, (text) => `\u0000${quoted.push(text) - 1}\u0000`);
  const comments: string[] = [];
  const plain = hidden.replace(COMMENT, (text) => {
    comments.push(text.slice(1, -1));
    return " ";
  });
  const [, phrase = "", bracketed] = /^([^<>]*)<([^<>]*)>\s*$/.exec(plain) ?? [];
  const address = parseAddress((bracketed ?? plain).trim());
  if (!address || (bracketed === undefined && /[<>]/.test(plain))) return null;
  const unquoted = phrase.replace(/\u0000(\d+)\u0000/g, (_, index: string) =>
    (quoted[Number(index)] ?? "").slice(1, -1).replace(/\\(.)/g, "$1"),
  );
  const name = decodeEncodedWords(bracketed === undefined ? (comments[0] ?? "") : unquoted).trim();
  return { address, name: name || null };
}
