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
import { openedSql, type SecretOpener } from "./may-open.ts";

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

const findCaller = (kind: SecretOpener["kind"]) => `
  SELECT ${COLUMNS} FROM ${openedSql(kind)}
    JOIN memberships o ON o.workspace = w.number AND o.role = 'owner'
    JOIN users u ON u.id = o.user_id
   ORDER BY o.created_at LIMIT 1`;

/** Returns the statement that finds the mailbox which a secret or session of it opens now, as a row of MailboxCallerRow. */
export const findCallerStatement = (ctx: Ctx, opener: SecretOpener): MainStatement =>
  ctx.db.prepare(findCaller(opener.kind)).bind(JSON.stringify([opener]), ctx.now());

/**
 * Returns the caller of an access token of a mailbox session, in one D1 query. It may use the inbox API of its own mailbox and
 * nothing else. What it sends counts for the oldest owner of the workspace. Throws 401 with one text for a token that is
 * invalid or expired, and for one whose session, mailbox or workspace has ended.
 */
export async function authenticateMailboxCaller(ctx: Ctx, token: string): Promise<Caller & { actor: MailboxActor }> {
  const claims = await verifyAccessToken(ctx, "mailbox_access", token);
  const opener: SecretOpener | null = claims && {
    kind: "mailbox",
    mailboxId: claims.sub,
    credentialId: claims.sid,
  };
  const row = opener && (await findCallerStatement(ctx, opener).first<MailboxCallerRow>());
  if (!claims || !row) throw invalidToken("Invalid or expired mailbox session");
  const credential = { credentialId: claims.sid, expiresAt: claims.expiresAt };
  return { ...toMailboxCaller(row, { ...credential, scopes: ["inbox:read", "inbox:write"] }), touch: null };
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
    mailboxesOnly: false,
    scopes: new Set(scopes),
    grantsAll: false,
    domainIds: null,
    restricted: row.restricted_at !== null,
  };
  return { actor, workspace: toCallerWorkspace(row) };
}
