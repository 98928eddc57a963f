import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import type { CallerCtx, ListRange, Role } from "../../access/caller.ts";
import { addressKey } from "../../lib/addresses.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { orm } from "../../platform/db/client.ts";
import { invitations } from "../../platform/db/schema/main/index.ts";
import { INVITATION_PURPOSE, VALID_INVITATION } from "../sign-ins/index.ts";

/** Invitations that the dashboard shows to the person that they are for. */
const SHOWN_INVITATIONS = 20;

const { hash: _hash, ...columns } = getTableColumns(invitations);

export type InvitationRow = Omit<typeof invitations.$inferSelect, "hash">;

/** Returns the invitations of the caller's workspace that were not accepted, expired ones included, oldest first. */
export function listInvitations(ctx: CallerCtx, { after, limit }: ListRange): Promise<InvitationRow[]> {
  return orm(ctx)
    .select(columns)
    .from(invitations)
    .where(
      and(eq(invitations.workspace, ctx.workspace.number), after === undefined ? undefined : gt(invitations.id, after)),
    )
    .orderBy(asc(invitations.id))
    .limit(limit);
}

/** A pending invitation, as the person who was invited sees it. */
export interface Invitation {
  id: string;
  email: string;
  emailKey: string;
  role: Role;
  mailboxesOnly: boolean;
  workspace: { number: number; id: string; name: string };
  /** Email address of the user who sent it. */
  invitedBy: string;
  expiresAt: number;
}

const FIND = `
  SELECT i.id, i.email, i.email_key AS emailKey, i.role, i.mailboxes_only AS mailboxesOnly, u.email AS invitedBy, i.expires_at AS expiresAt, w.number,
         w.id AS workspaceId, w.name
    FROM ${VALID_INVITATION}
    JOIN users u ON u.id = i.invited_by
   WHERE`;
const FIND_BY_HASH = `${FIND} i.hash IN (SELECT value FROM json_each(?1))`;
const FIND_RECEIVED = `${FIND} i.email_key = ?1 AND i.expires_at > ?2
     AND NOT EXISTS (SELECT 1 FROM memberships WHERE workspace = i.workspace AND user_id = ?3)
   ORDER BY i.expires_at DESC LIMIT ${SHOWN_INVITATIONS}`;

interface FoundRow extends Omit<Invitation, "workspace" | "mailboxesOnly"> {
  mailboxesOnly: 0 | 1;
  number: number;
  workspaceId: string;
  name: string;
}

/**
 * Returns the invitation of a token, without accepting it. Throws 404 for a token that is unknown, was used or withdrawn, or
 * whose sender may no longer invite; 410 for an expired one.
 */
export async function getInvitation(ctx: Ctx, token: string): Promise<Invitation> {
  const hashes = await keyedHashes(ctx.settings.masterKeys, INVITATION_PURPOSE, token);
  const row = await ctx.db.findRow<FoundRow>(FIND_BY_HASH, JSON.stringify(hashes));
  if (!row) throw notFound("Invitation");
  if (row.expiresAt <= ctx.now()) throw new AppError(410, "This invitation has expired");
  return toFound(row);
}

/** Returns the newest invitations of the caller's user, by its address, to workspaces of which it is no member. */
export async function listReceivedInvitations(ctx: CallerCtx): Promise<Invitation[]> {
  const { email, userId } = ctx.actor;
  const results = await ctx.db.listRows<FoundRow>(FIND_RECEIVED, addressKey(email), ctx.now(), userId);
  return results.map(toFound);
}

const toFound = ({ number, workspaceId, name, mailboxesOnly, ...row }: FoundRow): Invitation => ({
  ...row,
  mailboxesOnly: mailboxesOnly === 1,
  workspace: { number, id: workspaceId, name },
});
