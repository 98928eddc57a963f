import { unauthorized } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import {
  type Caller,
  toCallerWorkspace,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "../accounts/authenticate.ts";
import { effectiveScopes } from "../accounts/scopes.ts";
import type { PageFrame, Role, SessionActor } from "../caller.ts";
import { verifyAccessToken } from "./access-token.ts";
import { type FrameRow, findFrame, toFrame } from "./frame.ts";

interface SessionRow extends WorkspaceColumns {
  user_id: string;
  email: string;
  user_name: string | null;
  is_platform_admin: number;
  time_zone: string | null;
  restricted_at: number | null;
  reauthenticated_at: number | null;
  role: Role;
}

// The join with memberships ends the access to a workspace with the membership; the one with workspaces, when it is deleted.
const FIND_SESSION = `
  SELECT s.user_id, s.reauthenticated_at, u.email, u.name AS user_name, u.is_platform_admin, u.time_zone, u.restricted_at, m.role,
         ${WORKSPACE_COLUMNS_SQL}
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    JOIN workspaces w ON w.id = ?3 AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = w.number AND m.user_id = s.user_id
   WHERE s.id = ?1 AND s.user_id = ?2 AND s.expires_at > ?4`;

/**
 * Returns the user, active workspace and rights of a session's access token, in one D1 query. The scopes are those of
 * the current role. Throws 401 with the same text for a token that is invalid or expired, and for one whose session,
 * membership or workspace has ended.
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
  const [session, frame] = await ctx.db.batch([findSession(ctx, claims), findFrame(ctx, claims.sub, claims.wid)]);
  const [row = null] = (session?.results ?? []) as SessionRow[];
  const [shown = { workspaces: "[]", unread: 0 }] = (frame?.results ?? []) as FrameRow[];
  return { ...toCaller(row, claims), frame: toFrame(shown) };
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
    userId: row.user_id,
    email: row.email,
    name: row.user_name,
    role: row.role,
    scopes: effectiveScopes(["*"], row.role),
    grantsAll: true,
    domainIds: null,
    expiresAt: null,
    restricted: row.restricted_at !== null,
    isPlatformAdmin: row.is_platform_admin === 1,
    timeZone: row.time_zone,
    accessExpiresAt: claims.expiresAt,
    reauthenticatedAt: row.reauthenticated_at,
  };
  return { actor, workspace: toCallerWorkspace(row), touch: null };
}

export const invalidSession = () => unauthorized("Invalid or expired session");
