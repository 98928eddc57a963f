import type { CallerCtx } from "../../access/caller.ts";
import { notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { LEASE_MS } from "../../sending/smtp-credentials/index.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { openForPasswords } from "./open.ts";

/** Deletes an app password and ends its IMAP connections. Returns when no gateway accepts it any more, after 0.5 s. Throws 404, 403. */
export async function deleteAppPassword(ctx: CallerCtx, mailboxId: string, id: string): Promise<void> {
  const mailbox = await openForPasswords(ctx, mailboxId, "write");
  const uuid = requireFound(parseUuid(id), "App password");
  await guardedBatch(ctx.db, [
    ctx.db.prepare("DELETE FROM app_passwords WHERE id = ?1 AND mailbox_id = ?2").bind(uuid, mailbox.id),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, { action: "mailbox.app_password_deleted", target: mailbox.id, detail: { id: uuid } }),
  ]).catch(onConcurrency(() => notFound("App password")));
  await checkAccess(ctx, mailbox.id);
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
}
