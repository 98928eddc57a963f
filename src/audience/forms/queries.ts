import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { contactForms } from "../../platform/db/schema/mail/index.ts";

/** A row of `contact_forms` with its list. Times in milliseconds since 1970. */
export interface FormRow extends Omit<typeof contactForms.$inferSelect, "n"> {
  listId: string;
  listName: string;
}

const COLUMNS = `f.id, f.workspace, f.list, l.id AS listId, l.name AS listName, f.name, f.title, f.text, f.button, f.fields,
  f.success_message AS successMessage, f.redirect_url AS redirectUrl, f.is_active AS isActive, f.created_at AS createdAt`;

const FROM = "FROM contact_forms f CROSS JOIN contact_lists l ON l.n = f.list";

/** Returns all forms of a list of the caller's workspace, oldest first. A list has few (`mailBudgets`). */
export async function listForms(ctx: CallerCtx, list: { n: number }): Promise<FormRow[]> {
  const sql = `SELECT ${COLUMNS} ${FROM} WHERE f.list = ?1 AND f.workspace = ?2 ORDER BY f.id`;
  return ctx.mail.listRows<FormRow>(sql, list.n, ctx.workspace.number);
}

/** Returns the forms of the caller's workspace, the newest first, from the one that follows the id `after`. */
export async function listAllForms(ctx: CallerCtx, { after = "~", limit }: ListRange): Promise<FormRow[]> {
  const sql = `SELECT ${COLUMNS} ${FROM} WHERE f.workspace = ?1 AND f.id < ?2 ORDER BY f.id DESC LIMIT ?3`;
  return ctx.mail.listRows<FormRow>(sql, ctx.workspace.number, after, limit);
}

/** Returns a form of a list of the caller's workspace. Throws 404 for both. */
export async function getForm(ctx: CallerCtx, listId: string, id: string): Promise<FormRow> {
  const row = await findForm(ctx, ctx.workspace.number, parseUuid(id) ?? "");
  if (row?.listId !== parseUuid(listId) || row === null) throw notFound("Form");
  return row;
}

/** Returns a form of a workspace by its id, or null. */
export function findForm(ctx: MailCtx, workspace: number, id: string): Promise<FormRow | null> {
  return ctx.mail.findRow<FormRow>(`SELECT ${COLUMNS} ${FROM} WHERE f.workspace = ?1 AND f.id = ?2`, workspace, id);
}
