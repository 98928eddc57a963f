import type { Ctx } from "../../platform/context.ts";
import { effectiveScopes, STANDING_SQL } from "../accounts/scopes.ts";
import type { Role } from "../caller.ts";
import { mayOpenSql, openByAppPassword, openByPassword } from "./rights.ts";

/** Who asks to open a mailbox: a mail program by a secret of the mailbox, a session of the mailbox, or a person by a credential. */
export type Opener = SecretOpener | PersonOpener;

export interface SecretOpener {
  kind: "password" | "app_password" | "mailbox";
  mailboxId: string;
  /** Id of the app password or session. Of the password of the mailbox when it was set, in ms since 1970 as digits. */
  credentialId: string;
}

interface PersonOpener extends Omit<SecretOpener, "kind"> {
  kind: "session" | "api_key" | "oauth";
  userId: string;
  /** Number of the workspace. */
  workspace: number;
  /** When the credential expires, in ms since 1970. Null: never. */
  expiresAt: number | null;
}

/** A mailbox that may be opened. */
export interface Opened {
  quotaBytes: number | null;
  /** When an app password was used last; null for other credentials. */
  lastUsedAt: number | null;
}

/** SQL of openers of a kind: what follows FROM, and the columns of a person's role and scopes. */
interface OpenedSql {
  from: string;
  grants: string;
}

const bySecret = (secret: string): OpenedSql => ({
  from: `json_each(?1) j CROSS JOIN ${secret} AND b.id = j.value->>'mailboxId' AND b.is_active = 1`,
  grants: "NULL AS role, NULL AS mailboxes_only, NULL AS scopes",
});

const byPerson = (credential: string, scopes: string, isPermitted = "true"): OpenedSql => ({
  from: `json_each(?1) j
    CROSS JOIN mailboxes b ON b.id = j.value->>'mailboxId' AND b.workspace = j.value->>'workspace'
    JOIN workspaces w ON w.number = b.workspace AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = w.number AND m.user_id = j.value->>'userId' AND ${mayOpenSql("b.id")}
    JOIN ${credential} AND ${isPermitted}`,
  grants: `${STANDING_SQL}, ${scopes} AS scopes`,
});

const OPENED: Readonly<Record<Opener["kind"], OpenedSql>> = {
  password: bySecret(`${openByPassword("?2")} AND p.changed_at = CAST(j.value->>'credentialId' AS INTEGER)`),
  app_password: bySecret(`${openByAppPassword("?2")} AND p.id = j.value->>'credentialId'`),
  mailbox: bySecret(
    `mailbox_sessions s ON s.id = j.value->>'credentialId' AND s.expires_at > ?2
     JOIN ${openByPassword("?2")} AND b.id = s.mailbox_id`,
  ),
  session: byPerson(
    "sessions s ON s.id = j.value->>'credentialId' AND s.user_id = m.user_id AND s.expires_at > ?2",
    `'["*"]'`,
  ),
  api_key: byPerson(
    `api_keys k ON k.id = j.value->>'credentialId' AND k.workspace = w.number AND k.user_id = m.user_id
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?2)`,
    "k.scopes",
    "(k.domain_ids IS NULL OR b.domain_id IN (SELECT value FROM json_each(k.domain_ids)))",
  ),
  // The time at which it expires tells an access token from the others of its grant.
  oauth: byPerson(
    `oauth_grants g ON g.id = j.value->>'credentialId' AND g.workspace = w.number AND g.user_id = m.user_id AND g.expires_at > ?2
     JOIN oauth_access_tokens t ON t.grant_id = g.id AND t.expires_at = j.value->>'expiresAt' AND t.expires_at > ?2`,
    "t.scopes",
  ),
};

/** Returns what follows FROM in a query for the mailboxes `b` and workspaces `w` that openers of a kind may open: `?1` are they as JSON, `?2` is the time. */
export const openedSql = (kind: Opener["kind"]): string => OPENED[kind].from;

const findOpened = (kind: Opener["kind"]) => `
  SELECT j.key AS n, ${OPENED[kind].grants}, b.quota_bytes AS quotaBytes,
         ${kind === "app_password" ? "p.last_used_at" : "NULL"} AS lastUsedAt FROM ${openedSql(kind)} WHERE w.shut_at IS NULL`;

interface OpenedRow extends Opened {
  /** Index of the opener among those of its kind. */
  n: number;
  /** Null of a secret of the mailbox, as the scopes. */
  role: Role | null;
  mailboxes_only: 0 | 1 | null;
  scopes: string | null;
}

/**
 * Returns for each opener the mailbox if it may be opened and read now, or null, in one D1 call. The credential, the membership, the
 * assignment or the role, and the mailbox with its domain and workspace are read anew: nothing of an earlier answer is used.
 */
export async function mayOpen(ctx: Ctx, openers: readonly Opener[]): Promise<(Opened | null)[]> {
  const answers: (Opened | null)[] = openers.map(() => null);
  const groups = [...Map.groupBy(openers.keys(), (n) => openers[n]?.kind ?? "session")];
  if (groups.length === 0) return answers;
  const results = await ctx.db.batch<OpenedRow>(
    groups.map(([kind, indexes]) =>
      ctx.db.prepare(findOpened(kind)).bind(JSON.stringify(indexes.map((n) => openers[n])), ctx.now()),
    ),
  );
  for (const [group, { results: rows }] of results.entries())
    for (const { n, role, mailboxes_only, scopes, ...opened } of rows) {
      const index = groups[group]?.[1][n];
      const standing = role && { role, mailboxes_only: mailboxes_only ?? 1 };
      const mayRead = !standing || effectiveScopes(JSON.parse(scopes ?? "[]") as string[], standing).has("inbox:read");
      if (index !== undefined && mayRead) answers[index] = opened;
    }
  return answers;
}
