import { unauthorized } from "../../lib/errors.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import {
  type Caller,
  type MemberColumns,
  toCallerWorkspace,
  toMember,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "../accounts/authenticate.ts";
import { effectiveScopes, STANDING_SQL } from "../accounts/scopes.ts";
import type { PageFrame, SessionActor } from "../caller.ts";
import { verifyAccessToken } from "./access-token.ts";

interface SessionRow extends WorkspaceColumns, MemberColumns {
  is_platform_admin: number;
  time_zone: string | null;
  reauthenticated_at: number | null;
}

// The join with memberships ends the access to a workspace with the membership; the one with workspaces, when it is deleted.
const FIND_SESSION = `
  SELECT s.user_id, s.reauthenticated_at, u.email, u.name AS user_name, u.is_platform_admin, u.time_zone, u.restricted_at, ${STANDING_SQL},
         ${WORKSPACE_COLUMNS_SQL}
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    JOIN workspaces w ON w.id = ?3 AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = w.number AND m.user_id = s.user_id
   WHERE s.id = ?1 AND s.user_id = ?2 AND s.expires_at > ?4`;

/**
 * Returns the user, active workspace and rights of a session's access token, in one D1 query. The scopes are those of the current role.
 * Throws 401 with the same text for a token that is invalid or expired, and for one whose session, membership or workspace has ended.
 */
export async function authenticateSession(ctx: Ctx, token: string): Promise<Caller & { actor: SessionActor }> {
  const claims = await verify(ctx, token);
  return toCaller(await findSession(ctx, claims).first<SessionRow>(), claims);
}

/** Does the same for a page, and returns what its header shows, which is read in the same D1 batch. */
export async function authenticatePage(
  ctx: Ctx,
  token: string,
): Promise<Caller & { actor: SessionActor; frame: PageFrame }> {
  const claims = await verify(ctx, token);
  const reads = [findSession(ctx, claims), findFrame(ctx, claims.sub, claims.wid)];
  const [[row = null], [shown = { workspaces: "[]", unread: 0 }]] =
    await ctx.db.listEach<[SessionRow, { workspaces: string; unread: number }]>(reads);
  return { ...toCaller(row, claims), frame: { ...shown, workspaces: JSON.parse(shown.workspaces) } };
}

type Claims = NonNullable<Awaited<ReturnType<typeof verifyAccessToken>>>;

async function verify(ctx: Ctx, token: string): Promise<Claims> {
  const claims = await verifyAccessToken(ctx, "session", token);
  if (!claims) throw invalidSession();
  return claims;
}

const findSession = ({ db, now }: Ctx, { sid, sub, wid }: Claims) =>
  db.prepare(FIND_SESSION).bind(sid, sub, wid, now());

function toCaller(row: SessionRow | null, claims: Claims): Caller & { actor: SessionActor } {
  if (!row) throw invalidSession();
  const actor: SessionActor = {
    kind: "session",
    credentialId: claims.sid,
    ...toMember(row),
    scopes: effectiveScopes(["*"], row),
    grantsAll: true,
    domainIds: null,
    expiresAt: null,
    isPlatformAdmin: row.is_platform_admin === 1,
    timeZone: row.time_zone,
    accessExpiresAt: claims.expiresAt,
    reauthenticatedAt: row.reauthenticated_at,
  };
  return { actor, workspace: toCallerWorkspace(row), touch: null };
}

export const invalidSession = () => unauthorized("Invalid or expired session");

/** Workspaces that the header lists, and unread notifications that it counts; so a page reads at most as many rows for them. */
const [MAX_WORKSPACES, MAX_UNREAD] = [50, 100];

const FIND_FRAME = `
  SELECT (
    SELECT json_group_array(json_object('id', id, 'name', name)) FROM (
      SELECT w.id, w.name FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
       WHERE m.user_id = ?1 ORDER BY m.created_at, m.workspace LIMIT ${MAX_WORKSPACES})) AS workspaces, (
    SELECT count(*) FROM (
      SELECT 1 FROM workspaces w JOIN notifications n ON n.workspace = w.number AND n.user_id = ?1 AND n.read_at IS NULL
       WHERE w.id = ?2 LIMIT ${MAX_UNREAD})) AS unread`;

const findFrame = ({ db }: Ctx, userId: string, workspaceId: string): MainStatement =>
  db.prepare(FIND_FRAME).bind(userId, workspaceId);
