import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { mailDb } from "../../platform/db/client.ts";
import { LIST_COLUMNS, type ListRow, requireListId } from "./queries.ts";
import { type ListOut, type ListPatch, toList } from "./schema.ts";

const UPDATE = `
  UPDATE contact_lists SET name = coalesce(?3, name), description = iif(?4, ?5, description),
    icon_seed = iif(?6, ?7, icon_seed)
   WHERE workspace = ?1 AND id = ?2 RETURNING ${LIST_COLUMNS}`;

/** Changes the given fields of a contact list; null clears a description or icon seed. Throws 404. */
export async function updateList(ctx: CallerCtx, id: string, patch: ListPatch): Promise<ListOut> {
  const row = await mailDb(ctx)
    .prepare(UPDATE)
    .bind(
      ctx.workspace.number,
      requireListId(id),
      patch.name ?? null,
      patch.description === undefined ? 0 : 1,
      patch.description ?? null,
      patch.icon_seed === undefined ? 0 : 1,
      patch.icon_seed ?? null,
    )
    .first<ListRow>();
  if (!row) throw notFound("Contact list");
  return toList(row);
}
