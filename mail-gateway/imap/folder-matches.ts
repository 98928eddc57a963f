import type { FolderInfo } from "./mailbox.ts";

/** Separates the levels of a folder name. */
export const SEPARATOR = "/";

/** The names that a LIST or LSUB asks for. */
interface Patterns {
  reference: string;
  patterns: readonly string[];
}

/** A name that matches. Null: there is no folder of this name, but one below it or a subscription. */
export interface FolderMatch {
  name: string;
  folder: FolderInfo | null;
}

/**
 * Returns the folders that match a pattern, and the names above folders that do (RFC 3501 6.3.8). `*` matches anything, `%` one level.
 * `deleted`: names of deleted folders that are matched too.
 */
export function findMatches(
  folders: readonly FolderInfo[],
  { reference, patterns }: Patterns,
  deleted: readonly string[] = [],
): FolderMatch[] {
  const byName = new Map<string, FolderInfo | null>(deleted.map((name) => [name, null]));
  for (const folder of folders) byName.set(folder.name, folder);
  for (const name of [...byName.keys()])
    for (let at = name.indexOf(SEPARATOR); at > 0; at = name.indexOf(SEPARATOR, at + 1))
      if (!byName.has(name.slice(0, at))) byName.set(name.slice(0, at), null);
  return [...byName]
    .filter(([name]) => patterns.some((pattern) => matches(name, reference + pattern)))
    .map(([name, folder]) => ({ name, folder }));
}

/** Splits a pattern at its wildcards. Several of them in a row are one. */
const SEGMENTS = /[*%]+|[^*%]+/g;

/** The time is that of the name times the segments of the pattern: for each segment, where in the name it can end. */
function matches(name: string, pattern: string): boolean {
  let ends = new Set([0]);
  for (const [segment] of pattern.matchAll(SEGMENTS)) {
    if (segment.includes("*")) ends = from(Math.min(...ends), name.length);
    else if (segment.startsWith("%")) ends = withinLevels(name, ends);
    else ends = new Set([...ends].filter((at) => isAt(name, at, segment)).map((at) => at + segment.length));
    if (ends.size === 0) return false;
  }
  return ends.has(name.length);
}

const from = (first: number, last: number) => new Set(Array.from({ length: last - first + 1 }, (_, n) => first + n));

/** Returns the places that are in a level of the name at or behind one of these. */
function withinLevels(name: string, places: ReadonlySet<number>): Set<number> {
  const reached = new Set<number>();
  for (let at = 0; at <= name.length; at += 1)
    if (places.has(at) || (reached.has(at - 1) && name[at - 1] !== SEPARATOR)) reached.add(at);
  return reached;
}

/** Returns whether a name has a text at a place. The letters of INBOX are compared in any case. */
function isAt(name: string, at: number, text: string): boolean {
  if (name.startsWith(text, at)) return true;
  const isInbox = name === "INBOX" || name.startsWith(`INBOX${SEPARATOR}`);
  const letters = Math.max(0, "INBOX".length - at);
  return isInbox && name.startsWith(text.slice(0, letters).toUpperCase() + text.slice(letters), at);
}
