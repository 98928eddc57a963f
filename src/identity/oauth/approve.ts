import type { Scope } from "../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { Ctx } from "../../platform/context.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { CODE_TTL_MS } from "./rules.ts";

/** Purpose under which authorization codes are hashed (lib/secret-box). */
export const CODE_PURPOSE = "oauth-code";

// Inserts nothing when the membership has ended meanwhile.
const INSERT_GRANT = `
  INSERT INTO oauth_grants (id, workspace, user_id, client_id, scopes, resource, created_at, expires_at)
  SELECT ?1, workspace, user_id, ?4, ?5, ?6, ?7, ?8 FROM memberships WHERE workspace = ?2 AND user_id = ?3`;

const INSERT_CODE = `
  INSERT INTO oauth_codes (hash, grant_id, redirect_uri, code_challenge, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)`;

/** The access that a user consents to. `scopes` are those of the request, or fewer. */
export interface Consent extends Pick<CallerCtx, "actor" | "clientIp"> {
  workspaceId: string;
  scopes: readonly Scope[];
}

const FIND_WORKSPACE = `
  SELECT w.number FROM workspaces w JOIN memberships m ON m.workspace = w.number
   WHERE w.id = ?1 AND w.deleted_at IS NULL AND m.user_id = ?2`;

/**
 * Creates the grant that a user consents to and returns its authorization code, which is valid for 60 seconds and once.
 * Until the code is redeemed the grant expires with it. Throws 404 for a workspace that the user does not belong to.
 */
export async function approve(ctx: Ctx, request: AuthorizationRequest, consent: Consent): Promise<string> {
  const { actor, clientIp, workspaceId, scopes } = consent;
  const workspace = await ctx.db.findRow<{ number: number }>(FIND_WORKSPACE, parseUuid(workspaceId), actor.userId);
  if (!workspace) throw notFound("Workspace");
  const code = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, CODE_PURPOSE, code);
  const { client, redirectUri, codeChallenge, resource } = request;
  const grantId = ctx.newId();
  const now = ctx.now();
  const expiresAt = now + CODE_TTL_MS;
  const owner = [grantId, workspace.number, actor.userId, client.id];
  const detail = { client_id: client.id, client_name: client.name, scopes };
  await guardedBatch(ctx.db, [
    ctx.db.prepare(INSERT_GRANT).bind(...owner, JSON.stringify(scopes), resource, now, expiresAt),
    expectChanges(ctx.db, 1),
    ctx.db.prepare(INSERT_CODE).bind(hash, grantId, redirectUri, codeChallenge, expiresAt),
    ctx.db.prepare("UPDATE oauth_clients SET used_at = ?2 WHERE id = ?1 AND used_at IS NULL").bind(client.id, now),
    auditStatement({ ...ctx, actor, clientIp, workspace }, { action: "grant.created", target: grantId, detail }),
  ]).catch(onConcurrency(() => notFound("Workspace")));
  return code;
}

/** A workspace that a user can choose on the consent page. */
export interface WorkspaceChoice {
  id: string;
  name: string;
  role: string;
}

/** Returns the workspaces of a user, at most 100, oldest membership first. */
export async function listWorkspaceChoices(ctx: Pick<Ctx, "db">, userId: string): Promise<WorkspaceChoice[]> {
  return ctx.db.listRows<WorkspaceChoice>(
    `SELECT w.id, w.name, m.role FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
        WHERE m.user_id = ?1 ORDER BY m.created_at, m.workspace LIMIT 100`,
    userId,
  );
}
