import { invalidToken } from "../../lib/errors.ts";
import type { CallerWorkspace, Ctx, MainStatement } from "../../platform/context.ts";
import {
  type Caller,
  toCallerWorkspace,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "../accounts/authenticate.ts";
import type { Scope } from "../accounts/scopes.ts";
import type { MailboxActor } from "../caller.ts";
import { verifyAccessToken } from "../sessions/access-token.ts";
import { isAppPassword } from "./mail-programs.ts";
import { openByAppPassword, openByPassword } from "./rights.ts";

/** A mailbox with its workspace, and the user for whom its mail counts. */
export interface MailboxCallerRow extends WorkspaceColumns {
  mailbox_id: string;
  address: string;
  display_name: string | null;
  user_id: string;
  restricted_at: number | null;
}

const COLUMNS = `
  b.id AS mailbox_id, b.address, b.display_name, o.user_id, u.restricted_at,
  ${WORKSPACE_COLUMNS_SQL}`;

const WITH_OWNER = `
  JOIN memberships o ON o.workspace = w.number AND o.role = 'owner'
  JOIN users u ON u.id = o.user_id`;

const FIND_CALLER = `
  SELECT ${COLUMNS} FROM mailbox_sessions s JOIN ${openByPassword("?3")} ${WITH_OWNER}
   WHERE s.id = ?1 AND b.id = ?2 AND b.id = s.mailbox_id AND b.is_active = 1 AND s.expires_at > ?3
   ORDER BY o.created_at LIMIT 1`;

/**
 * Returns the caller of an access token of a mailbox session, in one D1 query. It may use the inbox API of its own mailbox and
 * nothing else. What it sends counts for the oldest owner of the workspace. Throws 401 with one text for a token that is
 * invalid or expired, and for one whose session, mailbox or workspace has ended.
 */
export async function authenticateMailboxCaller(ctx: Ctx, token: string): Promise<Caller & { actor: MailboxActor }> {
  const claims = await verifyAccessToken(ctx, "mailbox_access", token);
  const values = claims && [claims.sid, claims.sub, ctx.now()];
  const row =
    values &&
    (await ctx.db
      .prepare(FIND_CALLER)
      .bind(...values)
      .first<MailboxCallerRow>());
  if (!claims || !row) throw invalidToken("Invalid or expired mailbox session");
  const credential = { credentialId: claims.sid, expiresAt: claims.expiresAt };
  return { ...toMailboxCaller(row, { ...credential, scopes: ["inbox:read", "inbox:write"] }), touch: null };
}

const findProgramCaller = (opened: string, isSecret: string) => `
  SELECT ${COLUMNS} FROM ${opened} ${WITH_OWNER} WHERE b.id = ?1 AND b.is_active = 1 AND ${isSecret}
   ORDER BY o.created_at LIMIT 1`;

const FIND_BY_PASSWORD = findProgramCaller(openByPassword("?2"), "p.changed_at = CAST(?3 AS INTEGER)");
const FIND_BY_APP_PASSWORD = findProgramCaller(openByAppPassword("?2"), "p.id = ?3");

/** Returns the statement that finds the mailbox of a mail program, if its secret (`ProgramAccess`) still opens it. */
export function findProgramCallerStatement(ctx: Ctx, mailboxId: string, secret: string): MainStatement {
  const sql = isAppPassword(secret) ? FIND_BY_APP_PASSWORD : FIND_BY_PASSWORD;
  return ctx.db.prepare(sql).bind(mailboxId, ctx.now(), secret);
}

/** Returns the caller of a mail program, which sends from its mailbox. */
export const toProgramCaller = (row: MailboxCallerRow, credentialId: string) =>
  toMailboxCaller(row, { credentialId, expiresAt: null, scopes: ["inbox:write"] });

function toMailboxCaller(
  row: MailboxCallerRow,
  { scopes, ...credential }: Pick<MailboxActor, "credentialId" | "expiresAt"> & { scopes: Scope[] },
): { actor: MailboxActor; workspace: CallerWorkspace } {
  const actor: MailboxActor = {
    kind: "mailbox",
    mailboxId: row.mailbox_id,
    ...credential,
    userId: row.user_id,
    email: row.address,
    name: row.display_name,
    role: "member",
    scopes: new Set(scopes),
    grantsAll: false,
    domainIds: null,
    restricted: row.restricted_at !== null,
  };
  return { actor, workspace: toCallerWorkspace(row) };
}
