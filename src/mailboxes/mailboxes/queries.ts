import { and, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { visibleTo } from "../../access/visible-rows.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { mailboxes } from "../../platform/db/schema/main/index.ts";

const assigneeIds = sql<string>`(
  SELECT json_group_array(a.user_id) FROM (
    SELECT user_id FROM mailbox_assignees WHERE mailbox_id = ${mailboxes.id} ORDER BY user_id) a)`;
/** Columns of a mailbox with its assignees. */
const mailboxColumns = { ...getTableColumns(mailboxes), assigneeIds: assigneeIds.as("assignee_ids") };

export type MailboxRow = Awaited<ReturnType<typeof select>>[number];

function select(ctx: CallerCtx, where: SQL | undefined, { offset, limit }: { offset: number; limit: number }) {
  return orm(ctx)
    .select(mailboxColumns)
    .from(mailboxes)
    .where(where)
    .orderBy(mailboxes.address)
    .limit(limit)
    .offset(offset);
}

const IS_ASSIGNED = (ctx: CallerCtx) =>
  sql`EXISTS (SELECT 1 FROM mailbox_assignees a WHERE a.mailbox_id = ${mailboxes.id} AND a.user_id = ${ctx.actor.userId})`;

/** Returns the condition that selects the mailboxes that a caller sees. */
const isVisible = (ctx: CallerCtx) =>
  and(visibleTo(ctx, mailboxes), ctx.actor.mailboxesOnly ? IS_ASSIGNED(ctx) : undefined);

/**
 * Returns one mailbox of the caller's workspace. Throws 404 for an id that is malformed, unknown, of another workspace,
 * on a domain outside those that the API key is restricted to, or not assigned to a member that sees only its mailboxes.
 */
export async function getMailbox(ctx: CallerCtx, id: string): Promise<MailboxRow> {
  const uuid = requireFound(parseUuid(id), "Mailbox");
  const [row] = await select(ctx, and(isVisible(ctx), eq(mailboxes.id, uuid)), { offset: 0, limit: 1 });
  return requireFound(row, "Mailbox");
}

/** Returns mailboxes of the caller's workspace in order of address, from the one that follows the address `after`. */
export function listMailboxes(
  ctx: CallerCtx,
  { domain_id, after, ...range }: ListRange & { domain_id?: string; offset: number },
): Promise<MailboxRow[]> {
  const where = [
    domain_id === undefined ? undefined : eq(mailboxes.domainId, domain_id),
    after === undefined ? undefined : gt(mailboxes.address, after),
  ];
  return select(ctx, and(isVisible(ctx), ...where), range);
}

const FIND_PASSWORD = `
  SELECT p.changed_at AS changedAt, coalesce(p.user_id, k.user_id) AS makerId
    FROM mailboxes b JOIN mailbox_passwords p ON p.mailbox_id = b.id LEFT JOIN api_keys k ON k.id = p.api_key_id
   WHERE b.id = ?1 AND b.workspace = ?2`;

/** When the password of a mailbox was set, in ms since 1970, and by which user. Null: by the mailbox itself, or not known. */
export interface PasswordMade {
  changedAt: number;
  makerId: string | null;
}

/** Returns who set the password of a mailbox of the caller's workspace, or null when it has none. */
export const findPasswordMade = ({ db, workspace }: CallerCtx, mailboxId: string): Promise<PasswordMade | null> =>
  db.findRow<PasswordMade>(FIND_PASSWORD, mailboxId, workspace.number);
