import type { CallerCtx } from "../../access/caller.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { getList } from "../contacts/index.ts";
import { formUrl } from "./form-url.ts";
import type { FormRow } from "./queries.ts";
import { type FormIn, type FormOut, toForm } from "./schema.ts";

// The list may have been deleted since it was read.
const INSERT = `
  INSERT INTO contact_forms (workspace, id, list, name, title, text, button, fields, success_message, redirect_url, is_active, created_at)
  SELECT ?1, ?2, n, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM contact_lists
   WHERE n = ?3 AND workspace = ?1 AND ${hasRoom("contact_forms", "?3")}`;

/** Creates a form of a list. Throws 404 for the list, 409 when it has as many forms as it may. */
export async function createForm(ctx: CallerCtx, listId: string, input: FormIn): Promise<FormOut> {
  const list = await getList(ctx, listId);
  const row: FormRow = {
    id: ctx.newId(),
    workspace: ctx.workspace.number,
    list: list.n,
    listId: list.id,
    listName: list.name,
    name: input.name,
    title: input.title,
    text: input.text,
    button: input.button,
    fields: JSON.stringify(input.fields),
    successMessage: input.success_message,
    redirectUrl: input.redirect_url ?? null,
    isActive: input.is_active ? 1 : 0,
    createdAt: ctx.now(),
  };
  const response = toForm(row, await formUrl(ctx, row));
  const texts = [row.name, row.title, row.text, row.button, row.fields, row.successMessage, row.redirectUrl];
  const db = ctx.mail;
  await guardedBatch(db, [
    db.prepare(INSERT).bind(row.workspace, row.id, row.list, ...texts, row.isActive, row.createdAt),
    expectChanges(db, 1),
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}
