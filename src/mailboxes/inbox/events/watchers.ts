import { effectiveScopes } from "../../../access/accounts/scopes.ts";
import type { CallerCtx, Role } from "../../../access/caller.ts";
import { mayOpenSql, openByPassword } from "../../../access/mailbox-sessions/rights.ts";
import type { Ctx } from "../../../platform/context.ts";

/**
 * Longest life of a socket, in ms. Opening the next one authenticates again and records the opening
 * (docs/contract/inbox.md#changes-of-a-mailbox).
 */
const MAX_SOCKET_MS = 3_600_000;

/** Who opened a socket, as far as it decides whether the socket may stay open. */
export interface Watcher {
  kind: "api_key" | "session" | "oauth" | "mailbox";
  mailboxId: string;
  credentialId: string;
  userId: string;
  /** Number of the workspace. */
  workspace: number;
  /** When the credential expires, in ms since 1970. Null: never. */
  expiresAt: number | null;
  /** When the socket ends at the latest, in ms since 1970. */
  endsAt: number;
}

/** Returns the watcher of an authenticated caller. */
export function toWatcher({ actor, workspace, now }: CallerCtx, mailboxId: string): Watcher {
  if (actor.kind === "system" || actor.kind === "smtp") throw new Error(`${actor.kind} is never a caller`);
  const expiresAt = actor.kind === "session" ? actor.accessExpiresAt : actor.expiresAt;
  return {
    kind: actor.kind,
    mailboxId,
    credentialId: actor.credentialId,
    userId: actor.userId,
    workspace: workspace.number,
    expiresAt,
    endsAt: Math.min(expiresAt ?? Number.MAX_SAFE_INTEGER, now() + MAX_SOCKET_MS),
  };
}

interface AccessRow {
  /** Index of the watcher. */
  n: number;
  role: Role;
  scopes: string;
}

// `?1` is the watchers as JSON, `?2` the time. The joins are those of authentication and of openMailbox.
const ofUser = (credential: string, scopes: string, isPermitted = "true") => `
  SELECT j.key AS n, m.role, ${scopes} AS scopes FROM json_each(?1) j
    JOIN mailboxes b ON b.id = j.value->>'mailboxId' AND b.workspace = j.value->>'workspace'
    JOIN workspaces w ON w.number = b.workspace AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = w.number AND m.user_id = j.value->>'userId'
    JOIN ${credential}
   WHERE j.value->>'endsAt' > ?2 AND ${isPermitted} AND ${mayOpenSql("b.id")}`;

/** The statement that finds the watchers of each kind whose access has not ended. */
const FIND_OPEN: Readonly<Record<Watcher["kind"], string>> = {
  session: ofUser(
    "sessions s ON s.id = j.value->>'credentialId' AND s.user_id = m.user_id AND s.expires_at > ?2",
    `'["*"]'`,
  ),
  api_key: ofUser(
    `api_keys k ON k.id = j.value->>'credentialId' AND k.workspace = w.number AND k.user_id = m.user_id
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?2)`,
    "k.scopes",
    "(k.domain_ids IS NULL OR b.domain_id IN (SELECT value FROM json_each(k.domain_ids)))",
  ),
  // The time at which it expires tells an access token from the others of its grant.
  oauth: ofUser(
    `oauth_grants g ON g.id = j.value->>'credentialId' AND g.workspace = w.number AND g.user_id = m.user_id AND g.expires_at > ?2
     JOIN oauth_access_tokens t ON t.grant_id = g.id AND t.expires_at = j.value->>'expiresAt' AND t.expires_at > ?2`,
    "t.scopes",
  ),
  mailbox: `
    SELECT j.key AS n, 'member' AS role, '["inbox:read"]' AS scopes FROM json_each(?1) j
      JOIN mailbox_sessions s ON s.id = j.value->>'credentialId' AND s.mailbox_id = j.value->>'mailboxId' AND s.expires_at > ?2
      JOIN ${openByPassword("?2")}
     WHERE b.id = s.mailbox_id AND j.value->>'endsAt' > ?2 AND b.is_active = 1 AND b.workspace = j.value->>'workspace'`,
};

/**
 * Returns for each watcher whether its access has not ended: the credential, the membership, the assignment or the role, and
 * the owner of the mailbox are read anew, in one D1 call.
 */
export async function findOpen(ctx: Ctx, watchers: readonly Watcher[]): Promise<boolean[]> {
  const open = watchers.map(() => false);
  const groups = [...Map.groupBy(watchers.keys(), (n) => watchers[n]?.kind ?? "session")];
  if (groups.length === 0) return open;
  const statements = groups.map(([kind, indexes]) =>
    ctx.db.prepare(FIND_OPEN[kind]).bind(JSON.stringify(indexes.map((n) => watchers[n])), ctx.now()),
  );
  const results = await ctx.db.batch<AccessRow>(statements);
  for (const [group, { results: rows }] of results.entries()) {
    for (const { n, role, scopes } of rows) {
      const index = groups[group]?.[1][n];
      const mayRead = effectiveScopes(JSON.parse(scopes) as string[], role).has("inbox:read");
      if (index !== undefined) open[index] = mayRead;
    }
  }
  return open;
}
