import type { CallerCtx } from "../../../access/caller.ts";
import type { Provider } from "./link.ts";

/** A linked account. `email`: null for one that was linked before migration 0280. `createdAt` in ms since 1970. */
export interface LinkedAccountRow {
  provider: Provider;
  subject: string;
  email: string | null;
  createdAt: number;
}

const LIST = `
  SELECT provider, subject, email, created_at AS createdAt FROM identities WHERE user_id = ?1 ORDER BY created_at, provider, subject LIMIT 100`;

/** Returns the accounts at providers by which the caller's user signs in, oldest first, at most 100. */
export async function listLinkedAccounts(ctx: CallerCtx): Promise<LinkedAccountRow[]> {
  return await ctx.db.listRows<LinkedAccountRow>(LIST, ctx.actor.userId);
}
