import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, notFound } from "../../../lib/errors.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import type { Folder, FolderResult } from "../../mailbox-store/index.ts";
import { keepResponse, type OpenMailbox } from "../open.ts";

/** Creates a folder. Throws 409 for a name that exists in any letter case, and beyond 500 folders. */
export async function createFolder(ctx: CallerCtx, { store }: OpenMailbox, name: string): Promise<Folder> {
  return keepResponse(ctx, toFolder(await store.createFolder(name)));
}

/** Renames a folder. Throws 404, and 409 for a system folder and for a name that exists. */
export async function renameFolder({ store }: OpenMailbox, name: string, newName: string): Promise<Folder> {
  return toFolder(await store.renameFolder(name, newName));
}

/** Deletes an empty folder. Throws 404, and 409 for a system folder and for one with messages. */
export async function deleteFolder({ store }: OpenMailbox, name: string): Promise<void> {
  toFolder(await store.deleteFolder(name));
}

const CONFLICTS = {
  taken: "A folder with this name exists; letter case does not tell names apart",
  "too-many": `A mailbox has at most ${mailboxBudgets.folders.rows} folders`,
  system: "A system folder cannot be renamed or deleted",
  "not-empty": "The folder has messages; move or delete them first",
} as const;

function toFolder(result: FolderResult): Folder {
  if ("folder" in result) return result.folder;
  if (result.refused === "unknown") throw notFound("Folder");
  throw conflict(CONFLICTS[result.refused]);
}
