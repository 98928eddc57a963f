import type { CallerCtx } from "../../access/caller.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { getMailbox } from "../mailboxes/index.ts";
import { getAlias } from "./queries.ts";

/** Takes an alias from a mailbox. What it has received stays; queued emails from it become `failed` at dispatch. Throws 404. */
export async function deleteAlias(ctx: CallerCtx, mailboxId: string, id: string): Promise<void> {
  const mailbox = await getMailbox(ctx, mailboxId);
  const alias = await getAlias(ctx, mailbox.id, id);
  const entry = { action: "mailbox.alias_deleted" as const, target: mailbox.id, detail: { address: alias.address } };
  await ctx.db.batch([
    ctx.db.prepare("DELETE FROM mailbox_aliases WHERE id = ?1 AND workspace = ?2").bind(alias.id, ctx.workspace.number),
    auditIfChangedStatement(ctx, entry),
  ]);
}
