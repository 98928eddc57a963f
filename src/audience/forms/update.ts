import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { formUrl } from "./form-url.ts";
import { getForm } from "./queries.ts";
import { type FormOut, type FormPatch, toForm } from "./schema.ts";

const UPDATE = `
  UPDATE contact_forms SET name = coalesce(?3, name), title = coalesce(?4, title), text = coalesce(?5, text),
    button = coalesce(?6, button), fields = coalesce(?7, fields), success_message = coalesce(?8, success_message),
    redirect_url = iif(?9, ?10, redirect_url), is_active = coalesce(?11, is_active)
   WHERE workspace = ?1 AND id = ?2`;

/** Changes the given fields of a form. Throws 404 for the list or the form. */
export async function updateForm(ctx: CallerCtx, listId: string, id: string, patch: FormPatch): Promise<FormOut> {
  const { id: formId, workspace } = await getForm(ctx, listId, id);
  const { meta } = await ctx.mail.execute(
    UPDATE,
    ...[workspace, formId, patch.name ?? null, patch.title ?? null, patch.text ?? null, patch.button ?? null],
    patch.fields ? JSON.stringify(patch.fields) : null,
    patch.success_message ?? null,
    ...[patch.redirect_url === undefined ? 0 : 1, patch.redirect_url ?? null],
    patch.is_active === undefined ? null : Number(patch.is_active),
  );
  if (meta.changes === 0) throw notFound("Form");
  const row = await getForm(ctx, listId, id);
  return toForm(row, await formUrl(ctx, row));
}
