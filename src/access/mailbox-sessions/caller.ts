import { invalidToken } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Caller, MAIL_LIMITS, toCallerWorkspace, type WorkspaceColumns } from "../accounts/index.ts";
import type { MailboxActor } from "../caller.ts";
import { verifyAccessToken } from "../sessions/index.ts";
import { openByPassword } from "./sessions.ts";

interface MailboxRow extends WorkspaceColumns {
  address: string;
  display_name: string | null;
  user_id: string;
  restricted_at: number | null;
}

const FIND_CALLER = `
  SELECT b.address, b.display_name, o.user_id, u.restricted_at,
         w.number, w.id AS workspace_id, w.name AS workspace_name, w.slug, w.sending_paused_at, w.mail_shards, ${MAIL_LIMITS}
    FROM mailbox_sessions s JOIN ${openByPassword("?3")}
    JOIN memberships o ON o.workspace = w.number AND o.role = 'owner'
    JOIN users u ON u.id = o.user_id
   WHERE s.id = ?1 AND b.id = ?2 AND b.id = s.mailbox_id AND b.is_active = 1 AND s.expires_at > ?3
   ORDER BY o.created_at LIMIT 1`;

/**
 * Returns the caller of an access token of a mailbox session, in one D1 query. It may use the inbox API of its own mailbox and
 * nothing else. What it sends counts for the oldest owner of the workspace. Throws 401 with one text for a token that is
 * invalid or expired, and for one whose session, mailbox or workspace has ended.
 */
export async function authenticateMailboxCaller(ctx: Ctx, token: string): Promise<Caller & { actor: MailboxActor }> {
  const claims = await verifyAccessToken(ctx, "mailbox_access", token);
  const row = claims && (await ctx.db.prepare(FIND_CALLER).bind(claims.sid, claims.sub, ctx.now()).first<MailboxRow>());
  if (!claims || !row) throw invalidToken("Invalid or expired mailbox session");
  const actor: MailboxActor = {
    kind: "mailbox",
    mailboxId: claims.sub,
    credentialId: claims.sid,
    userId: row.user_id,
    email: row.address,
    name: row.display_name,
    role: "member",
    scopes: new Set(["inbox:read", "inbox:write"]),
    grantsAll: false,
    domainIds: null,
    expiresAt: claims.expiresAt,
    restricted: row.restricted_at !== null,
  };
  return { actor, workspace: toCallerWorkspace(row), touch: null };
}
