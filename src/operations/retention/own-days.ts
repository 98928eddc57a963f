import type { MailCtx } from "../../platform/context.ts";
import { shardSql } from "../../platform/jobs/shards.ts";

const FIND = `
  SELECT w.number, w.settings->>'$.retention_days' AS days FROM workspaces w
   WHERE w.settings->>'$.retention_days' IS NOT NULL AND ${shardSql("w")} = ?1`;

/** The days for which workspaces keep their emails, by number: those of the mail database that have fewer than the deployment. */
export type OwnDays = ReadonlyMap<number, number>;

/** Returns them in one D1 call, by an index that has no other workspaces (docs/contract/workspaces.md#retention). */
export async function findOwnDays(ctx: MailCtx): Promise<OwnDays> {
  const results = await ctx.db.listRows<{ number: number; days: number }>(FIND, ctx.shard);
  return new Map(results.filter(({ days }) => days < ctx.settings.retentionDays).map((row) => [row.number, row.days]));
}

/** Returns JSON by which a statement reads a bound of each of these workspaces, by number. */
export const boundsOf = (days: OwnDays, boundOf: (days: number) => number | string): string =>
  JSON.stringify(Object.fromEntries([...days].map(([workspace, own]) => [workspace, boundOf(own)])));
