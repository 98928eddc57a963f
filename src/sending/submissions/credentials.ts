import {
  type MemberColumns,
  toCallerWorkspace,
  toMember,
  WORKSPACE_COLUMNS_SQL,
  type WorkspaceColumns,
} from "../../access/accounts/authenticate.ts";
import { STANDING_SQL } from "../../access/accounts/scopes.ts";
import type { SmtpActor } from "../../access/caller.ts";
import type { CallerWorkspace, Ctx, MainStatement } from "../../platform/context.ts";

/** SQL expression: the number of the workspace of an SMTP credential. `?1` is its id. */
export const CREDENTIAL_WORKSPACE = "(SELECT workspace FROM smtp_credentials WHERE id = ?1)";

// A credential ends with the membership of its user, or when that sees only its mailboxes, and does not work while its domain is not verified.
const FIND = `
  SELECT c.id AS credential_id, c.hash, c.domain_id, u.id AS user_id, u.email, u.name AS user_name, u.restricted_at, ${STANDING_SQL},
         ${WORKSPACE_COLUMNS_SQL}
    FROM smtp_credentials c
    JOIN domains d ON d.id = c.domain_id AND d.workspace = c.workspace
    JOIN memberships m ON m.workspace = c.workspace AND m.user_id = c.user_id AND m.mailboxes_only = 0
    JOIN users u ON u.id = c.user_id
    JOIN workspaces w ON w.number = c.workspace AND w.deleted_at IS NULL AND w.shut_at IS NULL
   WHERE c.deactivated_at IS NULL`;

/** An active SMTP credential with its user and workspace. */
export interface CredentialRow extends WorkspaceColumns, MemberColumns {
  credential_id: string;
  hash: string | null;
  domain_id: string;
}

/** Returns the statement that finds an active credential by its id. */
export function findCredentialStatement({ db }: Ctx, id: string): MainStatement {
  return db.prepare(`${FIND} AND c.id = ?1`).bind(id);
}

/** Returns the statement that finds the active credentials with a username whose domain is verified: at most one. */
export function findByUsernameStatement({ db }: Ctx, username: string): MainStatement {
  return db.prepare(`${FIND} AND c.username = ?1 AND d.status = 'verified'`).bind(username);
}

/** Returns the caller of a credential. It may send from its domain only. */
export function toSmtpCaller(row: CredentialRow): { actor: SmtpActor; workspace: CallerWorkspace } {
  const actor: SmtpActor = {
    kind: "smtp",
    credentialId: row.credential_id,
    ...toMember(row),
    scopes: new Set(["emails:send"]),
    grantsAll: false,
    domainIds: new Set([row.domain_id]),
    expiresAt: null,
  };
  return { actor, workspace: toCallerWorkspace(row) };
}
