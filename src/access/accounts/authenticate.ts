import { forbidden, invalidToken } from "../../lib/errors.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { CallerWorkspace, Ctx, MainStatement } from "../../platform/context.ts";
import type { apiKeys, memberships, users, workspaces } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { MAIL_SIZE_SQL, MAIN_SIZE_SQL, OVER_CONTENT_SQL, OVER_SHARE_SQL } from "../../platform/jobs/shard-sizes.ts";
import { shardSql } from "../../platform/jobs/shards.ts";
import type { Actor, ApiKeyActor } from "../caller.ts";
import { API_KEY_PURPOSE, isApiKey } from "./api-key.ts";
import { effectiveScopes, STANDING_SQL } from "./scopes.ts";

/** Least time between two writes of last_used_at, in ms (docs/contract/scopes.md#api-keys). */
const LAST_USED_INTERVAL_MS = 60_000;

/** The columns of a workspace in the row that found a credential. */
export type WorkspaceColumns = StoredColumns<
  typeof workspaces,
  "number" | "slug" | "sending_paused_at" | "shut_at" | "daily_limit" | "bulk_pause"
> & {
  workspace_id: string;
  workspace_name: string;
  shard: number;
  mail_size: number;
  over_share: 0 | 1;
  over_content: 0 | 1;
  main_size: number;
};

/** The columns of a user `u`, and of its membership `m`, in the row that found a credential. */
export type MemberColumns = StoredColumns<typeof users, "email" | "restricted_at"> &
  StoredColumns<typeof memberships, "user_id" | "role" | "mailboxes_only"> & { user_name: string | null };

type KeyRow = StoredColumns<
  typeof apiKeys,
  "hash" | "prefix" | "scopes" | "domain_ids" | "last_used_at" | "expires_at" | "revoked_at"
> & { key_id: string } & WorkspaceColumns &
  MemberColumns;

/** SQL: the columns of a workspace `w` (`WorkspaceColumns`): with what limits its new mail. */
export const WORKSPACE_COLUMNS_SQL = `
  w.number, w.id AS workspace_id, w.name AS workspace_name, w.slug, w.sending_paused_at, w.shut_at, ${shardSql("w")} AS shard,
  w.daily_limit, w.bulk_pause, ${MAIL_SIZE_SQL} AS mail_size,
  ${OVER_SHARE_SQL} AS over_share, ${OVER_CONTENT_SQL} AS over_content, ${MAIN_SIZE_SQL} AS main_size`;

// The join with memberships ends a key when its user leaves the workspace; the one with workspaces, when that is deleted.
const FIND_KEY = `
  SELECT k.id AS key_id, k.hash, k.prefix, k.scopes, k.domain_ids, k.last_used_at, k.expires_at, k.revoked_at,
         u.id AS user_id, u.email, u.name AS user_name, u.restricted_at, ${STANDING_SQL},
         ${WORKSPACE_COLUMNS_SQL}
    FROM api_keys k
    JOIN memberships m ON m.workspace = k.workspace AND m.user_id = k.user_id
    JOIN users u ON u.id = k.user_id
    JOIN workspaces w ON w.number = k.workspace AND w.deleted_at IS NULL
   WHERE k.hash IN (SELECT value FROM json_each(?1))`;

/** SQL expression: the number of the workspace of an API key. `?1` is the `keyHashes` of `authenticateApiKey`. */
export const KEY_WORKSPACE = "(SELECT workspace FROM api_keys WHERE hash IN (SELECT value FROM json_each(?1)))";

export interface Caller {
  actor: Actor;
  workspace: CallerWorkspace;
  /**
   * Writes last_used_at, and the hash under the newest master key. Null when the row has that hash and was written within
   * the last minute. Run it after the response.
   */
  touch: (() => Promise<void>) | null;
}

/**
 * Returns the user, workspace and rights of an API key, in one D1 call. `reads` returns statements that run in the same call; `results` are
 * theirs. Throws 401 with the same text for a key that is malformed, unknown, revoked, expired or of a deleted workspace.
 */
export async function authenticateApiKey(
  ctx: Ctx,
  key: string,
  reads: (keyHashes: string) => MainStatement[] = () => [],
): Promise<Caller & { results: D1Result[] }> {
  if (!isApiKey(key)) throw invalidToken("Invalid API key");
  const hashes = await keyedHashes(ctx.settings.masterKeys, API_KEY_PURPOSE, key);
  const keyHashes = JSON.stringify(hashes);
  const find = ctx.db.prepare(FIND_KEY).bind(keyHashes);
  const others = reads(keyHashes);
  const [found, ...results] = others.length > 0 ? await ctx.db.batch([find, ...others]) : [await find.all()];
  return { ...toCaller(ctx, found?.results[0] as KeyRow | undefined, hashes[0] ?? ""), results };
}

/** `hash` is that of the key under the newest master key. */
function toCaller(ctx: Ctx, row: KeyRow | undefined, hash: string): Caller {
  const now = ctx.now();
  if (!row || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    throw invalidToken("Invalid API key");
  const isDue = row.last_used_at === null || row.last_used_at <= now - LAST_USED_INTERVAL_MS;
  return {
    actor: toActor(row),
    workspace: toCallerWorkspace(row),
    touch: isDue || row.hash !== hash ? () => touchKey(ctx, row.key_id, hash) : null,
  };
}

function toActor(row: KeyRow): ApiKeyActor {
  const granted = JSON.parse(row.scopes) as string[];
  return {
    kind: "api_key",
    credentialId: row.key_id,
    keyPrefix: row.prefix,
    ...toMember(row),
    scopes: effectiveScopes(granted, row),
    grantsAll: granted.includes("*"),
    domainIds: row.domain_ids === null ? null : new Set(JSON.parse(row.domain_ids) as string[]),
    expiresAt: row.expires_at,
  };
}

/** Returns the user of a row that found a credential. */
export function toMember(row: MemberColumns) {
  const { user_id: userId, email, user_name: name, role, restricted_at: restrictedAt } = row;
  const mailboxesOnly = row.mailboxes_only !== 0;
  return { userId, email, name, role, mailboxesOnly, restricted: restrictedAt !== null };
}

/** Returns the workspace of a row that found a credential. Throws 403 while the platform has shut it. */
export function toCallerWorkspace(row: WorkspaceColumns): CallerWorkspace {
  if (row.shut_at !== null) throw forbidden("The platform has shut this workspace; ask the operator of the service");
  return {
    number: row.number,
    id: row.workspace_id,
    name: row.workspace_name,
    slug: row.slug,
    sendingPaused: row.sending_paused_at !== null,
    bulkPause: row.bulk_pause,
    mailShard: row.shard,
    mailSize: row.mail_size,
    isOverShare: row.over_share === 1,
    isOverContent: row.over_content === 1,
    mainSize: row.main_size,
    dailyLimit: row.daily_limit,
  };
}

const TOUCH = `UPDATE api_keys SET last_used_at = ?1, hash = ?4
          WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at <= ?3 OR hash <> ?4)`;

/** Never throws: a failed write is logged, and the next use repeats it. */
async function touchKey(ctx: Ctx, keyId: string, hash: string): Promise<void> {
  const now = ctx.now();
  try {
    await ctx.db.execute(TOUCH, now, keyId, now - LAST_USED_INTERVAL_MS, hash);
  } catch (error) {
    ctx.log("api-key.touch.failed", { error: String(error) });
  }
}
