import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, notFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import type { SavedReply, SavedReplyResult } from "../../mailbox-store/index.ts";
import { keepResponse, type OpenMailbox } from "../open.ts";

/** Creates a saved reply. Throws 409 for a name that exists, and at the limit of a mailbox. */
export async function createSavedReply(
  ctx: CallerCtx,
  { store }: OpenMailbox,
  input: Omit<SavedReply, "id">,
): Promise<SavedReply> {
  return keepResponse(ctx, toReply(await store.saveReply({ id: ctx.newId(), ...input }, true)));
}

/** Changes a saved reply. Throws 404, and 409 for a name that exists. */
export async function updateSavedReply(
  { store }: OpenMailbox,
  replyId: string,
  { name, text }: { name?: string | undefined; text?: string | undefined },
): Promise<SavedReply> {
  const known = await store.findSavedReply(parseUuid(replyId) ?? "");
  if (!known) throw notFound("Saved reply");
  return toReply(await store.saveReply({ id: known.id, name: name ?? known.name, text: text ?? known.text }, false));
}

/** Deletes a saved reply. Throws 404. */
export async function deleteSavedReply({ store }: OpenMailbox, replyId: string): Promise<void> {
  if (!(await store.deleteSavedReply(parseUuid(replyId) ?? ""))) throw notFound("Saved reply");
}

function toReply(result: SavedReplyResult): SavedReply {
  if ("reply" in result) return result.reply;
  if (result.refused === "unknown") throw notFound("Saved reply");
  throw conflict(
    result.refused === "taken"
      ? "A saved reply with this name exists"
      : `A mailbox has at most ${mailboxBudgets.saved_replies.rows} saved replies`,
  );
}
