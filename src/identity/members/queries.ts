import { and, asc, eq, gt, type SQL } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { memberships, users } from "../../platform/db/schema/main/index.ts";

const columns = {
  userId: memberships.userId,
  email: users.email,
  name: users.name,
  role: memberships.role,
  mailboxesOnly: memberships.mailboxesOnly,
  createdAt: memberships.createdAt,
};

/** A member of a workspace. */
export type MemberRow = Awaited<ReturnType<typeof getMember>>;

/** Returns the members of the caller's workspace in order of their ids; `after` continues after this id. */
export const listMembers = (ctx: CallerCtx, { after, limit }: ListRange) =>
  members(ctx, after === undefined ? undefined : gt(memberships.userId, after))
    .orderBy(asc(memberships.userId))
    .limit(limit);

/** Returns one member of the caller's workspace. Throws 404 for an id that is malformed, unknown or of no member. */
export async function getMember(ctx: CallerCtx, userId: string) {
  const [row] = await members(ctx, eq(memberships.userId, requireFound(parseUuid(userId), "Member")));
  return requireFound(row, "Member");
}

const members = (ctx: CallerCtx, condition: SQL | undefined) =>
  orm(ctx)
    .select(columns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.workspace, ctx.workspace.number), condition));

/** Returns the addresses of users by their ids, for ids that rows of the workspace name. No D1 call for none. */
export async function findEmailsOf(
  { db }: Pick<CallerCtx, "db">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const sql = "SELECT u.id, u.email FROM json_each(?1) j CROSS JOIN users u ON u.id = j.value";
  const results = await db.listRows<{ id: string; email: string }>(sql, JSON.stringify([...new Set(ids)]));
  return new Map(results.map(({ id, email }) => [id, email]));
}
