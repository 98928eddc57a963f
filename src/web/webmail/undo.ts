import type { SelectionIn } from "../../mailboxes/inbox/index.ts";

/** The changes that undo the last one, in the query of the next page: of each its folder, its action and its UIDs. */
type Written = [folder: string, action: string, uids: string];

/** Actions that undo others. What deletes for good is none. */
const ACTIONS = ["move", "seen", "unseen", "flag", "unflag", "label", "unlabel"];

/** Most folders that messages of one list came from, and most messages of one of them. */
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
  return parseList(text).flatMap((entry) => {
    if (!Array.isArray(entry)) return [];
    const [folder, written, uids] = entry.map(String);
    const [action = "", ...rest] = (written ?? "").split(":");
    if (!ACTIONS.includes(action)) return [];
    const target = rest.join(":");
    return [{ folder, action, to_folder: target, label_id: target, uids: fromRanges(uids ?? "") }];
  });
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.slice(0, MAX_FOLDERS) : [];
  } catch {
    return [];
  }
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

function fromRanges(text: string): number[] {
  const uids: number[] = [];
  for (const range of text.split(".")) {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    for (let uid = first; uid <= last && uids.length < MAX_UIDS; uid++) uids.push(uid);
  }
  return uids;
}
