import { changeSelected, type SelectionIn } from "../../mailboxes/inbox/index.ts";
import type { OpenPage } from "./layout.tsx";
import { folderTitle } from "./paths.ts";
import { isSigned, signResult } from "./signed-result.ts";
import { readUndo, writeUndo } from "./undo.ts";

/** The request of a submitted list: an action, the selected conversations of its folder, and UIDs of messages by their folder. */
export interface BulkActionForm {
  action: string;
  /** The text after the colon in the action: a folder or the id of a label. */
  target: string | null;
  folder: string;
  threads: string[];
  /** The greatest UID of the folder when the list was read; no message that came later is changed with its conversation. */
  upTo: number | null;
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
  return {
    action,
    target: target.length > 0 ? target.join(":") : null,
    folder,
    threads: form.getAll("thread"),
    upTo: form.has("up_to") ? Number(form.get("up_to")) : null,
    uids,
  };
}

/** Returns whether an action deletes messages for good, which is asked first. */
export const isPermanentDelete = ({ action, folder, threads, uids }: BulkActionForm) =>
  (action === "expunge" && threads.length + uids.size > 0) ||
  (action === "delete" && (uids.has("Trash") || (folder === "Trash" && threads.length > 0)));

/** Validates the fields of a change. Throws 422. */
type Parse = (fields: unknown) => SelectionIn;

/** Does what a submitted list asks for. Returns what the next page says about it, as its query. Throws 422. */
export async function applyBulkAction({ caller, mailbox }: OpenPage, form: BulkActionForm, parse: Parse) {
  const { action, target, folder, threads, upTo, uids } = form;
  // Without a selection the verb says what is missing.
  const folders = new Set([...(threads.length > 0 || uids.size === 0 ? [folder] : []), ...uids.keys()]);
  const inputs = [...folders].map((name) =>
    parse({
      folder: name,
      threads: name === folder ? threads : [],
      up_to: upTo,
      uids: uids.get(name) ?? [],
      action,
      ...(action === "move" ? { to_folder: target } : {}),
      ...(action.endsWith("label") ? { label_id: target } : {}),
    }),
  );
  const { count, undo } = await changeSelected(caller, mailbox, inputs);
  const done = isPermanentDelete(form) ? "expunge" : action;
  // Paths leave out what is empty.
  const to = action === "move" ? (target ?? "") : "";
  return signResult(caller, mailbox.id, { done, n: String(count), to, undo: writeUndo(undo) });
}

/** Undoes a change. Returns what the next page says. Throws 422 for what no page has made. */
export async function undoBulkAction({ caller, mailbox }: OpenPage, text: string, parse: Parse) {
  const changes = readUndo(text).map(parse);
  const { count } = changes.length > 0 ? await changeSelected(caller, mailbox, changes) : { count: 0 };
  const isMove = changes.every(({ action }) => action === "move");
  return signResult(caller, mailbox.id, { done: isMove ? "undo" : "undone", n: String(count) });
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
  undone: "changed back",
};

/** The result of the last action that a page shows: a text, and the changes that undo it. */
export interface Done {
  text: string;
  undo: string | null;
}

/** Returns what the query of a page says about the last action. Undefined: nothing, or no page of the mailbox has made it. */
export async function readDone({ caller, mailbox }: OpenPage, query: Record<string, string>) {
  const { done = "", n = "", to = "", undo = null } = query;
  const what = done === "move" ? `moved to ${folderTitle(to)}` : DONE[done];
  if (what === undefined || !/^\d{1,4}$/.test(n)) return undefined;
  if (!(await isSigned(caller, mailbox.id, query))) return undefined;
  if (n === "0")
    return { text: "Nothing was changed. The messages were so before, or are no longer here.", undo: null };
  return {
    text: `${n} ${n === "1" ? "message" : "messages"} ${what}.`,
    undo: undo !== null && readUndo(undo).length > 0 ? undo : null,
  };
}
