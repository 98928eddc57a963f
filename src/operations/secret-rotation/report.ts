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

const FIND_KEYS = `SELECT k.id, k.name, k.prefix, w.name AS workspace, k.last_used_at FROM api_keys k
           JOIN workspaces w ON w.number = k.workspace
          WHERE ${isOld("k.hash")} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?2)
          ORDER BY k.id LIMIT ?3`;
const COUNT_SESSIONS = `SELECT count(DISTINCT family) AS families, max(expires_at) AS last FROM refresh_tokens
          WHERE ${isOld("hash")} AND used_at IS NULL AND expires_at > ?2`;
const COUNT_USERS_WITH_CODES = `SELECT count(DISTINCT user_id) AS users FROM recovery_codes WHERE ${isOld("hash")}`;
const COUNT_APP_PASSWORDS = `SELECT count(*) AS passwords FROM app_passwords WHERE ${isOld("hash")}`;

type ApiKey = RotationReport["apiKeys"][number];
type Sessions = { families: number; last: number | null };

/** Returns what would end if only the newest master key were left. Reads the tables as a whole, for the operator only. */
export async function rotationReport(ctx: Ctx): Promise<RotationReport> {
  const prefix = `${newestKey(ctx.settings.masterKeys).version}.`;
  type Rows = [ApiKey, Sessions, { users: number }, { passwords: number }];
  const [apiKeys, [sessions], [codes], [passwords]] = await ctx.db.listEach<Rows>([
    ctx.db.prepare(FIND_KEYS).bind(prefix, ctx.now(), LISTED_KEYS),
    ctx.db.prepare(COUNT_SESSIONS).bind(prefix, ctx.now()),
    ctx.db.prepare(COUNT_USERS_WITH_CODES).bind(prefix),
    ctx.db.prepare(COUNT_APP_PASSWORDS).bind(prefix),
  ]);
  return {
    apiKeys,
    sessions: sessions?.families ?? 0,
    sessionsExpireAt: sessions?.last ?? null,
    usersWithRecoveryCodes: codes?.users ?? 0,
    appPasswords: passwords?.passwords ?? 0,
  };
}
