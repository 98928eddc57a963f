import { tryOr } from "../../lib/try-or.ts";
import type { SelectionIn } from "../../mailboxes/inbox/index.ts";

/** The changes that undo the last one, in the query of the next page: of each its folder, its action and its UIDs. */
type Written = [folder: string, action: string, uids: string];

/** Actions that undo others. What deletes for good is none. */
const ACTIONS = ["move", "seen", "unseen", "flag", "unflag", "label", "unlabel"];

/** Most folders that messages of one list came from, and most messages of all of them. */
const [MAX_FOLDERS, MAX_UIDS] = [50, 500];

/** Returns the text of changes; empty for none. */
export function writeUndo(changes: readonly SelectionIn[]): string {
  if (changes.length === 0) return "";
  return JSON.stringify(
    changes.map(({ folder, action, to_folder, label_id, uids }): Written => {
      const target = to_folder ?? label_id ?? null;
      return [folder, target === null ? action : `${action}:${target}`, toRanges(uids)];
    }),
  );
}

/** Returns the fields of the changes that a text names, not validated yet. What no page has written has none. */
export function readUndo(text: string): Record<string, unknown>[] {
  let left = MAX_UIDS;
  return parseList(text).flatMap((entry) => {
    if (!isWritten(entry)) return [];
    const [folder, written, ranges] = entry;
    const [action = "", ...rest] = written.split(":");
    if (!ACTIONS.includes(action)) return [];
    const target = rest.join(":");
    const uids = fromRanges(ranges, left);
    left -= uids.length;
    return [{ folder, action, to_folder: target, label_id: target, uids }];
  });
}

const isWritten = (entry: unknown): entry is Written =>
  Array.isArray(entry) && entry.length === 3 && entry.every((value) => typeof value === "string");

function parseList(text: string): unknown[] {
  const value: unknown = tryOr(() => JSON.parse(text), null);
  return Array.isArray(value) ? value.slice(0, MAX_FOLDERS) : [];
}

/** Returns numbers as ranges, such as `3-5.9`. */
function toRanges(uids: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const uid of uids.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && uid === range[1] + 1) range[1] = uid;
    else ranges.push([uid, uid]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(".");
}

/** Returns the numbers of ranges, at most `limit`. What is no range has none. */
function fromRanges(text: string, limit: number): number[] {
  const uids: number[] = [];
  for (const range of text.split(".")) {
    const [, first, last = first] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(range) ?? [];
    if (first === undefined) continue;
    for (let uid = Number(first); uid <= Number(last) && uids.length < limit; uid++) uids.push(uid);
  }
  return uids;
}
