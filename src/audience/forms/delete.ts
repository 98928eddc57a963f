import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { getForm } from "./queries.ts";

/** Deletes a form. Its page responds 404 then; the evidence of its submissions stays. Throws 404 for the list or the form. */
export async function deleteForm(ctx: CallerCtx, listId: string, id: string): Promise<void> {
  const form = await getForm(ctx, listId, id);
  const values = [form.workspace, form.id];
  const { meta } = await ctx.mail.execute("DELETE FROM contact_forms WHERE workspace = ?1 AND id = ?2", ...values);
  if (meta.changes === 0) throw notFound("Form");
}
