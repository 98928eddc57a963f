import { and, asc, eq, gt } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { users } from "../../platform/db/schema/main/index.ts";

export type UserRow = typeof users.$inferSelect;

/** Returns users of all workspaces in order of their ids: the one with this canonical address, or those after an id. */
export function listUsers(
  ctx: CallerCtx,
  { emailKey, after, limit }: ListRange & { emailKey?: string },
): Promise<UserRow[]> {
  const hasEmail = emailKey === undefined ? undefined : eq(users.emailKey, emailKey);
  const isAfter = after === undefined ? undefined : gt(users.id, after);
  return orm(ctx).select().from(users).where(and(hasEmail, isAfter)).orderBy(asc(users.id)).limit(limit);
}

/** Returns a user of any workspace. Throws 404. */
export async function getUser(ctx: CallerCtx, id: string): Promise<UserRow> {
  const uuid = requireFound(parseUuid(id), "User");
  const [row] = await orm(ctx).select().from(users).where(eq(users.id, uuid));
  return requireFound(row, "User");
}
