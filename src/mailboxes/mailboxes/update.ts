import type { CallerCtx } from "../../access/caller.ts";
import { forbidden, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { getMailbox } from "./queries.ts";
import { mayManage, mayRename } from "./rights.ts";
import { type MailboxOut, type MailboxPatch, toMailbox } from "./schema.ts";

/** The columns that a patch may change, which have the names of its fields. */
const columns = ["display_name", "is_active", "quota_bytes"] as const satisfies (keyof MailboxPatch)[];

const updateStatement = (set: string) => `
  UPDATE mailboxes SET ${set}
   WHERE id = ?1 AND workspace = ?2 AND (?3 IS NULL OR domain_id IN (SELECT value FROM json_each(?3)))`;

/**
 * Changes the given fields of a mailbox; null is a value. An inactive mailbox cannot send: its queued emails become
 * `failed` at dispatch. A user who is assigned and does not manage mailboxes may change the display name only. Throws 404, and 403.
 */
export async function updateMailbox(ctx: CallerCtx, id: string, patch: MailboxPatch): Promise<MailboxOut> {
  const changed = columns.filter((column) => patch[column] !== undefined);
  const uuid = requireFound(parseUuid(id), "Mailbox");
  if (!mayManage(ctx.actor)) await requireMayRename(ctx, uuid, changed);
  if (changed.length > 0) {
    const { actor, workspace, db } = ctx;
    const set = changed.map((column, index) => `${column} = ?${index + 4}`).join(", ");
    const values = changed.map((column) => (column === "is_active" ? Number(patch[column]) : patch[column]));
    const permitted = actor.domainIds && JSON.stringify([...actor.domainIds]);
    const detail = Object.fromEntries(changed.map((column) => [column, patch[column]]));
    await db.batch([
      db.prepare(updateStatement(set)).bind(uuid, workspace.number, permitted, ...values),
      auditIfChangedStatement(ctx, { action: "mailbox.updated", target: uuid, detail }),
    ]);
    if (patch.is_active === false) await checkAccess(ctx, uuid);
  }
  return toMailbox(await getMailbox(ctx, uuid));
}

async function requireMayRename(ctx: CallerCtx, id: string, changed: readonly (keyof MailboxPatch)[]): Promise<void> {
  const { assignee_ids } = toMailbox(await getMailbox(ctx, id));
  if (!mayRename(ctx.actor, assignee_ids) || changed.some((column) => column !== "display_name"))
    throw forbidden("Missing scope: mailboxes:manage");
}
