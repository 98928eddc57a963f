import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { getMailbox } from "./queries.ts";

/**
 * Deletes a mailbox and its assignments; the outbox deletes its messages from R2 afterwards. Emails sent from it remain. Queued
 * emails become `failed` at dispatch and scheduled emails at their time (docs/contract/mailboxes.md#addresses). Throws 404.
 */
export async function deleteMailbox(ctx: CallerCtx, id: string): Promise<void> {
  const mailbox = await getMailbox(ctx, id);
  await guardedBatch(ctx.db, [
    ctx.db.prepare("DELETE FROM mailboxes WHERE id = ?1 AND workspace = ?2").bind(mailbox.id, ctx.workspace.number),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "mailbox.deleted", target: mailbox.id, detail: { address: mailbox.address } }),
    purgeStatement(onMain(ctx), [{ id: mailbox.id, purge: { objects: r2Keys.mailbox(mailbox.id) } }]),
  ]).catch(onConcurrency(() => notFound("Mailbox")));
  await checkAccess(ctx, mailbox.id);
}
