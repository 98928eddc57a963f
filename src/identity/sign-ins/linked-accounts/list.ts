import type { CallerCtx } from "../../../access/caller.ts";
import type { identities } from "../../../platform/db/schema/main/index.ts";

/** A linked account. `email`: null for one that was linked before migration 0280. `createdAt` in ms since 1970. */
export type LinkedAccountRow = Omit<typeof identities.$inferSelect, "userId">;

const LIST = `
  SELECT provider, subject, email, created_at AS createdAt FROM identities WHERE user_id = ?1 ORDER BY created_at, provider, subject LIMIT 100`;

/** Returns the accounts at providers by which the caller's user signs in, oldest first, at most 100. */
export const listLinkedAccounts = (ctx: CallerCtx): Promise<LinkedAccountRow[]> =>
  ctx.db.listRows<LinkedAccountRow>(LIST, ctx.actor.userId);
