import { type Cursor, ImapSyntaxError } from "./cursor.ts";

/** The flags that every mailbox has, in the order of their bits. `\Recent` is not kept. */
export const systemFlags = ["\\Seen", "\\Flagged", "\\Answered", "\\Draft", "\\Deleted"] as const;
export type SystemFlag = (typeof systemFlags)[number];

/** Returns flags as bits. */
export const toFlagBits = (flags: readonly SystemFlag[]): number =>
  flags.reduce((bits, flag) => bits | (1 << systemFlags.indexOf(flag)), 0);

/** Returns the flags of bits. */
export const fromFlagBits = (bits: number): SystemFlag[] => systemFlags.filter((_, bit) => bits & (1 << bit));

/** Flags of a message: system flags, and keywords in the letter case in which they were first used. */
export interface FlagList {
  flags: SystemFlag[];
  keywords: string[];
}

/** Characters of a keyword, and flags in one command. */
const MAX_KEYWORD = 64;
const MAX_FLAGS = 100;

/** Reads flags in parentheses. */
export function readFlagList(cursor: Cursor): FlagList {
  return toFlagList(cursor.list(() => readFlag(cursor), { mayBeEmpty: true }));
}

/** Reads the flags of STORE, which may be without parentheses. */
export function readStoreFlags(cursor: Cursor): FlagList {
  if (cursor.next === "(") return readFlagList(cursor);
  const flags = [readFlag(cursor)];
  while (cursor.skip(" ")) flags.push(readFlag(cursor));
  return toFlagList(flags);
}

const readFlag = (cursor: Cursor): string => (cursor.skip("\\") ? `\\${cursor.atom()}` : readKeyword(cursor));

/** Reads a keyword: an atom of limited length. */
export function readKeyword(cursor: Cursor): string {
  const keyword = cursor.atom();
  if (keyword.length > MAX_KEYWORD) throw new ImapSyntaxError(`A keyword has at most ${MAX_KEYWORD} characters`);
  return keyword;
}

function toFlagList(names: readonly string[]): FlagList {
  if (names.length > MAX_FLAGS) throw new ImapSyntaxError(`A command names at most ${MAX_FLAGS} flags`);
  const flags = new Set<SystemFlag>();
  const keywords = new Map<string, string>();
  for (const name of names) {
    const flag = systemFlags.find((known) => known.toLowerCase() === name.toLowerCase());
    if (flag) flags.add(flag);
    else if (!name.startsWith("\\")) keywords.set(name.toLowerCase(), keywords.get(name.toLowerCase()) ?? name);
    // A client may send back the flag that servers of others gave it; it cannot be changed.
    else if (name.toLowerCase() !== "\\recent") throw new ImapSyntaxError(`The flag ${name} does not exist`);
  }
  return { flags: [...flags], keywords: [...keywords.values()] };
}
