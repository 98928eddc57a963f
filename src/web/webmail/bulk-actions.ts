import { type BatchIn, changeMessages } from "../../mailboxes/inbox/index.ts";
import type { OpenPage } from "./layout.tsx";
import { folderTitle } from "./paths.ts";

/** The request of a submitted list: an action, and the UIDs of the selected messages by their folder. */
export interface BulkActionForm {
  action: string;
  /** The text after the colon in the action: a folder or the id of a label. */
  target: string | null;
  uids: ReadonlyMap<string, number[]>;
}

/** Reads a submitted list of this folder. A value `12:Archive` names a message of another folder. */
export function readBulkActionForm(form: URLSearchParams, folder: string): BulkActionForm {
  const [action = "", ...target] = (form.get("action") ?? "").split(":");
  const uids = new Map<string, number[]>();
  for (const value of form.getAll("uid")) {
    const [uid = "", ...rest] = value.split(":");
    const at = rest.length > 0 ? rest.join(":") : folder;
    uids.set(at, [...(uids.get(at) ?? []), Number(uid)]);
  }
  // Without a selection the verb says what is missing.
  if (uids.size === 0) uids.set(folder, []);
  return { action, target: target.length > 0 ? target.join(":") : null, uids };
}

/** Returns whether an action deletes messages for good, which is asked first. */
export const isPermanentDelete = ({ action, uids }: BulkActionForm) =>
  action === "expunge" || (action === "delete" && uids.has("Trash"));

/** A move that can be undone: the folder where the messages are, the one that they came from, and their new UIDs. */
type Move = [at: string, from: string, uids: number[]];

/** Validates the fields of a call. Throws 422. */
type Parse = (fields: unknown) => BatchIn;

/** Does what a submitted list asks for. Returns what the next page says about it, as its query. Throws 422. */
export async function applyBulkAction(
  { caller, mailbox }: OpenPage,
  form: BulkActionForm,
  parse: Parse,
): Promise<Record<string, string>> {
  const { action, target } = form;
  const inputs = [...form.uids].map(([folder, uids]) =>
    parse({
      folder,
      uids,
      action,
      ...(action === "move" ? { to_folder: target } : {}),
      ...(action.endsWith("label") ? { label_id: target } : {}),
    }),
  );
  let count = 0;
  const moves: Move[] = [];
  // The form is at most 16 KiB, and lists of several folders have 50 rows.
  for (const input of inputs) {
    const results = await changeMessages(caller, mailbox, input);
    count += results.filter(({ status }) => status === "ok").length;
    const moved = results.flatMap(({ new_uid }) => (new_uid === undefined ? [] : [new_uid]));
    const at = action === "move" ? (target ?? "") : TARGETS[action];
    if (at !== undefined && moved.length > 0) moves.push([at, input.folder, moved]);
  }
  const done = isPermanentDelete(form) ? "expunge" : action;
  const undo = moves.length > 0 ? JSON.stringify(moves) : "";
  // Paths leave out what is empty.
  return { done, n: String(count), to: action === "move" ? (target ?? "") : "", undo };
}

const TARGETS: Readonly<Record<string, string>> = { delete: "Trash", spam: "Spam" };

/** Moves messages back to where they came from. Returns what the next page says. Throws 422 for what the page did not make. */
export async function undoMoves(
  { caller, mailbox }: OpenPage,
  text: string,
  parse: Parse,
): Promise<Record<string, string>> {
  const moves = readMoves(text).map(([folder, to_folder, uids]) => parse({ folder, uids, action: "move", to_folder }));
  let count = 0;
  for (const move of moves) {
    const results = await changeMessages(caller, mailbox, move);
    count += results.filter(({ status }) => status === "ok").length;
  }
  return { done: "undo", n: String(count) };
}

/** Most folders that messages of one list came from. */
const MAX_MOVES = 50;

function readMoves(text: string): Move[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? value
          .filter(Array.isArray)
          .slice(0, MAX_MOVES)
          .map(([at, from, uids]) => [at, from, uids])
      : [];
  } catch {
    return [];
  }
}

const DONE: Readonly<Record<string, string>> = {
  seen: "marked as read",
  unseen: "marked as unread",
  flag: "starred",
  unflag: "no longer starred",
  delete: "moved to Trash",
  spam: "moved to Spam",
  "not-spam": "moved back from Spam",
  expunge: "deleted for good",
  label: "labelled",
  unlabel: "no longer labelled",
  undo: "moved back",
};

/** The result of the last action that a page shows: a text, and the moves that can be undone. */
export interface Done {
  text: string;
  undo: string | null;
}

/** Returns what the query of a page says about the last action, or undefined. */
export function readDone(query: Record<string, string>): Done | undefined {
  const { done = "", n = "", to = "", undo = null } = query;
  const what = done === "move" ? `moved to ${folderTitle(to)}` : DONE[done];
  if (what === undefined || !/^\d{1,3}$/.test(n)) return undefined;
  if (n === "0") return { text: "Nothing was changed. The messages are no longer here.", undo: null };
  return {
    text: `${n} ${n === "1" ? "message" : "messages"} ${what}.`,
    undo: undo !== null && readMoves(undo).length > 0 ? undo : null,
  };
}
