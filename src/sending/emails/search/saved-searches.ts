import { and, eq } from "drizzle-orm";
import type { CallerCtx } from "../../../access/caller.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { orm } from "../../../platform/db/client.ts";
import { savedSearches } from "../../../platform/db/schema/main/index.ts";
import type { SavedSearchesIn, SavedSearchesOut } from "./schema.ts";

/** Returns the saved searches of the calling user in this workspace. */
export async function getSavedSearches(ctx: CallerCtx): Promise<SavedSearchesOut> {
  const [row] = await orm(ctx)
    .select()
    .from(savedSearches)
    .where(and(eq(savedSearches.workspace, ctx.workspace.number), eq(savedSearches.userId, ctx.actor.userId)));
  return { searches: row?.searches ?? [] };
}

/** Replaces the saved searches of the calling user and returns them. Throws 422 when two have the same id. */
export async function putSavedSearches(ctx: CallerCtx, input: SavedSearchesIn): Promise<SavedSearchesOut> {
  const searches = input.searches.map((entry) => ({ ...entry, id: entry.id ?? ctx.newId() }));
  const duplicate = searches.findIndex(({ id }, index) => searches.findIndex((other) => other.id === id) < index);
  if (duplicate >= 0) {
    throw unprocessable([
      {
        loc: ["body", "searches", duplicate, "id"],
        msg: `id ${searches[duplicate]?.id} occurs twice in searches; ids must be unique`,
        type: "value_error",
      },
    ]);
  }
  await orm(ctx)
    .insert(savedSearches)
    .values({ workspace: ctx.workspace.number, userId: ctx.actor.userId, searches })
    .onConflictDoUpdate({ target: [savedSearches.workspace, savedSearches.userId], set: { searches } });
  return { searches };
}
