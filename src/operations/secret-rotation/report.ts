import { newestKey } from "../../lib/derive-key.ts";
import type { Ctx } from "../../platform/context.ts";

/** Most API keys that a report lists. */
const LISTED_KEYS = 1_000;

/** The credentials that are still hashed or signed under an older master key, and end when that key is removed. */
export interface RotationReport {
  /** API keys that were not used since the newest master key was added. */
  apiKeys: { id: string; name: string; prefix: string; workspace: string; last_used_at: number | null }[];
  /** Number of sessions, of users and mailboxes, whose refresh token is under an older key. */
  sessions: number;
  /** When the last of them expires, in ms since 1970; null: there is none. */
  sessionsExpireAt: number | null;
  /** Number of users with recovery codes under an older key. */
  usersWithRecoveryCodes: number;
  /** Number of app passwords of mailboxes that were not used since the newest master key was added. */
  appPasswords: number;
}

const isOld = (column: string) => `substr(${column}, 1, length(?1)) <> ?1`;

/** Returns what would end if only the newest master key were left. Reads the tables as a whole, for the operator only. */
export async function rotationReport(ctx: Ctx): Promise<RotationReport> {
  const prefix = `${newestKey(ctx.settings.masterKeys).version}.`;
  const [keys, tokens, codes, appPasswords] = await ctx.db.batch<Record<string, unknown>>([
    ctx.db
      .prepare(
        `SELECT k.id, k.name, k.prefix, w.name AS workspace, k.last_used_at FROM api_keys k
           JOIN workspaces w ON w.number = k.workspace
          WHERE ${isOld("k.hash")} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?2)
          ORDER BY k.id LIMIT ?3`,
      )
      .bind(prefix, ctx.now(), LISTED_KEYS),
    ctx.db
      .prepare(
        `SELECT count(DISTINCT family) AS families, max(expires_at) AS last FROM refresh_tokens
          WHERE ${isOld("hash")} AND used_at IS NULL AND expires_at > ?2`,
      )
      .bind(prefix, ctx.now()),
    ctx.db.prepare(`SELECT count(DISTINCT user_id) AS users FROM recovery_codes WHERE ${isOld("hash")}`).bind(prefix),
    ctx.db.prepare(`SELECT count(*) AS passwords FROM app_passwords WHERE ${isOld("hash")}`).bind(prefix),
  ]);
  const [sessions] = tokens?.results ?? [];
  return {
    apiKeys: (keys?.results ?? []) as unknown as RotationReport["apiKeys"],
    sessions: Number(sessions?.families ?? 0),
    sessionsExpireAt: (sessions?.last as number | null) ?? null,
    usersWithRecoveryCodes: Number(codes?.results[0]?.users ?? 0),
    appPasswords: Number(appPasswords?.results[0]?.passwords ?? 0),
  };
}
