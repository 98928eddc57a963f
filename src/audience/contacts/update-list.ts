import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { requireConfirmation } from "../consent/index.ts";
import { getList, LIST_COLUMNS, type ListRow, requireListId } from "./queries.ts";
import { type ListOut, type ListPatch, toList } from "./schema.ts";

const UPDATE = `
  UPDATE contact_lists SET name = coalesce(?3, name), description = iif(?4, ?5, description),
    icon_seed = iif(?6, ?7, icon_seed), confirm = coalesce(?8, confirm),
    confirm_mailbox_id = iif(?9, ?10, confirm_mailbox_id), confirm_subject = iif(?11, ?12, confirm_subject),
    confirm_text = iif(?13, ?14, confirm_text)
   WHERE workspace = ?1 AND id = ?2 RETURNING ${LIST_COLUMNS}`;

/** Changes fields of a list; null clears all but name and confirm. Throws 404 for the list or mailbox, 422 for it, 403 for the words. */
export async function updateList(ctx: CallerCtx, id: string, patch: ListPatch): Promise<ListOut> {
  await requireConfirmation(ctx, patch, () => getList(ctx, id));
  const row = await ctx.mail.findRow<ListRow>(
    UPDATE,
    ctx.workspace.number,
    requireListId(id),
    patch.name ?? null,
    ...changeOf(patch.description),
    ...changeOf(patch.icon_seed),
    patch.confirm === undefined ? null : Number(patch.confirm),
    ...changeOf(patch.confirm_mailbox_id),
    ...changeOf(patch.confirm_subject),
    ...changeOf(patch.confirm_text),
  );
  if (!row) throw notFound("Contact list");
  return toList(row);
}

/** Returns whether a field is changed, and its new value. */
const changeOf = (value: string | null | undefined) => [value === undefined ? 0 : 1, value ?? null];
