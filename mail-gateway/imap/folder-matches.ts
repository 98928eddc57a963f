import type { FolderInfo } from "./mailbox.ts";

/** Separates the levels of a folder name. */
export const SEPARATOR = "/";

/** The names that a LIST or LSUB asks for. */
interface Patterns {
  reference: string;
  patterns: readonly string[];
}

/** A name that matches. Null: there is no folder of this name, but one below it. */
export interface FolderMatch {
  name: string;
  folder: FolderInfo | null;
}

/**
 * Returns the folders that match a pattern, and the names above folders that do (RFC 3501 6.3.8). `*` matches anything, `%` one level.
 */
export function findMatches(folders: readonly FolderInfo[], { reference, patterns }: Patterns): FolderMatch[] {
  const byName = new Map<string, FolderInfo | null>(folders.map((folder) => [folder.name, folder]));
  for (const { name } of folders)
    for (let at = name.indexOf(SEPARATOR); at > 0; at = name.indexOf(SEPARATOR, at + 1))
      if (!byName.has(name.slice(0, at))) byName.set(name.slice(0, at), null);
  return [...byName]
    .filter(([name]) => patterns.some((pattern) => matches(name, reference + pattern)))
    .map(([name, folder]) => ({ name, folder }));
}

/** The time is that of the name times that of the pattern: for each character of the pattern, where in the name it can end. */
function matches(name: string, pattern: string): boolean {
  let ends = [true, ...Array<boolean>(name.length).fill(false)];
  for (const character of pattern.split("")) {
    const isWildcard = character === "*" || character === "%";
    const next = ends.map((isEnd) => isWildcard && isEnd);
    for (let at = 0; at < name.length; at += 1) {
      const goesOn = isWildcard ? next[at] && (character === "*" || name[at] !== SEPARATOR) : ends[at];
      if (goesOn && (isWildcard || isEqual(name, at, character))) next[at + 1] = true;
    }
    ends = next;
  }
  return ends[name.length] ?? false;
}

/** The letters of INBOX are compared in any case. */
function isEqual(name: string, at: number, character: string): boolean {
  if (name[at] === character) return true;
  const isInbox = name === "INBOX" || name.startsWith(`INBOX${SEPARATOR}`);
  return isInbox && at < "INBOX".length && name[at] === character.toUpperCase();
}
