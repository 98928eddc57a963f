import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { expectChanges } from "../../platform/db/batch.ts";

/** The purpose of a one-time token. A token of one purpose is unknown to the others. */
export type OneTimePurpose = "magic_link" | "second_factor" | "forward_target";

/** Purpose under which one-time tokens are hashed (lib/secret-box). */
const HASH_PURPOSE = "one-time-token";

const INSERT = `
  INSERT INTO one_time_tokens (hash, purpose, subject, data, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`;

const OF_TOKEN = "hash IN (SELECT value FROM json_each(?1)) AND purpose = ?2 AND expires_at > ?3";

/** Returns a new token and the statement that stores its hash. `ttlMs` is its lifetime in ms. */
export async function issueOneTimeToken(
  ctx: Ctx,
  purpose: OneTimePurpose,
  { subject, data = {}, ttlMs }: { subject: string; data?: Record<string, unknown>; ttlMs: number },
): Promise<{ token: string; expiresAt: number; statement: MainStatement }> {
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, HASH_PURPOSE, token);
  const now = ctx.now();
  const expiresAt = now + ttlMs;
  const values = [hash, purpose, subject, JSON.stringify(data), now, expiresAt];
  return { token, expiresAt, statement: ctx.db.prepare(INSERT).bind(...values) };
}

/** Returns what a token was issued for, without redeeming it. Null for one that is unknown, redeemed or expired. */
export async function findOneTimeToken(
  ctx: Ctx,
  purpose: OneTimePurpose,
  token: string,
): Promise<{ subject: string; data: Record<string, unknown> } | null> {
  const sql = `SELECT subject, data FROM one_time_tokens WHERE ${OF_TOKEN}`;
  const hashes = await hashesOf(ctx, token);
  const row = await ctx.db.findRow<{ subject: string; data: string }>(sql, hashes, purpose, ctx.now());
  return row && { subject: row.subject, data: JSON.parse(row.data) as Record<string, unknown> };
}

/** Returns the statements that redeem a token, for the batch of what it allows. Of concurrent ones all but one throw ConcurrencyError. */
export async function redeemStatements(ctx: Ctx, purpose: OneTimePurpose, token: string): Promise<MainStatement[]> {
  const remove = ctx.db.prepare(`DELETE FROM one_time_tokens WHERE ${OF_TOKEN}`);
  return [remove.bind(await hashesOf(ctx, token), purpose, ctx.now()), expectChanges(ctx.db, 1)];
}

const hashesOf = async (ctx: Ctx, token: string) =>
  JSON.stringify(await keyedHashes(ctx.settings.masterKeys, HASH_PURPOSE, token));
