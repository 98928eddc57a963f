import type { CallerCtx } from "../../../access/caller.ts";
import { conflict, invalidField, notFound, requireFound } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import type { Label, LabelResult, MessageItem } from "../../mailbox-store/index.ts";
import { keepResponse, type OpenMailbox } from "../open.ts";

/** Creates a label. Throws 409 for a name that exists, and beyond 200 labels. */
export async function createLabel(ctx: CallerCtx, { store }: OpenMailbox, input: Omit<Label, "id">): Promise<Label> {
  return keepResponse(ctx, toLabel(await store.saveLabel({ id: ctx.newId(), ...input }, true)));
}

/** Changes a label. Throws 404, and 409 for a name that exists. */
export async function updateLabel(
  { store }: OpenMailbox,
  labelId: string,
  changes: { name?: string | undefined; color?: string | undefined },
): Promise<Label> {
  const id = parseUuid(labelId);
  const known = (await store.listLabels()).find((label) => label.id === id);
  if (!known) throw notFound("Label");
  const { name = known.name, color = known.color } = changes;
  return toLabel(await store.saveLabel({ id: known.id, name, color }, false));
}

/** Deletes a label and takes it from its messages. Throws 404. */
export async function deleteLabel({ store }: OpenMailbox, labelId: string): Promise<void> {
  const id = parseUuid(labelId);
  if (id === null || !(await store.deleteLabel(id))) throw notFound("Label");
}

function toLabel(result: LabelResult): Label {
  if ("label" in result) return result.label;
  if (result.refused === "unknown") throw notFound("Label");
  throw conflict(result.refused === "taken" ? "A label with this name exists" : "A mailbox has at most 200 labels");
}

/** Gives a message exactly these labels. Throws 404 for the message, 422 for an unknown label. */
export async function replaceLabels(
  { store }: OpenMailbox,
  folder: string,
  uid: number,
  labelIds: readonly string[],
): Promise<MessageItem> {
  const ids = labelIds.map((id) => parseUuid(id) ?? id);
  const result = await store.changeLabels(folder, [uid], ids, "replace");
  const message = requireFound(await store.find(folder, uid), "Message");
  if ("unknown" in result)
    throw invalidField("label_ids", "label_ids must contain ids of labels of this mailbox; one of these is not");
  return message;
}
