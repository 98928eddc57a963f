import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, invalidField, notFound, requireFound } from "../../../lib/errors.ts";
import {
  type FlagChanges,
  folderName,
  type MessageItem,
  type SelectedChange,
  saveUsedBytes,
} from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";
import type { BatchIn, BatchOut } from "./schema.ts";

/** The place of a message that was moved, or null when it was deleted for good. */
export type Place = { uid: number; folder: string } | null;

/** Returns the error of a folder that does not exist. */
export const unknownFolder = (field: string, name: string) =>
  invalidField(field, `There is no folder ${JSON.stringify(name)}`);

/** Sets and clears flags of a message and returns it. Throws 404. */
export async function updateFlags(
  { store }: OpenMailbox,
  folder: string,
  uid: number,
  flags: FlagChanges,
): Promise<MessageItem> {
  await store.setFlags(folder, [uid], flags);
  return requireFound(await store.find(folder, uid), "Message");
}

/** Moves a message. Throws 404 for the message, 422 for the folder. */
export async function moveMessage(
  { store }: OpenMailbox,
  from: string,
  uid: number,
  to: string,
): Promise<NonNullable<Place>> {
  const result = await store.move(from, [uid], to);
  if ("unknown" in result && result.unknown === "to") throw unknownFolder("folder", to);
  const [moved] = "moved" in result ? result.moved : [];
  if (!moved) throw notFound("Message");
  return { uid: moved.newUid, folder: folderName(to) };
}

/** Returns a message of Spam to the folder that it came from. Throws 404, and 409 for a message of another folder. */
export async function restoreMessage({ store }: OpenMailbox, folder: string, uid: number): Promise<NonNullable<Place>> {
  if (folderName(folder) !== "Spam") {
    if (!(await store.find(folder, uid))) throw notFound("Message");
    throw conflict(`The message is in ${folderName(folder)}, not in Spam; move it to the folder where it belongs`);
  }
  const [restored] = await store.restore([uid]);
  if (!restored) throw notFound("Message");
  return { uid: restored.newUid, folder: restored.folder };
}

/** Moves a message to Trash; deletes it for good when it is there, or when `expunge` is true. Throws 404. */
export async function deleteMessage(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  { folder, uid, expunge }: { folder: string; uid: number; expunge: boolean },
): Promise<Place> {
  if (!expunge && folderName(folder) !== "Trash") return moveMessage(mailbox, folder, uid, "Trash");
  const expunged = await expungeAll(ctx, mailbox, folder, [uid]);
  if (expunged.length === 0) throw notFound("Message");
  return null;
}

async function expungeAll(ctx: CallerCtx, mailbox: OpenMailbox, folder: string, uids: readonly number[]) {
  const result = await mailbox.store.expunge(folder, uids);
  if (!result) return [];
  await saveUsedBytes(ctx, mailbox, result.usedBytes);
  return result.uids;
}

/** Changes up to 200 messages of a folder in one transaction. Returns a result for each UID. Throws 422 for an unknown folder or label. */
export async function changeMessages(ctx: CallerCtx, mailbox: OpenMailbox, input: BatchIn): Promise<BatchOut> {
  const uids = [...new Set(input.uids)];
  const changed = await changeAll(ctx, mailbox, input, uids);
  return uids.map((uid) => {
    const newUid = changed.get(uid);
    if (newUid === undefined) return { uid, status: "not_found" };
    return { uid, status: "ok", ...(newUid === null ? {} : { new_uid: newUid }) };
  });
}

/** Returns the UIDs that were changed, with the new UID of a moved message, or null. */
async function changeAll(ctx: CallerCtx, mailbox: OpenMailbox, input: BatchIn, uids: readonly number[]) {
  const { store } = mailbox;
  const { folder } = input;
  const unmoved = (found: readonly number[]) => new Map(found.map((uid) => [uid, null]));
  const moved = (found: readonly { uid: number; newUid: number }[]) =>
    new Map(found.map((one) => [one.uid, one.newUid]));
  const change = toChange(input);
  if (change.type === "flag")
    return unmoved((await store.setFlags(folder, uids, { [change.flag]: change.isSet })) ?? []);
  if (change.type === "label") {
    const result = await store.changeLabels(folder, uids, [change.labelId], change.isAdded ? "add" : "remove");
    if ("unknown" in result && result.unknown === "label") throw unknownLabel();
    return unmoved("uids" in result ? result.uids : []);
  }
  if (change.type === "restore") return moved(folderName(folder) === "Spam" ? await store.restore(uids) : []);
  if (change.type === "expunge") return unmoved(await expungeAll(ctx, mailbox, folder, uids));
  const result = await store.move(folder, uids, change.to);
  if ("unknown" in result && result.unknown === "to") throw unknownFolder("to_folder", change.to);
  return moved("moved" in result ? result.moved : []);
}

/** Returns the error of a label that does not exist. */
export const unknownLabel = () => invalidField("label_id", "There is no label with this id");

/** Returns what an action changes. */
export function toChange({ action, folder, to_folder, label_id }: Omit<BatchIn, "uids">): SelectedChange {
  switch (action) {
    case "seen":
    case "unseen":
      return { type: "flag", flag: "seen", isSet: action === "seen" };
    case "flag":
    case "unflag":
      return { type: "flag", flag: "flagged", isSet: action === "flag" };
    case "label":
    case "unlabel":
      return { type: "label", labelId: label_id ?? "", isAdded: action === "label" };
    case "not-spam":
      return { type: "restore" };
    case "expunge":
      return { type: "expunge" };
    case "delete":
      return folderName(folder) === "Trash" ? { type: "expunge" } : { type: "move", to: "Trash" };
    case "spam":
      return { type: "move", to: "Spam" };
    case "move":
      return { type: "move", to: to_folder ?? "" };
  }
}
