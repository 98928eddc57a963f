import { and, eq } from "drizzle-orm";
import type { CallerCtx } from "../../context.ts";
import { orm } from "../../db/client.ts";
import { savedSearches } from "../../db/schema/index.ts";
import { unprocessable } from "../../errors.ts";
import type { SavedSearchesIn, SavedSearchesOut } from "./schema.ts";

/** The searches that the caller keeps in this workspace. Another person's are never seen. */
export async function getSavedSearches(ctx: CallerCtx): Promise<SavedSearchesOut> {
  const [row] = await orm(ctx)
    .select()
    .from(savedSearches)
    .where(and(eq(savedSearches.workspace, ctx.workspace.number), eq(savedSearches.userId, ctx.actor.userId)));
  return { searches: row?.searches ?? [] };
}

/** Replaces the caller's whole list, and answers what is stored now. Throws 422 when an id stands in it twice. */
export async function putSavedSearches(ctx: CallerCtx, input: SavedSearchesIn): Promise<SavedSearchesOut> {
  const searches = input.searches.map((entry) => ({ ...entry, id: entry.id ?? ctx.newId() }));
  const twice = searches.findIndex(({ id }, index) => searches.findIndex((other) => other.id === id) < index);
  if (twice >= 0) {
    throw unprocessable([
      { loc: ["body", "searches", twice, "id"], msg: "This id stands in the list twice", type: "value_error" },
    ]);
  }
  await orm(ctx)
    .insert(savedSearches)
    .values({ workspace: ctx.workspace.number, userId: ctx.actor.userId, searches })
    .onConflictDoUpdate({ target: [savedSearches.workspace, savedSearches.userId], set: { searches } });
  return { searches };
}
